package marks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	Removed     int  `json:"removed"`          // how many files it removed
	Reverted    int  `json:"reverted"`         // how many it made as they are in HEAD
	Emptied     int  `json:"emptied"`          // how many it emptied
	Overwritten int  `json:"overwritten"`      // how many it wrote over
	Moved       int  `json:"moved"`            // how many have their bytes in another place of the tree now
	NotKept     int  `json:"not_kept"`         // how many of these cannot come back, because their bytes are not kept
	Unseen      bool `json:"unseen,omitempty"` // its end was not seen: the numbers are of what has changed since then, by whomever
	CanReturn   int  `json:"can_return"`       // how many files an undo brings back now
	mark        mark.Mark
	plan        []mark.Verdict
}

// gone tells of a file that comes back and was taken away, not only written over or moved.
func gone(v mark.Verdict) bool {
	return v.Writes() && v.Loss != mark.Overwritten && v.Loss != mark.Moved
}

// UndoList is what can be undone in a tree.
type UndoList struct {
	Root        string      `json:"root"`                  // the work tree, or the folder without git
	Undos       []UndoEntry `json:"undos"`                 // newest first
	Interrupted *MarkView   `json:"interrupted,omitempty"` // the mark of an undo that was interrupted: `undo --continue` or `undo --abort` ends it
}

// maxLooked bounds the marks that are held against the tree.
const (
	maxLooked  = 1000
	maxUnended = 50
)

// Undos lists what commands took away in the caller's tree, newest first.
func (a Marks) Undos(ctx context.Context, r piton.UndosRequest) (UndoList, error) {
	list, err := in(a, r.Project, func(h here) (UndoList, error) { return h.undos(ctx, r.Limit) })
	if caller.Missing(err) {
		dir, err := a.Path(cmp.Or(r.Project, "."))
		return UndoList{Root: rootOf(dir), Undos: []UndoEntry{}}, err
	}
	return list, err
}

func (h here) undos(ctx context.Context, limit int) (UndoList, error) {
	list := UndoList{Root: h.root, Undos: []UndoEntry{}}
	open, there, err := restore.Interrupted(ctx, h.Store, h.root)
	if err != nil {
		return list, err
	}
	if there {
		v := view(open)
		list.Interrupted = &v
	}
	marks, err := h.acts(ctx)
	if err != nil {
		return list, err
	}
	tree, err := restore.Look(ctx, h.Taker, h.root)
	for i := 0; i < len(marks) && err == nil && len(list.Undos) < cmp.Or(limit, maxLooked); i++ {
		e := UndoEntry{N: len(list.Undos) + 1, mark: marks[i]}
		e.plan, err = tree.Plan(ctx, &e.mark, mark.Wish{})
		e.MarkView = view(e.mark)
		if e.count(); e.Removed+e.Reverted+e.Emptied+e.Overwritten+e.Moved+e.CanReturn > 0 {
			list.Undos = append(list.Undos, e)
		}
	}
	return list, err
}

// lostFor is how long a loss is news.
const lostFor = 24 * time.Hour

// Lost is the newest command that took away files that were not its agent's own, and how many of
// them can be brought back; 0 also where the marks cannot be read: their own verbs say why.
func (a Marks) Lost(ctx context.Context) (e UndoEntry, n int) {
	e, _ = in(a, "", func(h here) (UndoEntry, error) {
		list, err := h.undos(ctx, 20)
		for _, e := range list.Undos {
			if n = h.lost(ctx, e, a.Now().Time); n > 0 {
				return e, nil
			}
		}
		return UndoEntry{}, err
	})
	return e, n
}

