package debrief

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/proof"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// check is the check that a command was.
func (t *turn) check(c *call, cmd *command, projects []string) proof.Check {
	v := c.judge(cmd)
	k := proof.Check{Name: cmd.text, Build: cmd.look().tests == 0, Own: c.own, At: c.shows(cmd.at), Outcome: c.outcome(cmd, v)}
	dir, in := t.folder(c, cmd)
	away := t.elsewhere(c, cmd)
	if k.Dir = dir; !in || away != "" {
		k.Dir = path.Join(c.Dir, cmd.Dir)
		k.Runs = []tools.Scope{unread(k.Dir, cmd)}
		if away == "" { // only the shell knows where it ran
			k.Projects = projects
		}
		if cmd.unreadable || !c.stashed(cmd) {
			return k
		}
		if k.Base = true; k.Outcome != proof.Failed { // it looks at how it was before
			k.Outcome = proof.Unknown
		}
	}
	var runs []Run
	k.Runs, k.Plain, runs = t.scopes(dir, cmd)
	k.Projects = within(projects, runs)
	if k.Outcome == proof.Failed {
		s := c.summary()
		if t.model.named += len(s.Failures); t.model.named <= maxNamed {
			for _, f := range s.Failures {
				x := t.place(f, runs)
				if x.File != "" && t.brief(x.File) && !slices.Contains(t.model.Brief, x.File) {
					t.model.Brief = append(t.model.Brief, x.File)
				}
				k.Failures = append(k.Failures, x)
			}
		}
		k.Stops = slices.ContainsFunc(k.Runs, func(s tools.Scope) bool { return s.Stops })
		k.Complete = len(k.Failures) > 0 && !s.More && !c.Cut && s.Failed <= len(k.Failures) && !c.trimmed(cmd)
	}
	return k
}

// outcome is a verdict as the model has it. A failure is one of tests where the
// output says so, or where nothing else on the line can have failed; a line that
// could not run at all is none.
func (c *call) outcome(cmd *command, v verdict) proof.Outcome {
	switch {
	case v.counts && v.sure:
		return proof.Passed
	case v.counts:
		return proof.Presumed
	case !v.failed, c.summary().None && !c.red():
		return proof.Unknown
	case wrong(c.summary().Line) || unavailable(c.summary().Line) || strings.Contains(c.summary().Line, "could not find Cargo.toml") || strings.Contains(c.summary().Line, "could not find `Cargo.toml`"):
		return proof.Unknown
	case c.red():
		return proof.Failed
	case c.succeeded(cmd) != shell.No || wrong(c.Output()) || c.failed() && c.isExpected():
		return proof.Unknown
	case slices.ContainsFunc(c.suspects(), func(x *command) bool { return x.at != cmd.at && x.look().tests == 0 }):
		return proof.Unknown
	}
	return proof.Failed
}

func unread(dir string, cmd *command) tools.Scope {
	return tools.Scope{Unread: true, Words: dir + ": " + cmd.text}
}

// scopes are what a command takes in the end, and whether it is a plain entry.
func (t *turn) scopes(dir string, cmd *command) (scopes []tools.Scope, plain bool, runs []Run) {
	words := cmd.Argv()
	own := Run{Words: words, Dir: dir, Scope: tools.Scope{Places: []tools.Place{{Path: dir}}}}
	if cmd.unreadable {
		return []tools.Scope{unread(dir, cmd)}, false, []Run{own}
	}
	read := true
	if t.Expand != nil {
		runs, read = t.Expand(dir, words)
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

// within are the projects that runs are in: of each place the innermost.
func within(projects []string, runs []Run) (in []string) {
	add := func(dir string) {
		best := ""
		for _, p := range projects {
			if proof.Inside(dir, p) && len(p) > len(best) {
				best = p
			}
		}
		if !slices.Contains(in, best) {
			in = append(in, best)
		}
	}
	for _, r := range runs {
		placed := false
		for _, p := range r.Scope.Places {
			switch p.Shape {
			case tools.Tree, tools.Folder, tools.File:
				if !p.Not {
					add(p.Path)
					placed = true
				}
			case tools.PathPart, tools.PathExpr, tools.PathGlob:
				add(p.Under)
				placed = true
			}
		}
		if !placed {
			add(r.Dir)
		}
	}
	return in
}

// place finds what a runner names as failed in the tree.
func (t *turn) place(f tools.Failure, runs []Run) proof.Failure {
	x := proof.Failure{Test: f.Test, Broken: f.Broken}
	dir := runs[0].Dir
	crate := func(r Run) bool { return len(r.Words) > 0 && tools.Of(r.Words[0]).Ecosystem == "rust" }
	golang := strings.Contains(f.Package, "/") || slices.ContainsFunc(runs, func(r Run) bool { return len(r.Words) > 0 && tools.Of(r.Words[0]).Ecosystem == "go" })
	switch {
	case f.Package != "" && golang:
		x.Package, x.Placed = t.placed(printed{true, f.Package, dir}), true
	case f.Package != "" && f.File == "" && slices.ContainsFunc(runs, crate):
		x.Package, x.Placed = t.crateFolder(f.Package, dir)
	case strings.ContainsAny(f.File, "./"):
		x.File = t.placed(printed{false, f.File, dir})
	}
	x.As = strings.Join(slices.DeleteFunc([]string{f.Package, f.File, f.Test}, func(s string) bool { return s == "" }), " ")
	return x
}

// placed is where a file or a package is, relative to the root. Runs name the same
// ones again and again.
func (t *turn) placed(n printed) string {
	at, ok := t.model.placed[n]
	if !ok {
		if at = t.placeFile(n.name, n.dir); n.pkg {
			at = t.packageFolder(n.name, n.dir)
		}
		t.model.placed[n] = at
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
		if read && len(runs) == 1 && len(runs[0].Scope.Places) == 1 && !runs[0].Scope.Unread && runs[0].Scope.Places[0].Of == "" {
			return runs[0].Scope.Places[0].Path, true
		}
	}
	return "", false
}

// gone tells a file that the turn deleted: one that was there before it, or one
// that an edit tool wrote in it and that is none of what changed.
func (t *turn) gone(file string) bool {
	for _, f := range t.files {
		if f.Path == file {
			return f.Deleted
		}
	}
	return t.renamed(file) != "" && t.editedByTool()[file]
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
		return slices.ContainsFunc(t.files, func(f file) bool { return f.Path == p || f.Home != nil && slices.Contains(f.Home.Own, p) })
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
		folder := proof.Folder(f.Path)
		if tools.EcosystemOf(f.Path) == "go" && len(folder) > len(best) && strings.HasSuffix("/"+pkg, "/"+folder) {
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
