package turn

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/store"
)

// Marker takes the marks of a work tree.
type Marker struct {
	keep.Taker
	Keep []string // patterns of ignored files that are kept too
}

const (
	// slow is how long a mark may take before each command that may change files; in a tree in which
	// it takes longer only what is known to destroy something is marked.
	slow = 400 * time.Millisecond
	// maxTargets bounds the work trees that are marked before one command.
	maxTargets = 3
	// Bounds of a folder that a command names: what is in it is kept too, ignored or not.
	maxInFolder   = 500
	maxFolderSize = 20 << 20
	maxLine       = 500 // bytes of a command line that a mark keeps
)

// target is what of a work tree is to be marked.
type target struct {
	root   string
	whole  bool        // all that is dirty
	status *git.Status // nil: not asked for yet
	named  []string    // absolute paths, of files, folders and patterns
	all    bool        // ignored files too
	risky  bool
}

// guard marks what a tool that is about to run may change. It gives the id of the first mark, "" for none.
func (h *handler) guard(ctx context.Context, risky bool) (id string) {
	if h.Marks == nil {
		return ""
	}
	for _, t := range h.targets(risky) {
		if m := h.marked(ctx, mark.AtCommand, t); id == "" {
			id = m.ID
		}
	}
	return id
}

// targets are the work trees that a tool can change files of, with what it names there.
func (h *handler) targets(risky bool) []target {
	e, here := h.event, treeOrFolder(h.event)
	switch {
	case e.Call == agent.CallEdit:
		return merged(nil, here, e.Cwd, e.Paths, target{})
	case e.Call != agent.CallShell || e.Command == "":
		return nil
	}
	found, err := shell.Parse(e.Command)
	if err != nil {
		return []target{{root: here, whole: true, risky: true}} // it may be anything
	}
	var all []target
	for _, c := range found {
		if !c.MayEdit() || c.Away != nil && c.Away.Apart {
			continue
		}
		dir := filepath.Join(e.Cwd, filepath.FromSlash(c.Dir))
		if filepath.IsAbs(c.Dir) {
			dir = c.Dir
		}
		root := here
		if r, _, ok := git.Find(dir); ok {
			root = r
		}
		all = merged(all, root, e.Cwd, c.Edits(), target{whole: true, risky: risky, all: cleansIgnored(c)})
	}
	return all
}

// treeOrFolder is the work tree in which a tool works: that of the folder where the client is now, which
// may be another than the session's.
func treeOrFolder(e agent.Event) string {
	if r, _, ok := git.Find(e.Cwd); ok {
		return r
	}
	return root(e)
}

// cleansIgnored tells of a git clean that removes ignored files too.
func cleansIgnored(c shell.Command) bool {
	i := slices.Index(c.Words, "clean")
	return i > 0 && c.Words[0] == "git" && slices.ContainsFunc(c.Words[i:], func(w string) bool {
		return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "xX")
	})
}

// merged adds to targets a tree, as like says, and the files named, each in the tree that it lies in.
func merged(all []target, root, cwd string, named []string, like target) []target {
	at := func(root string) *target {
		for i := range all {
			if all[i].root == root {
				return &all[i]
			}
		}
		if len(all) == maxTargets || root == "" {
			return nil
		}
		all = append(all, target{root: root})
		return &all[len(all)-1]
	}
	if t := at(root); t != nil {
		t.whole, t.all, t.risky = t.whole || like.whole, t.all || like.all, t.risky || like.risky
	}
	for _, name := range named {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		tree := root
		if !isInside(root, path) {
			tree, _, _ = git.Find(filepath.Dir(path))
		}
		if t := at(tree); t != nil {
			t.named = append(t.named, path)
		}
	}
	return slices.DeleteFunc(all, func(t target) bool { return !t.whole && len(t.named) == 0 })
}

func isInside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// marked takes a mark, and says in the log why there is none; it never fails the hook. Its time is git's.
func (h *handler) marked(ctx context.Context, kind mark.Kind, t target) (m mark.Mark) {
	k := h.marker(t.root)
	if k == nil {
		return m
	}
	return h.take(ctx, k, kind, t)
}