// lost is how many files that were not its agent's own a command took away lately, which can be brought back.
func (h here) lost(ctx context.Context, e UndoEntry, now time.Time) (n int) {
	taken := mark.Mark{Left: map[string]mark.Left{}}
	for _, v := range e.plan {
		if gone(v) {
			taken.Left[v.File.Path] = mark.Left{}
		}
	}
	if e.Kind != mark.AtCommand || now.Sub(e.At.Time) > lostFor || len(taken.Left) == 0 {
		return 0
	}
	var first mark.Mark
	prompts, err := h.List(ctx, keep.Query{Root: h.root, Client: e.mark.Client, Kind: mark.AtPrompt, Until: e.mark.At, Limit: 1})
	if err == nil && len(prompts) > 0 {
		first = prompts[0]
	}
	turn, err := h.List(ctx, keep.Query{Client: e.mark.Client, Kind: mark.AtCommand, Since: first.At, Until: e.mark.At, Bare: true})
	if err == nil {
		turn, err = h.Fill(ctx, turn, h.root, taken)
	}
	for _, v := range e.plan {
		if gone(v) && err == nil && !mark.Own(first, turn, v.File) {
			n++
		}
	}
	return n
}

// acts are the marks in this tree before commands and restores that changed what they have, newest first.
func (h here) acts(ctx context.Context) (acts []mark.Mark, err error) {
	all, err := h.List(ctx, keep.Query{Root: h.root, Bare: true})
	unended := 0 // of which a client told no end: those that a person declined, too
	for _, m := range all {
		ended := !m.LookedAt.IsZero()
		act := m.Kind == mark.AtCommand || m.Kind == mark.AtRestore && ended
		if act && !ended {
			unended++
		}
		nothing := ended && len(m.Left) == 0
		if tooMany := !ended && unended > maxUnended; !act || nothing || tooMany {
			continue
		}
		if m, err = h.Filled(ctx, m); err != nil {
			return nil, err
		}
		if acts = append(acts, m); len(acts) == maxLooked {
			break
		}
	}
	return acts, err
}

// count counts what was lost when the command ended, where that was seen, and what comes back now.
func (e *UndoEntry) count() {
	e.Unseen = e.mark.LookedAt.IsZero()
	lost := map[string]mark.Loss{} // by path
	for _, f := range e.mark.Files {
		lost[f.Path] = e.mark.Lost(f)
	}
	for _, v := range e.plan {
		if left, changed := e.mark.Left[v.File.Path]; e.Unseen || changed && left.Seen == v.Now {
			lost[v.File.Path] = v.Loss // git and the whole tree tell more
		}
		if v.Writes() {
			e.CanReturn++
		}
	}
	tally := map[mark.Loss]int{}
	for _, f := range e.mark.Files {
		loss := lost[f.Path]
		if tally[loss]++; loss != mark.Nothing && f.Lacks != "" {
			e.NotKept++
		}
	}
	e.Removed, e.Reverted, e.Emptied, e.Overwritten, e.Moved = tally[mark.Removed], tally[mark.Reverted], tally[mark.Emptied], tally[mark.Overwritten], tally[mark.Moved]
}

// Restoration is what is brought back, or would be.
type Restoration struct {
	MarkView
	Whole   bool       `json:"whole_turn,omitempty"` // all commands of a turn together; the mark is that of the first
	To      string     `json:"to,omitempty"`         // the folder that files are written to; absent: their own places
	Files   []Restored `json:"files"`                // those that are not as they were in the mark
	Returns int        `json:"returns"`              // how many are written
	Left    int        `json:"left"`                 // how many are left as they are
	DryRun  bool       `json:"dry_run"`              // nothing was written
	NotNow  string     `json:"not_now,omitempty"`    // why it would be refused now; absent: it would not be, or a person has to say
	Undo    string     `json:"undo,omitempty"`       // the mark whose undo takes this back (`undo --command`); absent: nothing was written, or into another folder

	mark mark.Mark
	plan []mark.Verdict
	busy error
}

// Busy is why a restore would be refused now; nil: it would not be, or a person has to say.
func (x Restoration) Busy() error { return x.busy }

