package debrief

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/tools"
)

// maxChecks bounds the checks that are looked at, the newest; maxNamed the failures
// of all of them that are placed in the tree.
const (
	maxChecks = 2000
	maxNamed  = 5000
)

// checks are the turn's, in the order in which they ended. They are found once, when
// the agent's files are known.
func (t *turn) checks() []*check { return t.checked.get(t.findChecks) }

func (t *turn) findChecks() (all []*check) {
	t.places = map[printed]string{}
	projects := t.projects()
	for _, c := range slices.Backward(t.calls) {
		if c.Kind != agent.CallShell || len(all) >= maxChecks {
			continue
		}
		for _, cmd := range slices.Backward(c.commands) {
			contained(func() {
				if k := t.kindOf(cmd); k != noCheck {
					all = append(all, t.check(c, cmd, k, projects))
				} else if c.sums(cmd) {
					all = append(all, &check{
						kind: kindTests, call: c, cmd: cmd, at: c.shows(cmd.at), is: passed, why: "its output sums up that tests passed",
						runs: []tools.Scope{unread("", cmd)}, projects: projects, away: t.elsewhere(c, cmd),
					})
				}
			})
		}
	}
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b *check) int { return a.at.compare(b.at) })
	return all
}

// sums reports whether a command that is not known to run tests has printed the
// complete sum of a runner which says that they passed, whatever started it. Nothing
// else on its line can have printed it.
func (c *call) sums(cmd *command) bool {
	ran := !c.NeverRan && !c.Interrupted
	if !ran || len(c.runners()) > 0 || !cmd.starts() {
		return false
	}
	others := slices.ContainsFunc(c.commands, func(x *command) bool { return x.at != cmd.at && x.starts() })
	s := c.summary()
	whole := !others && !c.Cut && !c.filtered(cmd)
	return c.ok() && whole && s.Green && s.Passed > 0
}

// check is the check that a command was.
func (t *turn) check(c *call, cmd *command, of kind, projects []string) *check {
	k := &check{kind: of, call: c, cmd: cmd, at: c.shows(cmd.at)}
	k.is, k.why = c.went(cmd, of)
	dir, in := t.folder(c, cmd)
	if k.dir, k.away = dir, t.elsewhere(c, cmd); !in || k.away != "" {
		if k.dir = path.Join(c.Dir, cmd.Dir); k.dir == "." {
			k.dir = ""
		}
		k.runs = []tools.Scope{unread(k.dir, cmd)}
		k.projects = projects
		if k.base = !cmd.unreadable && c.stashed(cmd); !k.base {
			return k
		}
	}
	var runs []Run
	k.runs, k.plain, runs = t.scopes(dir, cmd)
	k.projects, k.of = within(projects, runs), ecosystemOfRuns(runs)
	if k.is == failed {
		said := c.said(cmd)
		for _, f := range said.Failures {
			if t.named++; t.named > maxNamed {
				break
			}
			k.failures = append(k.failures, t.place(f, runs))
		}
		k.stops = slices.ContainsFunc(k.runs, func(s tools.Scope) bool { return s.Stops })
		named := len(k.failures) > 0 && !said.More && said.Failed <= len(k.failures)
		k.complete = named && !c.Cut && !c.filtered(cmd)
	}
	return k
}

func unread(dir string, cmd *command) tools.Scope {
	return tools.Scope{Unread: true, Words: dir + ": " + cmd.text}
}

// scopes are what a command takes in the end, and whether it is a plain entry.
func (t *turn) scopes(dir string, cmd *command) (scopes []tools.Scope, plain bool, runs []Run) {
	words := t.local(dir, cmd.Argv())
	own := Run{Words: words, Dir: dir, Scope: tools.Scope{Places: []tools.Place{{Path: dir}}}}
	if cmd.unreadable {
		return []tools.Scope{unread(dir, cmd)}, false, []Run{own}
	}
	read := true
	if t.Expand != nil {
		runs, read = t.Expand(dir, words)
	}
	if file := cmd.testScript(); file != "" && len(runs) == 0 {
		own.Scope = tools.Scope{Places: []tools.Place{{Shape: tools.File, Path: path.Join(dir, strings.TrimPrefix(file, cmd.Dir+"/"))}}}
		return []tools.Scope{own.Scope}, false, []Run{own}
	}
	if len(runs) == 0 {
		// A project's own name for all its tests is whole; nobody has read it.
		if plain, read = cmd.does(tools.Umbrella), true; !plain {
			own.Scope = tools.NewCall(words).Scope().From(dir)
		}
		runs = []Run{own}
	}
	for _, r := range runs {
		scopes, plain = append(scopes, r.Scope), plain || r.Plain
	}
	if !read {
		scopes = append(scopes, unread(dir, cmd))
	}
	return scopes, plain, runs
}

// local are a command's words with the paths into the work tree as they are seen from a
// folder of it: the tree that is looked at may lie elsewhere than the one of the log.
func (t *turn) local(dir string, words []string) []string {
	local := slices.Clone(words)
	for i := 1; i < len(local); i++ {
		if !path.IsAbs(local[i]) {
			continue
		}
		rel, ok := t.relative("", local[i])
		seen, err := filepath.Rel("/"+dir, "/"+rel)
		if !ok || err != nil {
			continue
		}
		if local[i] = filepath.ToSlash(seen); !strings.HasPrefix(seen, ".") {
			local[i] = "./" + local[i]
		}
	}
	return local
}

