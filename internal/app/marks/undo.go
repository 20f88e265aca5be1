package marks

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/mark/restore"
)

// UndoEntry is a command that took something away, or an undo.
type UndoEntry struct {
	N int `json:"n"` // its number, from 1, the newest
	MarkView
	Removed     int `json:"removed"`     // how many files it removed
	Reverted    int `json:"reverted"`    // how many it made as they are in HEAD
	Emptied     int `json:"emptied"`     // how many it emptied
	Overwritten int `json:"overwritten"` // how many it wrote over
	NotKept     int `json:"not_kept"`    // how many of these cannot come back, because their bytes are not kept
	CanReturn   int `json:"can_return"`  // how many files an undo brings back now
	mark        mark.Mark
	plan        []mark.Verdict
}

// has tells whether an undo of the command does such a thing with a file that is asked for.
func (e UndoEntry) has(w mark.Wish, is func(mark.Verdict) bool) bool {
	return slices.ContainsFunc(e.plan, func(v mark.Verdict) bool { return w.Takes(v.File.Path) && is(v) })
}

// gone tells of a file that comes back and was taken away, not only written over.
func gone(v mark.Verdict) bool { return writes(v) && v.Loss != mark.Overwritten }

// UndoList is what can be undone in a tree.
type UndoList struct {
	Root        string      `json:"root"`                  // the work tree, or the folder without git
	Undos       []UndoEntry `json:"undos"`                 // newest first
	Interrupted *MarkView   `json:"interrupted,omitempty"` // the mark of an undo that was interrupted: `undo --continue` or `undo --abort` ends it
}

// maxLooked bounds the marks that are held against the tree.
const maxLooked = 200

// Undos lists what commands took away in the caller's tree, newest first.
func (a Marks) Undos(ctx context.Context, r piton.UndosRequest) (UndoList, error) {
	h, err := a.open(r.Project, true)
	if caller.Missing(err) {
		root, errRoot := a.root(r.Project)
		return UndoList{Root: root, Undos: []UndoEntry{}}, errRoot
	}
	if err != nil {
		return UndoList{}, err
	}
	defer h.close()
	return h.undos(ctx, r.Limit)
}

func (h here) undos(ctx context.Context, limit int) (UndoList, error) {
	list := UndoList{Root: h.root, Undos: []UndoEntry{}}
	if m, there, err := restore.Interrupted(ctx, h.Store, h.root); err != nil {
		return list, err
	} else if there {
		v := view(m)
		list.Interrupted = &v
	}
	marks, err := h.acts(ctx)
	if err != nil {
		return list, err
	}
	tree, err := restore.Look(ctx, h.root, h.Limits.File)
	if err != nil {
		return list, err
	}
	prompts, err := h.List(ctx, keep.Query{Root: h.root, Kind: mark.AtPrompt, Bare: true})
	if err != nil {
		return list, err
	}
	for _, m := range marks {
		m.Turn = turnOf(m, prompts)
		e := UndoEntry{MarkView: view(m), mark: m}
		if e.plan, err = tree.Plan(ctx, m, mark.Wish{}); err != nil {
			return list, err
		}
		e.count()
		if e.Removed+e.Reverted+e.Emptied+e.Overwritten+e.CanReturn == 0 {
			continue
		}
		e.N = len(list.Undos) + 1
		if list.Undos = append(list.Undos, e); len(list.Undos) == limit {
			break
		}
	}
	return list, nil
}

// lostFor is how long a loss is news.
const lostFor = 24 * time.Hour

// Lost is the newest command that took away files that were there when its turn began, and how many of
// them can be brought back.
func (a Marks) Lost(ctx context.Context) (e UndoEntry, n int) {
	h, err := a.open("", true)
	if err != nil {
		return e, 0 // its own verbs say why
	}
	defer h.close()
	list, err := h.undos(ctx, 20)
	if err != nil {
		return e, 0
	}
	for _, e := range list.Undos {
		first, err := h.List(ctx, keep.Query{Root: h.root, Client: e.mark.Client, Kind: mark.AtPrompt, Until: e.mark.At, Limit: 1})
		if err != nil || e.Kind != mark.AtCommand || a.Now().Sub(e.At.Time) > lostFor {
			continue
		}
		for _, v := range e.plan {
			there := len(first) == 0 // else what was made in that turn is the agent's own
			if !there {
				_, there = first[0].Find(v.File.Path)
			}
			if there && gone(v) {
				n++
			}
		}
		if n > 0 {
			return e, n
		}
	}
	return e, 0
}

// turnOf is the number of the turn in which a mark was taken; prompts are those of the tree, newest first.
func turnOf(m mark.Mark, prompts []mark.Mark) int {
	for _, p := range prompts {
		if p.Client == m.Client && p.Client != "" && !p.At.After(m.At) {
			return p.Turn
		}
	}
	return 0
}