// Restored is one file.
type Restored struct {
	Path   string      `json:"path"`             // bytes that are not UTF-8 are written as `\xff`
	Action mark.Action `json:"action"`           // what is done with it
	Lost   mark.Loss   `json:"lost,omitempty"`   // what happened to it; absent: nothing, or it is written to another folder
	Reason string      `json:"reason,omitempty"` // why it is left; absent: it is written
	Size   int64       `json:"size"`             // bytes, of what is brought back
}

func restoration(m mark.Mark, plan []mark.Verdict) Restoration {
	x := Restoration{MarkView: view(m), mark: m}
	x.fill(plan)
	return x
}

func (x *Restoration) fill(plan []mark.Verdict) {
	x.Files, x.Returns, x.Left, x.DryRun = []Restored{}, 0, 0, false
	for _, v := range plan {
		x.Files = append(x.Files, Restored{shown(v.File.Path), v.Action, v.Loss, v.Reason, v.File.Size})
		if v.Writes() {
			x.Returns++
		} else {
			x.Left++
		}
	}
	x.plan = plan
}

// notNow adds why what was looked at would be refused now, because an agent is at work.
func (a Marks) notNow(ctx context.Context, h here, x Restoration) Restoration {
	var e *piton.Error
	if x.busy = a.busy(ctx, h, x.ID); errors.As(x.busy, &e) {
		x.NotNow = e.Err.Error()
	}
	return x
}

// PreviewUndo says what an undo would do, exactly.
func (a Marks) PreviewUndo(ctx context.Context, r piton.UndoRequest) (Restoration, error) {
	return in(a, r.Project, func(h here) (Restoration, error) {
		if r.TheirsToo && len(r.Paths) == 0 {
			return Restoration{}, piton.Errorf(piton.Invalid, "undo", "name the files", "--theirs-too needs names of files")
		}
		paths, err := a.within(h.root, r.Paths)
		if err != nil {
			return Restoration{}, err
		}
		wish := mark.Wish{Paths: paths, Theirs: r.TheirsToo}
		m, broken, err := h.choose(ctx, a.Now().Time, r, wish)
		if err != nil {
			return Restoration{}, err
		}
		plan, err := h.plan(ctx, &m, wish)
		for _, path := range broken {
			if wish.Takes(path) {
				plan = append(plan, mark.Verdict{File: mark.File{Path: path}, Action: mark.Leave, Loss: mark.Overwritten, Reason: "something else changed it between the agent's commands"})
			}
		}
		x := restoration(m, plan)
		x.Whole, x.DryRun = r.Turn, true
		return a.notNow(ctx, h, x), err
	})
}

func (h here) plan(ctx context.Context, m *mark.Mark, wish mark.Wish) ([]mark.Verdict, error) {
	tree, err := restore.Look(ctx, h.Taker, h.root)
	if err != nil {
		return nil, err
	}
	return tree.Plan(ctx, m, wish)
}

// Undo brings back what a preview has shown to a person; what has changed since is left.
func (a Marks) Undo(ctx context.Context, shown Restoration) (Restoration, error) {
	return in(a, shown.Root, func(h here) (Restoration, error) {
		if h.root != shown.Root {
			return shown, piton.Errorf(piton.Conflict, "undo", "look what is there now, and undo again", "%s is another folder than the one that was looked at", shown.Root)
		}
		if err := a.mayWrite(ctx, h, shown.ID); err != nil {
			return shown, err
		}
		if _, there, err := restore.Interrupted(ctx, h.Store, h.root); err != nil || there {
			return shown, cmp.Or(err, error(piton.Errorf(piton.Conflict, "undo", "'undo --continue' ends it, 'undo --abort' takes it back", "an earlier undo here was interrupted")))
		}
		id, plan, err := restore.Write(ctx, h.Taker, a.Home(), h.root, shown.mark, shown.plan)
		shown.fill(plan)
		shown.Undo = id
		return shown, err
	})
}

