package project

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Bounds of the search for tests that import a file.
const (
	maxImporting = 60 // test files that are read
	maxTestFiles = 2000
	maxImports   = 200 // lines of a test that may import the file
)

// Importers are the test files of a file's project that import it: that name its
// module in a line which imports. It reads at most maxImporting of them.
func (t *Tests) Importers(file string) (tests []string) {
	e := tools.OfFile(file)
	if e == nil || e.Packages {
		return nil
	}
	imports := importOf(e, file)
	if imports == nil {
		return nil
	}
	l := newLayout(t, []string{file})
	left, files := maxImporting, maxTestFiles
	l.search(l.project(e, file), e, func(dir string, in names) bool {
		for _, name := range in.files {
			if files--; files < 0 || left < 0 {
				return true
			}
			test := path.Join(dir, name)
			if test == file || !e.Holds(test) {
				continue
			}
			if left--; left >= 0 && imports(test, l.read(test)) {
				tests = append(tests, test)
			}
		}
		return false
	})
	return tests
}

// common are names that files of many folders bear: what imports one names its folder
// too.
const common = "api app base client common config constants core data handler handlers helpers layout lib main middleware model models page route router routes schema server service services store types util utils view views"

// importOf reports whether the text of a test has a line that imports a file; nil where
// the file's name tells too little.
func importOf(e *tools.Ecosystem, file string) func(test, text string) bool {
	stem, folder := tools.Stem(file), path.Base(dirOf(file))
	name := regexp.QuoteMeta(stem)
	switch {
	case tools.Among("index mod __init__", stem):
		stem, name = folder, regexp.QuoteMeta(folder)
	case tools.Among(common, strings.ToLower(stem)):
		name = joinedFolders(dirOf(file)) + name
	}
	if stem == "" || stem == "." {
		return nil
	}
	if e.Name != "node" {
		line := regexp.MustCompile(`(?m)^.*\b(?:import|from|require|use|mod|include|source|load)\b.*\b` + name + `\b`)
		return func(_, text string) bool { return line.MatchString(text) }
	}
	// A module is named in quotes, by its path.
	line := regexp.MustCompile(`\b(?:import|from|require|mock)\b.*["'\x60]((?:[^"'\x60]*/)?` + name + `)(?:/index)?(?:\.(?:[cm]?[jt]sx?|vue|svelte|astro))?["'\x60]`)
	return func(test, text string) bool {
		return slices.ContainsFunc(line.FindAllStringSubmatch(text, maxImports), func(m []string) bool {
			module := path.Join(dirOf(test), m[1])
			return !strings.HasPrefix(m[1], ".") || module == dirOf(file) || module == path.Join(dirOf(file), tools.Stem(file))
		})
	}
}

// joinedFolders fits the last folder of a path, and those above it where it is not a name
// but a parameter of a route: [id], (group).
func joinedFolders(dir string) (joined string) {
	for dir != "" && dir != "." {
		folder := path.Base(dir)
		joined = regexp.QuoteMeta(folder) + `(?:/|\.|::)` + joined
		if !strings.HasPrefix(folder, "[") && !strings.HasPrefix(folder, "(") {
			break
		}
		dir = dirOf(dir)
	}
	return joined
}

// Narrowed is a test command of a folder for some files only, where its tool takes
// folders or files; "" where it cannot be told.
func (t *Tests) Narrowed(dir, run string, files []string) string {
	if run != "go test ./..." {
		return ""
	}
	var folders []string
	for _, file := range files {
		rel := strings.TrimPrefix(strings.TrimPrefix(dirOf(file), dir), "/")
		if folder := strings.TrimSuffix("./"+rel, "/"); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	if len(folders) > 3 {
		return ""
	}
	return "go test " + strings.Join(folders, " ")
}

// Declared are the type checks and builds that the projects of changed files
// declare, the cheapest of each.
func (t *Tests) Declared(changed ...string) (all []TestCommand) {
	l := newLayout(t, changed)
	seen := map[string]bool{}
	for _, file := range l.changed {
		e := tools.OfFile(file)
		if e == nil {
			continue
		}
		dir := l.project(e, file)
		if seen[dir+e.Name] {
			continue
		}
		seen[dir+e.Name] = true
		if run := declared(t.folder(dir), e); run != "" {
			all = append(all, TestCommand{Run: run, Ecosystem: e.Name, Dir: dir})
		}
	}
	return all
}

func declared(f *folder, e *tools.Ecosystem) string {
	for _, c := range e.Checks {
		if !f.has(c.File) || c.Mentions != "" && !strings.Contains(f.read(c.File), c.Mentions) {
			continue
		}
		if c.Scripts == "" {
			return c.Run
		}
		for script := range strings.SplitSeq(c.Scripts, "|") {
			if _, ok := f.define("npm").recipes[script]; ok {
				return c.Run + script
			}
		}
	}
	return ""
}
