package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
)

// A turn's work need not lie in its session's work tree: it may be in another
// tree of the same repository, on a branch that was left, in the repositories of
// a folder that is none itself, or in no repository at all (docs/spec.md,
// "Changed files"). All this is looked for only where the calls name files that
// git does not show as changed.

// maxElsewhere bounds the other work trees that are judged at one stop.
const maxElsewhere = 3

// beyond adds the files that git does not show as changed, and that are the turn's
// work all the same: those on a branch that was left, and, where git cannot be
// asked, those that the calls name.
func (h *handler) beyond(ctx context.Context, s agent.Session, turn agent.Turn, f found) found {
	var more []git.File
	switch {
	case f.scriptErr != nil || s.Root == "":
	case f.gitErr != nil:
		more = f.named(s.Root, otherTrees(s, f))
	default:
		if more = h.onLeftBranches(ctx, s, turn, f); len(more) > 0 {
			f.away = more
		}
	}
	if len(more) == 0 {
		return f
	}
	f.changes.Files = append(slices.Clip(f.changes.Files), more...)
	slices.SortFunc(f.changes.Files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	f.facts(func() *project.Tests { return project.AtRoot(s.Root) }, s)
	return f
}

// elsewhere adds to a result what the turn's other work trees came to. It starts
// git only for a tree in which the calls name a file as edited, or in which work is
// open. A tree that cannot be judged is named last: nothing is called clear then.
func (h *handler) elsewhere(ctx context.Context, x *situation, calls []agent.Call, r debrief.Result) debrief.Result {
	if !x.input.CallsSeen || x.settings.Mode == debrief.ModeOff {
		return r
	}
	var unjudged []string
	x.trees = nil
	for i, root := range otherTrees(x.session, x.found) {
		place := h.place(x.session.Root, root)
		in, any, err := h.inTree(ctx, *x, calls, root)
		switch {
		case err != nil || any && i >= maxElsewhere:
			h.log().InfoContext(ctx, "another work tree of the turn was not judged", "session", x.session.ID, "root", root, "err", err)
			unjudged = append(unjudged, place)
		case any:
			x.trees = append(x.trees, root)
			r = debrief.Join(r, place, debrief.Look(in))
		}
	}
	for _, place := range unjudged {
		r = debrief.Unjudged(r, place)
		r.OnlyAdded = false
	}
	return r
}

// place is what another tree is called: its path from the session's root, where
// that is short, else its whole path.
func (h *handler) place(root, tree string) string {
	if rel, err := filepath.Rel(root, tree); err == nil && strings.Count(rel, "..") <= 2 {
		return filepath.ToSlash(rel)
	}
	return tree
}

// otherTrees are the work trees, besides the session's own, that the turn's files
// lie in: those in which work is open, those of the same repository that the calls
// mention, and those of other repositories that hold a file which a call names as
// written.
func otherTrees(s agent.Session, f found) (trees []string) {
	root, calls := s.Root, f.script.Calls
	if root == "" {
		return nil
	}
	for _, n := range s.Open {
		if tree := treeOfNeed(root, n); tree != root && there(tree) && !slices.Contains(trees, tree) {
			trees = append(trees, tree)
		}
	}
	if len(calls) == 0 {
		return trees
	}
	in := func(file string) bool {
		return slices.ContainsFunc(trees, func(t string) bool { return strings.HasPrefix(file, t+string(filepath.Separator)) })
	}
	if f.gitErr == nil {
		for _, tree := range (git.Repo{Dir: root}).Trees() {
			if !slices.Contains(trees, tree) && slices.ContainsFunc(calls, func(c agent.Call) bool { return mentions(c, tree) }) {
				trees = append(trees, tree)
			}
		}
	}
	files := slices.Clip(f.read.Outside())
	if errors.Is(f.gitErr, git.ErrNoRepo) {
		for _, p := range f.read.Edits() {
			files = append(files, filepath.Join(root, filepath.FromSlash(p)))
		}
	}
	for _, file := range files {
		if len(trees) > maxElsewhere || in(file) || !filepath.IsAbs(file) {
			continue
		}
		if at := treeOf(file); at != "" && at != root && !slices.Contains(trees, at) {
			trees = append(trees, at)
		}
	}
	return trees
}

// mentions reports whether a call names a folder, or ran in it: a first look that
// costs nothing.
func mentions(c agent.Call, folder string) bool {
	base := filepath.Base(folder)
	return strings.Contains(c.Dir, base) || strings.Contains(c.Command, base) || slices.ContainsFunc(c.Paths, func(p string) bool { return strings.Contains(p, base) })
}

// inTree is what the rules are asked about another work tree: of its files those that
// the calls name as edited, because nothing is known of how it was when the turn began,
// and those that work before left open there.
func (h *handler) inTree(ctx context.Context, x situation, calls []agent.Call, root string) (in debrief.Input, any bool, err error) {
	f := x.found
	f.script.Calls = calls
	f.links = newLinks()
	f.read = debrief.Read(root, calls, f.links.resolve)
	named, open := f.read.Edits(), needsIn(x.session, root)
	if len(named)+len(open) == 0 {
		return in, false, nil
	}
	st := h.status(ctx, root)()
	if st.err != nil {
		return in, false, st.err
	}
	bounded, cancel := h.patient(ctx)
	defer cancel()
	base := &git.Baseline{Taken: x.turn.StartedAt.Time}
	if x.found.gitErr == nil && git.RepositoryOf(root) == git.RepositoryOf(x.session.Root) {
		base.Head = x.found.base
	}
	switch {
	case base.Taken.IsZero():
		base.Head = st.Head // what was committed when is not known
	case base.Head == "" && st.Head != "":
		if base.Head, err = (git.Repo{Dir: root}).HeadAt(bounded, base.Taken); err != nil {
			return in, false, err
		}
	}
	changes, err := (git.Repo{Dir: root}).Compare(bounded, st.Status, base)
	if err != nil {
		return in, false, err
	}
	changes.Files = slices.DeleteFunc(changes.Files, func(c git.File) bool { return !slices.Contains(named, c.Path) })
	if len(changes.Files)+len(open) == 0 {
		return in, false, nil
	}
	f.changes, f.gitErr, f.was, f.thinned, f.away = changes, nil, nil, nil, nil
	f.base, f.dirty = base.Head, nil
	s := x.session
	s.Root, s.Seen, s.SeenAll, s.Open = root, nil, false, open
	f.facts(func() *project.Tests { return project.AtRoot(root) }, s)
	in = h.input(ctx, s, x.settings, x.turn, f, h.at)
	in.Item, in.Planned = "", nil
	return in, true, nil
}

// onLeftBranches are the files that the calls name as edited and that this turn committed
// on a branch which is not checked out now. It starts git only where the calls
// commit, and name a file that is not among those that differ.
func (h *handler) onLeftBranches(ctx context.Context, s agent.Session, turn agent.Turn, f found) []git.File {
	if f.gitErr != nil || f.base == "" || !f.read.Commits() {
		return nil
	}
	changed := map[string]bool{}
	for _, c := range f.changes.Files {
		changed[c.Path] = true
	}
	missing := slices.DeleteFunc(f.read.Edits(), func(p string) bool { return changed[p] })
	if len(missing) == 0 {
		return nil
	}
	ctx, cancel := h.patient(ctx)
	defer cancel()
	files, err := (git.Repo{Dir: s.Root}).Left(ctx, turn.StartedAt.Time, f.base, f.changes.Head)
	if err != nil {
		h.log().InfoContext(ctx, "branches that were left were not looked at", "session", s.ID, "err", err)
		return nil
	}
	return slices.DeleteFunc(files, func(c git.File) bool { return !slices.Contains(missing, c.Path) })
}

// named are the files that the calls name as edited, as they are now: all that is
// known where git cannot tell.
func (f found) named(root string, elsewhere []string) []git.File {
	var files []git.File
	for _, p := range f.read.Edits() {
		at := filepath.Join(root, filepath.FromSlash(p))
		if slices.ContainsFunc(elsewhere, func(tree string) bool { return strings.HasPrefix(at, tree+string(filepath.Separator)) }) {
			continue
		}
		file := git.File{Path: p, Code: "M."}
		info, err := os.Lstat(at)
		switch {
		case err != nil:
			file.Deleted = true
		case info.IsDir():
			continue
		default:
			file.ModTime = info.ModTime()
		}
		if slices.ContainsFunc(f.script.Calls, func(c agent.Call) bool {
			return c.Created && slices.ContainsFunc(c.Paths, func(q string) bool { return pathOf(c.Dir, root, q) == at })
		}) {
			file.Code = "A."
		}
		files = append(files, file)
	}
	return files
}

// unproven reports whether the agent must be asked to look at its work, where git
// cannot be asked: its log cannot be read either, or code was changed and no check of
// it is known. What the log shows to be missing is asked for by name.
func (x situation) unproven(r debrief.Result) bool {
	if x.found.scriptErr != nil || !x.input.CallsSeen {
		return true
	}
	return len(r.Actions) == 0 && slices.ContainsFunc(r.Facts, func(f debrief.Fact) bool { return f.Class == debrief.ClassUnknown })
}