// marker is what takes marks of a tree; nil: none are taken there.
func (h *handler) marker(root string) *Marker {
	if h.Marks == nil || root == "" {
		return nil
	}
	return h.Marks(root)
}

func (h *handler) take(ctx context.Context, k *Marker, kind mark.Kind, t target) (m mark.Mark) {
	begun := time.Now()
	bounded, cancel := h.patient(ctx)
	defer cancel()
	if kind == mark.AtCommand && t.whole && !t.risky {
		if last, err := k.List(ctx, keep.Query{Root: t.root, Limit: 1, Bare: true}); err == nil && len(last) > 0 && last[0].Took > slow {
			return m
		}
	}
	e := h.event
	m = mark.Mark{Root: t.root, Kind: kind, At: begun, Origin: mark.Origin{Agent: e.Agent, Client: e.ClientID, Subagent: e.Subagent, Tool: e.Tool, Line: cut(cleaned(e.Command), maxLine)}}
	paths := h.paths(bounded, k, t, &m)
	m, err := k.Take(bounded, m, paths)
	if err != nil {
		h.log().WarnContext(ctx, "no mark of the work tree was taken", "root", t.root, "err", err)
		return mark.Mark{}
	}
	if k.Size() > k.Limits.All && h.Later != nil {
		h.Later("prune", "--max-time", pruneFor)
	}
	return m
}

// paths are those of a mark: what is dirty, what the command names, and what the settings say.
func (h *handler) paths(ctx context.Context, k *Marker, t target, m *mark.Mark) []keep.Path {
	var paths []keep.Path
	_, _, tracked := git.Find(t.root)
	if t.whole && tracked && t.status == nil {
		st, err := h.repo(t.root).Status(ctx)
		if err != nil {
			h.log().InfoContext(ctx, "git could not say what is changed", "root", t.root, "err", err)
			m.Partial = "git could not say what is changed"
		}
		t.status = &st
	}
	if t.status != nil {
		m.Head, m.Branch = t.status.Head, cleaned(t.status.Branch)
		if t.status.Bounded {
			m.Partial = t.status.Reason
		}
		paths = keep.Dirty(*t.status)
	}
	for _, pattern := range k.Keep {
		there, _ := filepath.Glob(filepath.Join(escaped(t.root), filepath.FromSlash(pattern)))
		t.named = append(t.named, there...)
	}
	for _, name := range t.named {
		paths = append(paths, namedIn(t.root, name)...)
	}
	if t.all && tracked {
		ignored, err := h.repo(t.root).Ignored(ctx)
		if err != nil {
			m.Partial = "git could not say what is ignored"
		}
		for _, p := range ignored {
			lacks := ""
			if strings.HasSuffix(p, "/") {
				lacks = "a folder of ignored files"
			}
			paths = append(paths, keep.Path{Path: p, Lacks: lacks})
		}
	}
	return slices.DeleteFunc(paths, func(p keep.Path) bool { return cleaned(p.Path) != p.Path })
}

// namedIn are the files below the root that a path or a pattern stands for; a folder stands for what is in it.
func namedIn(root, name string) (all []keep.Path) {
	found := []string{name}
	if _, err := os.Lstat(name); err != nil && strings.ContainsAny(name, "*?[") {
		if found, _ = filepath.Glob(name); len(found) > maxInFolder {
			found = found[:maxInFolder]
		}
	}
	for _, path := range found {
		rel, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			continue
		}
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			all = append(all, keep.Path{Path: filepath.ToSlash(rel)})
			continue
		}
		inside, whole := inFolder(root, path)
		if all = append(all, inside...); !whole {
			all = append(all, keep.Path{Path: filepath.ToSlash(rel) + "/", Lacks: "not all that is in this folder: it is too large"})
		}
	}
	return all
}

// escaped is a path as a pattern that stands for it alone.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// inFolder are the files in a folder; whole is false where there are more than are kept.
func inFolder(root, folder string) (all []keep.Path, whole bool) {
	var size int64
	whole = true
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir():
			if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil || d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		if len(all) == maxInFolder || size > maxFolderSize {
			whole = false
			return fs.SkipAll
		}
		if rel, err := filepath.Rel(root, path); err == nil {
			all = append(all, keep.Path{Path: filepath.ToSlash(rel)})
		}
		return nil
	})
	return all, whole
}

