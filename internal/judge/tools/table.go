package tools

import (
	"slices"
	"strings"
	"sync"
)

var (
	indexOnce sync.Once
	indexed   map[string]*Tool
)

// index finds a row by each of its names. It is made by a sync.Once: a variable
// that a call makes, as sync.OnceValue does, would have the compiler fill the
// table's rows at every start of the programs, not once and for all.
func index() map[string]*Tool {
	indexOnce.Do(func() {
		indexed = make(map[string]*Tool, 1024)
		for i := range table {
			for name := range strings.FieldsSeq(table[i].Names + " " + table[i].Aliases) {
				indexed[name] = &table[i]
			}
		}
	})
	return indexed
}

var unknown Tool

// Find is the row of a program, by the name that Name gives it; an empty row for
// a program that is not in the table.
func Find(name string) *Tool {
	if t := index()[name]; t != nil {
		return t
	}
	return &unknown
}

// Known reports whether the first word of a command names a program of the table.
func Known(word string) bool { return Of(word) != &unknown }

// Name is the program that the first word of a command names: /usr/bin/go
// and python3.12 are go and python.
func Name(word string) string {
	if ownProgram(word) {
		return word
	}
	name := word[strings.LastIndexAny(word, `/\`)+1:]
	if at := strings.IndexByte(name, '@'); at > 0 {
		name = name[:at] // npx tool@latest
	}
	for _, ext := range [...]string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ext)
	}
	if t := Find(name); Among(t.Aliases, name) {
		return first(t.Names)
	}
	unversioned := strings.TrimRight(name, "0123456789.")
	if bare := strings.TrimRight(unversioned, "-"); unversioned != name && Find(bare).Versioned {
		return bare
	}
	return name
}

// Of is the row of the program that a command's first word names.
func Of(word string) *Tool { return Find(Name(word)) }

// ownProgram reports whether a first word with a folder names a program of the
// work tree, or of a temporary folder, that only bears a tool's name: ./go.
// Folders for programs (.venv/bin, node_modules/.bin) hold tools, and so does a module's
// path, or C:\.
func ownProgram(word string) bool {
	dir, name := cutLast(word, "/")
	switch {
	case dir == "", !Find(strings.TrimRight(name, "3")).Installed:
		return false
	case TemporaryFolder(dir):
		return true
	case fits("^[/~$`]|^[^./][^/]*[.:]", dir):
		return false
	}
	builtin := Find(name).Does&Nothing != 0 // bin/test is not a shell's test
	return builtin || !ProgramFolder(dir[strings.LastIndexByte(dir, '/')+1:])
}

// TemporaryFolder reports whether a folder is one for temporary files.
func TemporaryFolder(dir string) bool { return begins(dir+"/", "/tmp/|/var/tmp/|/dev/shm/") }

// ProgramFolder reports whether a folder of this name holds installed programs.
func ProgramFolder(name string) bool { return Among("bin .bin Scripts sbin shims", name) }

var patternsOf sync.Map // lists of patterns, by their patternKey

type patternKey struct {
	does      Does
	ecosystem string
}

// Patterns are the commands that do one of does, as patterns of
// shell.Command.Matches: "go test", "tsc".
func Patterns(does Does) []string { return patterns(patternKey{does: does}) }

// TestPatterns are the commands that run tests of an ecosystem.
func TestPatterns(ecosystem string) []string { return patterns(patternKey{Tests, ecosystem}) }

func patterns(key patternKey) []string {
	if all, ok := patternsOf.Load(key); ok {
		return all.([]string)
	}
	var all []string
	for i := range table {
		if t := &table[i]; key.ecosystem == "" || key.ecosystem == t.Ecosystem {
			all = append(all, t.patterns(key.does)...)
		}
	}
	all = slices.Clip(all)
	patternsOf.Store(key, all)
	return all
}

func (t *Tool) patterns(does Does) (all []string) {
	for name := range strings.FieldsSeq(t.Names) {
		if t.Does&does != 0 {
			all = append(all, name)
		}
		for _, sub := range t.Subs {
			if sub.Does&does != 0 {
				all = append(all, strings.Split(name+" "+strings.ReplaceAll(sub.Words, "|", "|"+name+" "), "|")...)
			}
		}
	}
	return all
}

// DefinitionFiles are the names under which a task runner finds its targets by
// itself.
func DefinitionFiles() string {
	files := "Rakefile"
	for _, name := range TargetRunners() {
		files += " " + Find(name).Targets.Files
	}
	return files
}

// TargetRunners are the tools for which projects define targets, by their names.
func TargetRunners() (names []string) {
	for i := range table {
		if table[i].Targets != nil {
			names = append(names, first(table[i].Names))
		}
	}
	return names
}