// acts are the marks in this tree before commands and restores that changed what they have, newest first.
func (h here) acts(ctx context.Context) (acts []mark.Mark, err error) {
	bare, err := h.List(ctx, keep.Query{Root: h.root, Bare: true})
	if err != nil {
		return nil, err
	}
	for _, m := range bare {
		if m.Kind != mark.AtCommand && m.Kind != mark.AtRestore || !m.LookedAt.IsZero() && len(m.Left) == 0 || m.LookedAt.IsZero() && m.Kind == mark.AtRestore {
			continue
		}
		all, err := h.List(ctx, keep.Query{ID: m.ID})
		if err != nil {
			return nil, err
		}
		if acts = append(acts, all...); len(acts) == maxLooked {
			break
		}
	}
	return acts, nil
}

// count counts what was lost when the command ended, where that was seen, and what comes back now.
func (e *UndoEntry) count() {
	tally := map[mark.Loss]int{}
	for _, v := range e.plan {
		if e.mark.LookedAt.IsZero() {
			tally[v.Loss]++
			e.NotKept += lacking(v.File)
		}
		if writes(v) {
			e.CanReturn++
		}
	}
	for path := range e.mark.Left {
		if f, known := e.mark.Find(path); known && !e.mark.LookedAt.IsZero() {
			tally[e.mark.Lost(f)]++
			e.NotKept += lacking(f)
		}
	}
	e.Removed, e.Reverted, e.Emptied, e.Overwritten = tally[mark.Removed], tally[mark.Reverted], tally[mark.Emptied], tally[mark.Overwritten]
}

// lacking is 1 for a file whose bytes are not kept.
func lacking(f mark.File) int {
	if f.Lacks != "" {
		return 1
	}
	return 0
}

func writes(v mark.Verdict) bool { return v.Action == mark.BringBack || v.Action == mark.Remove }

// Restoration is what is brought back, or would be.
type Restoration struct {
	MarkView
	Whole   bool       `json:"whole_turn,omitempty"` // all commands of a turn together; the mark is that of the first
	To      string     `json:"to,omitempty"`         // the folder that files are written to; absent: their own places
	Files   []Restored `json:"files"`                // those that are not as they were in the mark
	Returns int        `json:"returns"`              // how many are written
	Left    int        `json:"left"`                 // how many are left as they are
	DryRun  bool       `json:"dry_run"`              // nothing was written
	Undo    string     `json:"undo,omitempty"`       // the mark whose undo takes this back (`undo --command`); absent: nothing was written, or into another folder

	mark mark.Mark
	plan []mark.Verdict
}

// Restored is one file.
type Restored struct {
	Path   string      `json:"path"`             // bytes that are not UTF-8 are written as `\xff`
	Action mark.Action `json:"action"`           // what is done with it
	Lost   mark.Loss   `json:"lost,omitempty"`   // what happened to it; absent: nothing, or it is written to another folder
	Reason string      `json:"reason,omitempty"` // why it is left; absent: it is written
	Size   int64       `json:"size"`             // bytes, of what is brought back
}

func (x *Restoration) fill(plan []mark.Verdict) {
	x.Files, x.Returns, x.Left = []Restored{}, 0, 0
	for _, v := range plan {
		if v.Action == mark.Same {
			continue
		}
		x.Files = append(x.Files, Restored{shown(v.File.Path), v.Action, v.Loss, v.Reason, v.File.Size})
		if writes(v) {
			x.Returns++
		} else {
			x.Left++
		}
	}
	x.plan = plan
}

// PreviewUndo says what an undo would do, exactly.
func (a Marks) PreviewUndo(ctx context.Context, r piton.UndoRequest) (Restoration, error) {
	h, err := a.open(r.Project, true)
	if err != nil {
		return Restoration{}, err
	}
	defer h.close()
	x, err := a.undo(ctx, h, r)
	x.DryRun = true
	return x, err
}

// Undo brings back what a preview has shown to a person; what has changed since is left.
func (a Marks) Undo(ctx context.Context, shown Restoration) (Restoration, error) {
	return a.write(ctx, shown)
}

func (a Marks) write(ctx context.Context, x Restoration) (Restoration, error) {
	h, err := a.open(x.Root, true)
	if err != nil {
		return x, err
	}
	defer h.close()
	if err := a.mayWrite(ctx, h.root); err != nil {
		return x, err
	}
	if _, there, err := restore.Interrupted(ctx, h.Store, h.root); err != nil || there {
		return x, cmp.Or(err, error(piton.Errorf(piton.Conflict, "undo", "'undo --continue' ends it, 'undo --abort' takes it back", "an earlier undo here was interrupted")))
	}
	id, plan, err := restore.Write(ctx, h.Taker, a.Home(), h.root, x.mark, x.plan)
	x.fill(plan)
	x.DryRun, x.Undo = false, id
	return x, err
}

