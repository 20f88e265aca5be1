// Package project knows what a work tree is: which ecosystems live in it and
// how its tests are run. It reads a few small files at known places and
// changes nothing.
package project

import (
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Bounds of the search; a hook waits for it.
const (
	maxFolders = 64   // folders looked at beside the root
	maxNames   = 2000 // entries read of one folder
	maxWalk    = 2000 // entries seen in search of a test file: about 1 ms
	maxRead    = 256 << 10
	maxScripts = 32 // scripts that are read to find those that run tests
)

// names are the entries of a directory.
type names struct{ files, dirs []string }

// listings keeps what was read of each directory, so that none is read twice.
type listings struct {
	dirs map[string]names
	was  map[string]*string // files as they were, by their whole paths; nil: there was none
	read map[string]string  // files that were read, by the same
}

func newListings() *listings {
	return &listings{dirs: map[string]names{}, was: map[string]*string{}, read: map[string]string{}}
}

// once remembers the answer to a question by its key. While it is being asked,
// the answer is the zero value.
func once[V any](known map[string]V, key string, ask func() V) V {
	answer, ok := known[key]
	if !ok {
		known[key] = answer
		answer = ask()
		known[key] = answer
	}
	return answer
}

func (l *listings) list(dir string) names {
	return once(l.dirs, dir, func() names {
		n := list(dir)
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
		return n
	})
}

func list(dir string) (n names) {
	handle, err := os.Open(dir)
	if err != nil {
		return n
	}
	defer handle.Close()
	entries, _ := handle.ReadDir(maxNames)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }) // a walk that gives up gives up at the same place on any file system
	for _, e := range entries {
		if e.IsDir() {
			n.dirs = append(n.dirs, e.Name())
		} else {
			n.files = append(n.files, e.Name())
		}
	}
	return n
}

// folder is one directory of the work tree.
type folder struct {
	names
	path  string // absolute
	dir   string // relative to the work tree's root
	seen  *listings
	known map[string]definitions // by tool
}

// definitions are what a file defines for a task runner.
type definitions struct {
	names   []string // in their order, as often as they stand there
	recipes map[string]recipe
	vague   bool              // the file says more than is read of it
	vars    map[string]string // what it says that variables are
}

// recipe is what a target, a task or a script of a manifest does.
type recipe struct {
	lines  []string // each for a shell of its own
	needs  []string // others that run before it
	beside []string // others that run before and after it
	dir    string   // where it runs, seen from the folder of its file; "": there
	raw    []string // the lines as they stand in a file with variables
	params []string // as the file has them: name, name=default, *name
	unsure bool     // a condition of the file decides on some of it
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// set defines one target.
func (d *definitions) set(name string, r recipe) {
	d.names = append(d.names, name)
	d.recipes[name] = r
}

// add adds lines and needs to the recipes of targets.
func (d definitions) add(names []string, more recipe) {
	for _, name := range names {
		r := d.recipes[name]
		r.lines, r.needs = append(r.lines, more.lines...), append(r.needs, more.needs...)
		r.params, r.unsure = append(r.params, more.params...), r.unsure || more.unsure
		d.recipes[name] = r
	}
}

func open(seen *listings, root, dir string) *folder {
	path := filepath.Join(root, filepath.FromSlash(dir))
	return &folder{names: seen.list(path), path: path, dir: dir, seen: seen, known: map[string]definitions{}}
}

// at is a folder as seen from this one; this one where the shell alone knows,
// nil outside of the work tree.
func (f *folder) at(dir string) *folder {
	dir = path.Clean(dir)
	switch {
	case dir == "." || strings.ContainsAny(dir, "$`"):
		return f
	case path.IsAbs(dir) || strings.HasPrefix(dir, "~"):
		return nil
	}
	rel := path.Join(f.dir, dir)
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return nil
	}
	root := strings.TrimSuffix(strings.TrimSuffix(f.path, f.dir), "/")
	if rel == "." {
		rel = ""
	}
	return open(f.seen, root, rel)
}

// has tells whether the folder holds one of the names, which are written as
// alternatives: "Makefile|*.sln|spec/"; / at the end means a folder.
func (f *folder) has(names string) bool {
	return slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			return slices.Contains(f.dirs, dir)
		}
		return f.file(name) != ""
	})
}

// up are the folder and those above it, up to the root; none for nil.
func (f *folder) up() iter.Seq[*folder] {
	return func(yield func(*folder) bool) {
		for at := f; at != nil && yield(at); at = at.at("..") {
		}
	}
}

// nearest is the folder itself, or the nearest one above it, of which something
// is true; nil for none.
func (f *folder) nearest(is func(*folder) bool) *folder {
	for at := range f.up() {
		if is(at) {
			return at
		}
	}
	return nil
}