// within are the projects that runs are in: of each place the innermost.
func within(projects []string, runs []Run) (in []string) {
	for _, r := range runs {
		var dirs []string
		for _, p := range r.Scope.Places {
			switch p.Shape {
			case tools.Tree, tools.Folder, tools.File:
				if !p.Not {
					dirs = append(dirs, p.Path)
				}
			case tools.PathPart, tools.PathExpr, tools.PathGlob:
				dirs = append(dirs, p.Under)
			}
		}
		if len(dirs) == 0 {
			dirs = []string{r.Dir}
		}
		for _, dir := range dirs {
			best := ""
			for _, p := range projects {
				if inside(dir, p) && len(p) > len(best) {
					best = p
				}
			}
			in = union(in, best)
		}
	}
	return in
}

// place finds what a runner names as failed in the tree.
func (t *turn) place(f tools.Failure, runs []Run) failure {
	x := failure{test: f.Test, broken: f.Broken}
	dir := runs[0].Dir
	of := func(ecosystem string) bool {
		return slices.ContainsFunc(runs, func(r Run) bool { return len(r.Words) > 0 && tools.Of(r.Words[0]).Ecosystem == ecosystem })
	}
	switch {
	case f.Package != "" && (strings.Contains(f.Package, "/") || of("go")):
		x.pkg, x.placed = t.placed(printed{true, f.Package, dir}), true
	case f.Package != "" && f.File == "" && of("rust"):
		x.pkg, x.placed = t.crateFolder(f.Package, dir)
	case strings.ContainsAny(f.File, "./"):
		x.file = t.placed(printed{false, f.File, dir})
	}
	x.printed = strings.Join(slices.DeleteFunc([]string{f.Package, f.File, f.Test}, func(s string) bool { return s == "" }), " ")
	return x
}

// placed is where a file or a package is, relative to the root. Runs name the same
// ones again and again.
func (t *turn) placed(n printed) string {
	at, ok := t.places[n]
	if !ok {
		if at = t.placeFile(n.name, n.dir); n.pkg {
			at = t.packageFolder(n.name, n.dir)
		}
		t.places[n] = at
	}
	return at
}

// crateFolder is the folder of a member of a Rust workspace, which cargo names by
// its crate: with _ for each - of the member's name.
func (t *turn) crateFolder(crate, dir string) (folder string, ok bool) {
	if t.Expand == nil {
		return "", false
	}
	for _, name := range []string{crate, strings.ReplaceAll(crate, "_", "-")} {
		runs, read := t.Expand(dir, []string{"cargo", "test", "-p", name})
		if !read || len(runs) != 1 {
			continue
		}
		if s := runs[0].Scope; len(s.Places) == 1 && !s.Unread && s.Places[0].Of == "" {
			return s.Places[0].Path, true
		}
	}
	return "", false
}

// gone tells a file that the turn deleted: one that was there before it, or one
// that an edit tool wrote in it and that is none of what changed.
func (t *turn) gone(path string) bool {
	if at := slices.IndexFunc(t.files, func(f file) bool { return f.Path == path }); at >= 0 {
		return t.files[at].Deleted
	}
	return t.renamed(path) != "" && t.editedByTool()[path]
}

// renamed is the changed file that stands in the place of a deleted one: of the
// same name with another ending, or in another folder; "" for none.
func (t *turn) renamed(gone string) string {
	stem := func(p string) string { return strings.TrimSuffix(p, path.Ext(p)) }
	for _, f := range t.files {
		if !f.Deleted && f.Path != gone && (stem(f.Path) == stem(gone) || path.Base(f.Path) == path.Base(gone)) {
			return f.Path
		}
	}
	return ""
}

// placeFile is a file that a runner in dir names, relative to the root: runners
// name files from where they run or from their project's folder.
func (t *turn) placeFile(name, dir string) string {
	at := t.fileNamed(name, dir)
	if t.gone(at) || t.passing(at) {
		return cmp.Or(t.renamed(at), at)
	}
	return at
}

func (t *turn) fileNamed(name, dir string) string {
	name = path.Clean(slashed(name))
	if path.IsAbs(name) {
		if rel, ok := t.relative("", name); ok {
			return rel
		}
		return name
	}
	known := func(p string) bool {
		return slices.ContainsFunc(t.files, func(f file) bool { return f.Path == p || slices.Contains(f.Home.Own, p) })
	}
	if here := path.Join(dir, name); known(here) || !known(name) {
		return here
	}
	return name
}

// packageFolder is the folder of a Go package, of which a run in dir gives the
// import path. Where no file or place of the turn fits its end, the module is
// taken to be named as most are: host/owner/name, or name alone.
func (t *turn) packageFolder(pkg, dir string) string {
	pkg = strings.TrimSuffix(strings.TrimSuffix(pkg, "_test"), ".test")
	best := ""
	for _, f := range t.files {
		folder := folderOf(f.Path)
		if f.ecosystem == "go" && len(folder) > len(best) && strings.HasSuffix("/"+pkg, "/"+folder) {
			best = folder
		}
	}
	if best != "" {
		return best
	}
	if rest, ok := strings.CutPrefix(pkg, "./"); ok {
		return path.Join(dir, rest)
	}
	parts := strings.Split(pkg, "/")
	skip := 1
	if strings.Contains(parts[0], ".") {
		skip = 3
	}
	return path.Join(append([]string{dir}, parts[min(skip, len(parts)):]...)...)
}
