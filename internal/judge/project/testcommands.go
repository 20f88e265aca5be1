package project

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// TestCommand is a way to run a work tree's tests.
type TestCommand struct {
	Run       string   // as a person types it: "go test ./..."
	Matches   []string // patterns for shell.Command.Matches that also count: "go test"
	Ecosystem string   // "go", "node", …; empty for the project's own umbrella (make test)
	Dir       string   // where it runs, relative to the root with slashes; empty at the root
}

// Bounds of the search; a hook waits for it.
const (
	maxFolders = 64   // folders looked at beside the root
	maxNames   = 2000 // entries read of one folder
	maxWalk    = 2000 // entries seen in search of a test file: about 1 ms
	maxRead    = 256 << 10
)

// TestCommands finds how the tests of the work tree at root are run: its own
// umbrella (make test, just test) first, then one command for each ecosystem.
// It looks at the root and at the folders above the changed files (relative to
// root), so that web/package.json is found; where none are named, one level
// below the root. A command is only named where it exists; what cannot be read
// is left out.
// Rule: docs/spec.md, "Rules".
func TestCommands(root string, changed ...string) []TestCommand {
	return AtRoot(root).Commands(changed...)
}

// Tests is what the root of a work tree tells of its tests.
type Tests struct {
	root  string
	seen  *listings
	top   *folder
	found []TestCommand
	sub   map[string]*folder // the folders of sub-projects that were looked at
}

// AtRoot does the part of TestCommands that needs no changed files, so that it
// can be done while git is asked for them.
func AtRoot(root string) *Tests {
	return atRoot(root, newListings())
}

func atRoot(root string, seen *listings) *Tests {
	t := Tests{root: root, seen: seen, sub: map[string]*folder{}}
	t.top = open(t.seen, root, "")
	t.top.seek = newSeeker()
	t.found = t.top.commands()
	return &t
}

// Commands does the rest.
func (t *Tests) Commands(changed ...string) []TestCommand {
	found := slices.Clip(t.found)
	for _, f := range t.below(changed) {
		found = append(found, f.commands()...)
	}
	return settled(found)
}

// below are the folders where sub-projects may lie.
func (t *Tests) below(changed []string) []*folder {
	var list []*folder
	for _, dir := range folders(t.top, changed) {
		if t.sub[dir] == nil {
			f := open(t.seen, t.root, dir)
			f.above, f.seek = t.top, t.top.seek
			t.sub[dir] = f
		}
		list = append(list, t.sub[dir])
	}
	return list
}

// settled gives what only counts as a test run, but is not to be asked for, to
// the commands of the same folder and of those below it.
func settled(found []TestCommand) []TestCommand {
	var named []TestCommand
	for _, c := range found {
		if c.Run != "" {
			named = append(named, c)
		}
	}
	for _, c := range found {
		if c.Run != "" {
			continue
		}
		for i, to := range named {
			if c.Dir == "" || to.Dir == c.Dir || strings.HasPrefix(to.Dir, c.Dir+"/") {
				named[i].Matches = append(slices.Clip(to.Matches), c.Matches...)
			}
		}
	}
	return named
}

// folders lists where sub-projects may lie, nearest to the root first: above
// the changed files, or one level down where there are none.
func folders(top *folder, changed []string) []string {
	var dirs []string
	for _, file := range changed {
		if len(dirs) >= maxFolders {
			break
		}
		for dir := path.Dir(path.Clean(filepath.ToSlash(file))); inside(dir); dir = path.Dir(dir) {
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	if len(changed) == 0 {
		for _, name := range slices.Sorted(slices.Values(top.dirs)) {
			if !skipped(name) {
				dirs = append(dirs, name)
			}
		}
	}
	dirs = dirs[:min(len(dirs), maxFolders)]
	slices.SortStableFunc(dirs, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return dirs
}

// inside tells whether dir is a folder below the root that may hold a project.
func inside(dir string) bool {
	if dir == "." || path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(dir, "/"), skipped)
}

// skipped names folders that hold other people's code, output or samples.
func skipped(name string) bool {
	switch name {
	case "node_modules", "vendor", "third_party", "testdata", "fixtures", "dist", "build", "target", "out", "obj",
		"venv", "env", "site-packages", "__pycache__", "coverage", "Pods", "deps", "_build":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// folder is one directory as the table's rows see it.
type folder struct {
	names
	path  string  // absolute
	dir   string  // relative to the work tree's root
	above *folder // the root's, for lock files of a workspace; nil at the root
	seen  *listings
	seek  *seeker
	known map[string]map[string]recipe // see recipes
	vague map[string]bool              // of a tool: its file says more than is read of it
}

func open(seen *listings, root, dir string) *folder {
	path := filepath.Join(root, filepath.FromSlash(dir))
	return &folder{names: seen.list(path), path: path, dir: dir, seen: seen}
}

func (f *folder) commands() []TestCommand {
	var found []TestCommand
	done := map[string]bool{}
	for _, r := range table {
		if done[r.ecosystem] && r.ecosystem != "" {
			continue
		}
		c := r.look(f)
		if c.Run == "" && len(c.Matches) == 0 {
			continue
		}
		done[r.ecosystem] = c.Run != ""
		c.Ecosystem, c.Dir = r.ecosystem, f.dir
		found = append(found, c)
	}
	return found
}

// has tells whether the folder holds one of the names, which are written as
// alternatives: "build.gradle|*.sln|spec/"; / at the end means a folder.
func (f *folder) has(names string) bool {
	for name := range strings.SplitSeq(names, "|") {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			if slices.Contains(f.dirs, dir) {
				return true
			}
		} else if f.file(name) != "" {
			return true
		}
	}
	return false
}

// file is the name of a file as it is, or the first that fits "*.sln".
func (f *folder) file(name string) string {
	suffix, any := strings.CutPrefix(name, "*")
	for _, is := range f.files {
		if is == name || any && strings.HasSuffix(is, suffix) {
			return is
		}
	}
	return ""
}

// read returns a small regular file's text; "" for anything else, so that a pipe
// named Makefile, or a link to what a kernel makes up without end, cannot hold up
// a hook.
func (f *folder) read(name string) string {
	if name = f.file(name); name == "" {
		return ""
	}
	file := filepath.Join(f.path, name)
	if was, ok := f.seen.was[file]; ok {
		return *was // else it would not be listed
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxRead {
		return ""
	}
	handle, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer handle.Close()
	text, err := io.ReadAll(io.LimitReader(handle, maxRead+1))
	if err != nil || len(text) > maxRead {
		return ""
	}
	return string(text)
}

// says tells whether one of the files, written as for has, mentions a word.
func (f *folder) says(names, word string) bool {
	for name := range strings.SplitSeq(names, "|") {
		if strings.Contains(f.read(name), word) {
			return true
		}
	}
	return false
}