// lookAfter looks at what a tool that is done has left of the files that were marked before it.
func (h *handler) lookAfter(ctx context.Context) {
	e := h.event
	if h.Marks == nil || e.Call != agent.CallShell && e.Call != agent.CallEdit {
		return
	}
	k := h.marker(treeOrFolder(e))
	if k == nil {
		return
	}
	q := keep.Query{Client: e.ClientID, Kind: mark.AtCommand, Open: true, Since: h.at.Add(-e.Took - longest)}
	open, err := k.List(ctx, q)
	if err != nil {
		h.log().WarnContext(ctx, "the marks cannot be read", "err", err)
		return
	}
	line := cut(cleaned(e.Command), maxLine)
	open = slices.DeleteFunc(open, func(m mark.Mark) bool {
		return m.Tool != e.Tool || m.Subagent != e.Subagent || line != "" && m.Line != line
	})
	bounded, cancel := h.patient(ctx)
	defer cancel()
	for _, m := range open {
		if m.At.Before(open[0].At.Add(-sameCommand)) {
			break // of an earlier command whose end was not told
		}
		if _, err := k.See(bounded, m); err != nil {
			h.log().WarnContext(ctx, "what a command left was not looked at", "root", m.Root, "err", err)
		}
	}
}

const (
	longest     = 24 * time.Hour  // a command whose end is told later has no mark
	sameCommand = 2 * time.Second // the marks of one command, one for each tree, are taken in this time
)

// lost is what a person is told at the end of a turn: what its commands took away of what was not
// committed when it began; "" for nothing. now is the mark of the stop.
func (h *handler) lost(ctx context.Context, s agent.Session, turn agent.Turn, now mark.Mark) string {
	k := h.marker(now.Root)
	if now.ID == "" || k == nil || turn.StartedAt.IsZero() {
		return ""
	}
	marks, err := k.List(ctx, keep.Query{Root: now.Root, Client: s.ClientID, Since: turn.StartedAt.Add(-time.Second), Bare: true})
	if err != nil {
		h.log().WarnContext(ctx, "the marks cannot be read", "err", err)
		return ""
	}
	var first mark.Mark
	var acts []mark.Mark
	for _, m := range marks { // newest first
		if took := slices.ContainsFunc(slices.Collect(maps.Values(m.Left)), tookAway); m.Kind == mark.AtPrompt || took {
			if all, err := k.List(ctx, keep.Query{ID: m.ID}); err == nil && len(all) == 1 {
				m = all[0]
			}
			if m.Kind == mark.AtPrompt {
				first = m
			} else {
				acts = append(acts, m)
			}
		}
	}
	return mark.Told(first, acts, now)
}

// tookAway tells whether a command may have taken away what was there.
func tookAway(l mark.Left) bool { return l.Missing || l.AsInHead || l.Size == 0 }

// markedAtStop marks the work tree that an agent leaves, while the turn is judged. The answer waits for it.
func (h *handler) markedAtStop(ctx context.Context, status func() gitStatus) func() mark.Mark {
	t := target{root: root(h.event), whole: true}
	k := h.marker(t.root)
	if k == nil {
		return func() mark.Mark { return mark.Mark{} }
	}
	return soon(func() mark.Mark {
		if st := status(); st.err == nil && st.dir == t.root {
			t.status = &st.Status
		}
		return h.take(ctx, k, mark.AtStop, t)
	})
}

// afterStop joins a stop's mark with its checkpoint, where there is one, and says what the turn's commands took away.
func (h *handler) afterStop(ctx context.Context, x situation, m mark.Mark, p *store.Prepared) string {
	if m.ID == "" {
		return ""
	}
	if p != nil {
		if err := h.Marks(m.Root).Join(m.ID, p.Record.ID); err != nil {
			h.log().WarnContext(ctx, "the mark was not joined with its checkpoint", "err", err)
		}
	}
	return h.lost(ctx, x.session, x.turn, m)
}

func joinLines(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }
