package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kind is a language's test files, which are told by their names.
type kind string

const (
	goTest     kind = "go"
	nodeTest   kind = "node"
	pythonTest kind = "python"
	dotnetTest kind = "dotnet"
)

func (k kind) fits(name string) bool {
	switch k {
	case goTest:
		return strings.HasSuffix(name, "_test.go")
	case nodeTest:
		for _, mark := range []string{".test.", ".spec.", "_test."} {
			if _, ext, ok := strings.Cut(name, mark); ok {
				return slices.Contains([]string{"js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"}, ext)
			}
		}
	case pythonTest:
		return strings.HasSuffix(name, ".py") && strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py") || name == "tests.py"
	case dotnetTest:
		return strings.HasSuffix(name, "proj") && strings.Contains(name, "Test")
	}
	return false
}

// below tells whether a test file of the kind lies in or under the folder. It
// walks breadth first, since tests lie near the top, and gives up after
// maxWalk entries: then no test is asked for.
func (f *folder) below(k kind) bool {
	left := maxWalk
	queue := []string{f.path}
	for len(queue) > 0 && left > 0 {
		dir := queue[0]
		queue = queue[1:]
		in := f.seen.list(dir)
		left -= len(in.files) + len(in.dirs) + 1
		if k == goTest && dir != f.path && slices.Contains(in.files, "go.mod") {
			continue // a module of its own
		}
		if in.hasKind(k) {
			return true
		}
		for _, d := range in.dirs {
			if !skipped(d) {
				queue = append(queue, filepath.Join(dir, d))
			}
		}
	}
	return false
}

// names are the entries of a directory.
type names struct{ files, dirs []string }

func (n names) hasKind(k kind) bool { return slices.ContainsFunc(n.files, k.fits) }

// listings keeps what was read of each directory, so that none is read twice.
type listings struct {
	dirs map[string]names
	was  map[string]*string // files as they were, by their whole paths; nil: there was none
}

func newListings() *listings { return &listings{dirs: map[string]names{}} }

func (l *listings) list(dir string) names {
	n, ok := l.dirs[dir]
	if !ok {
		n = list(dir)
		for path, text := range l.was {
			if filepath.Dir(path) != dir {
				continue
			}
			base := filepath.Base(path)
			n.files = slices.DeleteFunc(n.files, func(name string) bool { return name == base })
			if text != nil {
				n.files = append(n.files, base)
			}
		}
		l.dirs[dir] = n
	}
	return n
}

func list(dir string) (n names) {
	handle, err := os.Open(dir)
	if err != nil {
		return n
	}
	defer handle.Close()
	entries, _ := handle.ReadDir(maxNames)
	for _, e := range entries {
		if e.IsDir() {
			n.dirs = append(n.dirs, e.Name())
		} else {
			n.files = append(n.files, e.Name())
		}
	}
	return n
}