// choose is the mark whose files are to come back: that of one command, or of a turn's together.
func (h here) choose(ctx context.Context, now time.Time, r piton.UndoRequest, wish mark.Wish) (m mark.Mark, broken []string, err error) {
	none := piton.Errorf(piton.NotFound, "undo", "'undo --list' shows what agents' commands changed here", "nothing in %s can be brought back: no agent's command has taken away what was not committed, or it has come back since", h.root)
	if len(wish.Paths) > 0 {
		none.Err = fmt.Errorf("nothing of %s that was lost in %s can be brought back", shown(strings.Join(wish.Paths, ", ")), h.root)
	}
	if r.Turn {
		acts, err := h.turn(ctx)
		if err == nil && len(acts) == 0 {
			err = none
		}
		m, broken = mark.Fold(acts)
		return m, broken, err
	}
	list, err := h.undos(ctx, maxLooked)
	if err != nil {
		return m, nil, err
	}
	has := func(kind mark.Kind, is func(mark.Verdict) bool) func(UndoEntry) bool {
		return func(e UndoEntry) bool {
			return e.Kind == kind && slices.ContainsFunc(e.plan, func(v mark.Verdict) bool { return wish.Takes(v.File.Path) && is(v) })
		}
	}
	named := func(mark.Verdict) bool { return len(wish.Paths) > 0 }
	lost := func(e UndoEntry) bool { return has(mark.AtCommand, gone)(e) && h.lost(ctx, e, now) > 0 }
	// What somebody has lost lately comes first, then what was changed last, then an undo; then why a named file is left.
	wanted := []func(UndoEntry) bool{lost, has(mark.AtCommand, mark.Verdict.Writes), has(mark.AtRestore, mark.Verdict.Writes), has(mark.AtCommand, named)}
	if r.Command != "" {
		none = piton.Errorf(piton.NotFound, "undo", "'undo --list' shows the numbers", "there is no command %s that changed files here", r.Command)
		wanted = []func(UndoEntry) bool{func(e UndoEntry) bool {
			return strconv.Itoa(e.N) == r.Command || strings.HasPrefix(r.Command, mark.Prefix) && strings.HasPrefix(e.ID, r.Command)
		}}
	}
	for _, is := range wanted {
		if i := slices.IndexFunc(list.Undos, is); i >= 0 {
			return list.Undos[i].mark, nil, nil
		}
	}
	return m, nil, none
}

// turn are the commands of the newest turn in this tree that changed something, oldest first.
func (h here) turn(ctx context.Context) (acts []mark.Mark, err error) {
	all, err := h.acts(ctx)
	for _, m := range slices.DeleteFunc(all, func(m mark.Mark) bool { return m.Kind != mark.AtCommand }) {
		if len(acts) == 0 || m.Client == acts[0].Client && m.Turn == acts[0].Turn {
			acts = append(acts, m)
		}
	}
	slices.Reverse(acts)
	return acts, err
}

// within are paths as they stand in a tree.
func (a Marks) within(root string, paths []string) (all []string, err error) {
	for _, p := range paths {
		path, err := a.Path(p)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(root, filepath.Join(keep.Folder(filepath.Dir(path)), filepath.Base(path)))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, piton.Errorf(piton.Invalid, "undo", "name files below "+root, "%s is not in this tree", p)
		}
		all = append(all, filepath.ToSlash(rel))
	}
	return all, nil
}

// SettleUndo ends a restore that was killed: it writes the rest, or with back takes back what was written.
func (a Marks) SettleUndo(ctx context.Context, dir string, back bool) (Restoration, error) {
	return in(a, dir, func(h here) (Restoration, error) {
		m, there, err := restore.Interrupted(ctx, h.Store, h.root)
		if err != nil || !there {
			return Restoration{}, cmp.Or(err, error(piton.Errorf(piton.NotFound, "undo", "'undo' begins a new one", "no undo here was interrupted")))
		}
		if err := a.mayWrite(ctx, h, m.ID); err != nil {
			return Restoration{}, err
		}
		plan, err := restore.Settle(ctx, h.Taker, a.Home(), m, back)
		x := restoration(m, plan)
		if !back {
			x.Undo = m.ID
		}
		return x, err
	})
}
