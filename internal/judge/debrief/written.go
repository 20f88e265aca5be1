package debrief

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/tools"
)

// Written are the files of a turn of which nothing but its calls is known: those
// that they name as written or removed, in the order of their names. Patterns are
// left out. is tells whether a path that a command names is a file at all; nil:
// its name decides.
func (r *Reading) Written(is func(path string) bool) []File {
	if is == nil {
		is = fileName
	}
	t := r.read()
	edited, found, new := t.editedByTool(), map[string]File{}, map[string]bool{}
	for _, c := range t.calls {
		for _, e := range c.edits {
			if c.removes(e) {
				for path, f := range found {
					if strings.HasPrefix(path, e.path+"/") && (f.Created || new[path]) {
						delete(found, path)
					}
				}
			}
			if e.path == "." || e.command >= 0 && !edited[e.path] && (strings.ContainsAny(e.path, "*?[{$`") || litter(e.path) || !is(e.path)) {
				continue
			}
			f, known := found[e.path]
			gone := c.removes(e)
			switch {
			case !known && c.Created:
				f.Created = true
			case !known:
				new[e.path] = e.command >= 0 && !gone // a command that writes a file begins it, as far as can be told
			}
			if gone && (f.Created || new[e.path]) {
				delete(found, e.path) // it came and went
				continue
			}
			f.Path, f.Deleted, f.ModTime = e.path, gone, c.moment(e.command).At
			found[e.path] = f
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// editedByTool are the paths that an edit tool names.
func (t *turn) editedByTool() map[string]bool {
	paths := map[string]bool{}
	for _, c := range t.calls {
		for _, e := range c.edits {
			paths[e.path] = paths[e.path] || c.Kind == agent.CallEdit
		}
	}
	return paths
}

// removes tells whether an edit takes the file away.
func (c *call) removes(e edit) bool {
	if e.command < 0 || e.command >= len(c.commands) || !c.ok() {
		return false
	}
	cmd := c.commands[e.command]
	if cmd.matches("mv", "git mv") { // what is moved stands before the place it goes to
		last := cmd.Words[len(cmd.Words)-1]
		to, _ := c.turn.relative(c.Dir, path.Join(cmd.Dir, last))
		return e.path != to && len(cmd.Words) > 2
	}
	return cmd.matches("rm", "git rm", "unlink")
}

// fileName tells a file's name from a folder's: it has an extension, or is one that
// a tool knows.
func fileName(p string) bool {
	base := path.Base(p)
	return path.Ext(strings.TrimLeft(base, ".")) != "" || tools.EcosystemOf(p) != "" || slices.Contains(profiles().Bare, base)
}

// litter tells what builds and package managers write, or what git never lists.
func litter(p string) bool {
	return slices.ContainsFunc(profiles().Litter, func(glob string) bool { return match(glob, p) })
}

// throwaway are the names that people give to a test which they only try
// something with.
var throwaway = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^a-z])(zz+|xx+|te?mp|scratch|debug|dbg|repro|probe|throwaway|sandbox)([^a-z]|$)`)
})

// triedOut reports whether what failed lies in a test file that the turn made to
// try something, and took away again. Any other test that failed and is gone stays
// open: it may be the one that was right.
func (t *turn) triedOut(f failure) bool {
	return f.file != "" && throwaway().MatchString(path.Base(f.file)) && t.passing(f.file)
}

// passing tells whether the turn made a file and took it away again, or gave it
// another name: it never was part of the work, and git does not name it.
func (t *turn) passing(file string) bool {
	if slices.ContainsFunc(t.Files, func(f File) bool { return f.Path == file && !(f.Created && f.Deleted) }) {
		return false
	}
	made, gone := false, false
	for _, c := range t.calls {
		for _, e := range c.edits {
			if e.path == file {
				gone = c.removes(e)
				made = made || !gone
			}
		}
	}
	return made && gone
}
