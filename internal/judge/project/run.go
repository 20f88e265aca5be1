package project

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// run is a command that runs in a folder, with what it takes seen from the root.
func (t *Tests) run(f *folder, words []string) Run {
	s := tools.NewCall(words).Scope()
	s = s.Placed(t.home(f, words), func(of string) (string, bool) { return t.member(f, of) })
	root := strings.TrimSuffix(t.root, "/") + "/"
	for i, p := range s.Places {
		if rest, ok := strings.CutPrefix(p.Path, root); ok {
			s.Places[i].Path = rest
		}
	}
	imports(f, &s)
	t.crates(f, words, &s)
	return Run{Words: words, Dir: f.dir, Scope: s}
}

// home is the folder of what a run takes: where it runs, or for what was built in
// a folder of its own the project above that.
func (t *Tests) home(f *folder, words []string) string {
	if tools.Of(words[0]).Does&(tools.Outside|tools.Configured) == 0 {
		return f.dir
	}
	at := f.nearest(func(at *folder) bool { return at.has("CMakeLists.txt|meson.build|Makefile|configure|WORKSPACE") })
	if at == nil {
		return ""
	}
	return at.dir
}

// imports puts Go packages that are named by their import paths in their folders.
func imports(f *folder, s *tools.Scope) {
	if !slices.ContainsFunc(s.Places, func(p tools.Place) bool { return p.Shape == tools.Import }) {
		return
	}
	var module []string
	at := f.nearest(func(at *folder) bool {
		module = goModule().FindStringSubmatch(at.read("go.mod"))
		return module != nil
	})
	for i, p := range s.Places {
		base, all := strings.CutSuffix(p.Path, "/...")
		if at == nil || p.Shape != tools.Import {
			continue
		}
		if rest, ok := strings.CutPrefix(base+"/", module[1]+"/"); ok {
			s.Places[i] = tools.Place{Shape: tools.Folder, Path: path.Join(at.dir, rest)}
			if all {
				s.Places[i].Shape = tools.Tree
			}
		}
	}
}

var goModule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`) })
