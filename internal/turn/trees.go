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
	f.tests, f.doubts, f.homes, f.runs = testCommands(func() *project.Tests { return project.AtRoot(s.Root) }, s.Root, f.changes.Files, f.was)
	return f
}

// elsewhere adds to a result what the turn's other work trees came to. It starts
// git only for a tree in which the calls name a file as edited.
func (h *handler) elsewhere(ctx context.Context, x *situation, calls []agent.Call, r debrief.Result) debrief.Result {
	x.untested = untested{}.with(x.input, r)
	if !x.input.CallsSeen || x.settings.Mode == debrief.ModeOff {
		return r
	}
	looked := 0
	for _, root := range otherTrees(x.session, x.found) {
		if looked == maxElsewhere {
			h.log().InfoContext(ctx, "not all work trees of the turn were looked at", "session", x.session.ID)
			break
		}
		if in, any := h.inTree(ctx, *x, calls, root); any {
			looked++
			other := debrief.Look(in)
			x.untested = x.untested.with(in, other)
			r = debrief.Join(r, h.place(x.session.Root, root), other, x.input.Exit)
		}
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

// otherTrees are the work trees, besides the session's own, that the calls
// mention: of the same repository, or, where the session is in no repository,
// of any that the edited files lie in.
func otherTrees(s agent.Session, f found) []string {
	root, calls := s.Root, f.script.Calls
	if root == "" || len(calls) == 0 {
		return nil
	}
	var trees []string
	if errors.Is(f.gitErr, git.ErrNoRepo) {
		for _, c := range calls {
			if c.Kind != agent.CallEdit || c.Failed || c.Interrupted {
				continue
			}
			for _, p := range c.Paths {
				if len(trees) > maxElsewhere || slices.ContainsFunc(trees, func(t string) bool { return strings.HasPrefix(p, t+string(filepath.Separator)) }) {
					continue
				}
				if at := treeOf(pathOf(c.Dir, root, p)); at != "" && !slices.Contains(trees, at) {
					trees = append(trees, at)
				}
			}
		}
		return trees
	}
	if f.gitErr != nil {
		return nil
	}
	for _, tree := range (git.Repo{Dir: root}).Trees() {
		if slices.ContainsFunc(calls, func(c agent.Call) bool { return mentions(c, tree) }) {
			trees = append(trees, tree)
		}
	}
	return trees
}

// treeOf is the work tree that a file lies in; "" where it is in none. Folders
// that are gone are passed over.
func treeOf(file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			if at, _, ok := git.Find(dir); ok {
				return at
			}
			return ""
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func pathOf(dir, root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if dir == "" {
		dir = root
	}
	return filepath.Join(dir, path)
}

// mentions reports whether a call names a folder, or ran in it: a first look that
// costs nothing.
func mentions(c agent.Call, folder string) bool {
	base := filepath.Base(folder)
	return strings.Contains(c.Dir, base) || strings.Contains(c.Command, base) || slices.ContainsFunc(c.Paths, func(p string) bool { return strings.Contains(p, base) })
}

// inTree judges what the calls did in another work tree: of its files those that
// they name as edited, because nothing is known of how it was when the turn began.
func (h *handler) inTree(ctx context.Context, x situation, calls []agent.Call, root string) (in debrief.Input, any bool) {
	f := x.found
	f.script.Calls = calls
	f.links = newLinks()
	f.read = debrief.Read(root, calls, f.links.resolve)
	named := f.read.Edits()
	if len(named) == 0 {
		return in, false
	}
	st := h.status(ctx, root)()
	if st.err != nil {
		h.log().InfoContext(ctx, "another work tree was not looked at", "root", root, "err", st.err)
		return in, false
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	base := &git.Baseline{Taken: x.turn.StartedAt.Time}
	if x.found.gitErr == nil {
		base.Head = x.found.base
	}
	if base.Taken.IsZero() {
		base.Head = st.Head // what was committed when is not known
	}
	changes, err := (git.Repo{Dir: root}).Compare(bounded, st.Status, base)
	if err != nil {
		h.log().InfoContext(ctx, "another work tree was not compared", "root", root, "err", err)
		return in, false
	}
	changes.Files = slices.DeleteFunc(changes.Files, func(c git.File) bool { return !slices.Contains(named, c.Path) })
	if len(changes.Files) == 0 {
		return in, false
	}
	f.changes, f.gitErr, f.was, f.thinned = changes, nil, nil, nil
	f.tests, f.doubts, f.homes, f.runs = testCommands(func() *project.Tests { return project.AtRoot(root) }, root, changes.Files, nil)
	s := x.session
	s.Root, s.Seen, s.SeenAll = root, nil, false
	in = h.input(ctx, s, x.settings, x.turn, f, h.at)
	in.Item, in.Planned = "", nil
	return in, true
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
	ctx, cancel := context.WithTimeout(ctx, patience)
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
// cannot be asked: something is missing, or code was changed and no check of it is
// known. In no repository at all, what is missing is asked for by name.
func (x situation) unproven(r debrief.Result) bool {
	if x.found.scriptErr != nil || !x.input.CallsSeen {
		return true
	}
	if len(r.Actions) > 0 {
		return !errors.Is(x.found.gitErr, git.ErrNoRepo)
	}
	return x.untested.n > 0 && !proved(r, x.found)
}