// hasPath tells whether a file or folder is there, by its path from here. It
// reads a folder only where that above it holds it.
func (f *folder) hasPath(name string) bool {
	first, rest, deeper := strings.Cut(strings.TrimSuffix(path.Clean(name), "/"), "/")
	if !deeper {
		return f.file(first) != "" || slices.Contains(f.dirs, first)
	}
	return slices.Contains(f.dirs, first) && f.at(first).hasPath(rest)
}

// file is the name of a file as it is, or the first that fits "*.sln".
func (f *folder) file(name string) string {
	is := func(file string) bool { return file == name }
	if strings.Contains(name, "*") {
		is = func(file string) bool { fits, _ := path.Match(name, file); return fits }
	}
	if i := slices.IndexFunc(f.files, is); i >= 0 {
		return f.files[i]
	}
	return ""
}

// read returns a small regular file's text; "" for anything else, so that a pipe
// named Makefile, or a link to what a kernel makes up without end, cannot hold up
// a hook.
func (f *folder) read(name string) string {
	if dir, base := path.Split(name); dir != "" {
		if !f.hasPath(dir) {
			return ""
		}
		return f.at(dir).read(base)
	}
	if name = f.file(name); name == "" {
		return ""
	}
	file := filepath.Join(f.path, name)
	if was, ok := f.seen.was[file]; ok {
		return *was // else it would not be listed
	}
	return once(f.seen.read, file, func() string { return readSmall(file) })
}

func readSmall(file string) string {
	text, err := localfs.ReadPlain(file, maxRead)
	if err != nil {
		return ""
	}
	return string(text)
}

// script is the text of the shell script at a path as seen from the folder.
func (f *folder) script(file string) (at *folder, base, text string, ok bool) {
	if !strings.Contains(file, "/") && !strings.HasSuffix(file, ".sh") {
		return nil, "", "", false // a program
	}
	dir, base := path.Split(path.Clean(file))
	if at = f.at(dir); at == nil {
		return nil, "", "", false
	}
	text = at.read(base)
	return at, base, text, shellScript(base, text)
}

func shellScript(name, text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") {
		return strings.HasSuffix(strings.Fields(first + " x")[0], "sh") || strings.Contains(first, "/env ") && strings.Contains(first, "sh")
	}
	return strings.HasSuffix(name, ".sh")
}

// says tells whether one of the files, written as for has, mentions a word.
func (f *folder) says(names, word string) bool {
	return slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { return strings.Contains(f.read(name), word) })
}

// below tells whether a test file lies in or under the folder; a folder that
// holds the project file is a project of its own. It walks breadth first, since
// tests lie near the top, and gives up after maxWalk entries: then no test is
// asked for.
func (f *folder) below(isTest func(name string) bool, project string) (found bool) {
	left := maxWalk
	f.seen.walk(f.path, "", &left, func(dir string, in names) step {
		if project != "" && dir != "" && slices.Contains(in.files, project) {
			return aside
		}
		if found = slices.ContainsFunc(in.files, isTest); found {
			return enough
		}
		return deeper
	})
	return found
}

// step is what a walk does at a folder.
type step int

const (
	deeper step = iota
	aside       // not into the folder
	enough      // the walk ends
)

// walk visits the folders of a tree from dir down, breadth first, as long as
// entries are left that may be looked at. It tells whether it saw all that it
// was to see.
func (l *listings) walk(root, dir string, left *int, visit func(dir string, in names) step) (all bool) {
	for queue := []string{dir}; len(queue) > 0; queue = queue[1:] {
		if *left <= 0 {
			return false
		}
		at := queue[0]
		in := l.list(filepath.Join(root, filepath.FromSlash(at)))
		*left -= len(in.files) + len(in.dirs) + 1
		switch visit(at, in) {
		case enough:
			return true
		case aside:
			continue
		}
		for _, d := range in.dirs {
			if !skipped(d) {
				queue = append(queue, path.Join(at, d))
			}
		}
	}
	return true
}

// skipped names folders that hold other people's code, output or samples.
func skipped(name string) bool {
	const others = "node_modules vendor third_party testdata fixtures dist build target out obj " +
		"venv env site-packages __pycache__ coverage Pods deps _build"
	return strings.HasPrefix(name, ".") || tools.Among(others, name)
}

// clean is a path relative to the root, "" for one that leaves it.
func clean(file string) string {
	file = path.Clean(filepath.ToSlash(file))
	if file == "." || path.IsAbs(file) || file == ".." || strings.HasPrefix(file, "../") {
		return ""
	}
	return file
}

func dirOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// up are the folders from dir up to the root.
func up(dir string) (all []string) {
	for ; dir != ""; dir = dirOf(dir) {
		all = append(all, dir)
	}
	return append(all, "")
}

// under tells whether a file lies in a folder or below it.
func under(file, dir string) bool { return dir == "" || strings.HasPrefix(file, dir+"/") }