// undo chooses what is undone, and plans it.
func (a Marks) undo(ctx context.Context, h here, r piton.UndoRequest) (x Restoration, err error) {
	wish := mark.Wish{Theirs: r.TheirsToo}
	if wish.Paths, err = a.within(h.root, r.Paths); err != nil {
		return x, err
	}
	if wish.Theirs && len(wish.Paths) == 0 {
		return x, piton.Errorf(piton.Invalid, "undo", "name the files", "--theirs-too needs names of files")
	}
	m, broken, err := h.choose(ctx, r, wish)
	if err != nil {
		return x, err
	}
	tree, err := restore.Look(ctx, h.root, h.Limits.File)
	if err != nil {
		return x, err
	}
	plan, err := tree.Plan(ctx, m, wish)
	if err != nil {
		return x, err
	}
	for _, path := range broken {
		if wish.Takes(path) {
			plan = append(plan, mark.Verdict{File: mark.File{Path: path}, Action: mark.Leave, Loss: mark.Overwritten, Reason: "something else changed it between the agent's commands"})
		}
	}
	x = Restoration{MarkView: view(m), Whole: r.Turn, mark: m}
	x.fill(plan)
	return x, nil
}

// choose is the mark whose files are to come back: that of one command, or of a turn's together.
func (h here) choose(ctx context.Context, r piton.UndoRequest, wish mark.Wish) (m mark.Mark, broken []string, err error) {
	none := piton.Errorf(piton.NotFound, "undo", "'undo --list' shows what agents' commands changed here", "nothing that was lost in %s can be brought back", h.root)
	if r.Turn {
		acts, err := h.turn(ctx)
		if err == nil && len(acts) == 0 {
			err = none
		}
		if err != nil {
			return m, nil, err
		}
		m, broken = mark.Fold(acts)
		return m, broken, nil
	}
	list, err := h.undos(ctx, maxLooked)
	if err != nil {
		return m, nil, err
	}
	if r.Command != "" {
		for _, e := range list.Undos {
			if strconv.Itoa(e.N) == r.Command || e.ID == r.Command || strings.HasPrefix(e.ID, r.Command) && strings.HasPrefix(r.Command, mark.Prefix) {
				return e.mark, nil, nil
			}
		}
		return m, nil, piton.Errorf(piton.NotFound, "undo", "'undo --list' shows the numbers", "there is no command %s that changed files here", r.Command)
	}
	// What is gone comes first, then what was written over, then an undo; then why a named file is left.
	for _, wanted := range []struct {
		kind mark.Kind
		is   func(mark.Verdict) bool
	}{
		{mark.AtCommand, gone}, {mark.AtCommand, writes}, {mark.AtRestore, writes},
		{mark.AtCommand, func(mark.Verdict) bool { return len(wish.Paths) > 0 }},
	} {
		i := slices.IndexFunc(list.Undos, func(e UndoEntry) bool { return e.Kind == wanted.kind && e.has(wish, wanted.is) })
		if i >= 0 {
			return list.Undos[i].mark, nil, nil
		}
	}
	return m, nil, none
}

// turn are the commands of the newest turn in this tree that changed something, oldest first.
func (h here) turn(ctx context.Context) (acts []mark.Mark, err error) {
	all, err := h.acts(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m mark.Mark) bool { return m.Kind != mark.AtCommand })
	if len(all) == 0 {
		return nil, nil
	}
	client := all[0].Client
	prompts, err := h.List(ctx, keep.Query{Client: client, Kind: mark.AtPrompt, Bare: true})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(prompts, func(m mark.Mark) bool { return m.At.Before(all[0].At) })
	for _, m := range all {
		if m.Client == client && (i < 0 || m.At.After(prompts[i].At)) {
			acts = append(acts, m)
		}
	}
	slices.Reverse(acts)
	return acts, nil
}

// within are paths as they stand in a tree.
func (a Marks) within(root string, paths []string) (all []string, err error) {
	for _, p := range paths {
		path, err := a.Path(p)
		if err != nil {
			return nil, err
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, piton.Errorf(piton.Invalid, "undo", "name files below "+root, "%s is not in this tree", p)
		}
		all = append(all, filepath.ToSlash(rel))
	}
	return all, nil
}

// SettleUndo ends a restore that was killed: it writes the rest, or with back takes back what was written.
func (a Marks) SettleUndo(ctx context.Context, dir string, back bool) (x Restoration, err error) {
	h, err := a.open(dir, true)
	if err != nil {
		return x, err
	}
	defer h.close()
	m, there, err := restore.Interrupted(ctx, h.Store, h.root)
	if err != nil || !there {
		return x, cmp.Or(err, error(piton.Errorf(piton.NotFound, "undo", "'undo' begins a new one", "no undo here was interrupted")))
	}
	if err := a.mayWrite(ctx, h.root); err != nil {
		return x, err
	}
	plan, err := restore.Settle(ctx, h.Taker, a.Home(), m, back)
	x = Restoration{MarkView: view(m), mark: m}
	x.fill(plan)
	if !back {
		x.Undo = m.ID
	}
	return x, err
}
