package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/mark/reach"
	"github.com/piton-project/piton/internal/store"
)

const (
	// slow is how long a mark may take before each command that may change files; in a tree in which
	// it takes longer git is asked only before what is known to destroy something.
	slow      = 400 * time.Millisecond
	maxLine   = 500 // bytes of a command line that a mark keeps
	maxUnseen = 50  // commands without an end in a tree whose files a stop looks at, the newest
)

// guard marks what a tool that is about to run may change. It gives the first mark.
func (h *handler) guard(ctx context.Context, risky bool) (first taken) {
	if h.Marks == nil {
		return first
	}
	for _, t := range reach.Of(h.event, root(h.event), risky) {
		if m := h.marked(ctx, mark.AtCommand, t, 0); first.ID == "" {
			first = m
		}
	}
	return first
}

// joined notes in a mark the checkpoint that was saved ahead of the same command.
func (h *handler) joined(ctx context.Context, t taken) {
	if t.ID == "" || h.saved == "" {
		return
	}
	if err := t.by.Join(t.ID, h.saved); err != nil {
		h.log().WarnContext(ctx, "the mark was not joined with its checkpoint", "err", err)
	}
}

// marker opens what takes marks of a tree; it, or what it gives, is nil where none are taken there.
func (h *handler) marker(root string) func() *keep.Taker {
	if h.Marks == nil || root == "" {
		return nil
	}
	return h.Marks(root)
}

// marked takes a mark, and says in the log why there is none; it never fails the hook. turn is the number of the one that it opens, else 0.
func (h *handler) marked(ctx context.Context, kind mark.Kind, at reach.Target, turn int) taken {
	t := h.prepared(ctx, h.marker(at.Root), kind, at)
	t.Turn = turn
	return h.put(ctx, t)
}

// prepared is a mark that is taken and not kept yet. git works while the store is opened, and its time bounds all.
func (h *handler) prepared(ctx context.Context, open func() *keep.Taker, kind mark.Kind, t reach.Target) (p taken) {
	if open == nil {
		return p
	}
	e := h.event
	m := mark.Mark{Root: t.Root, Kind: kind, At: time.Now(), Origin: mark.Origin{
		Agent: e.Agent, Client: e.ClientID, Subagent: e.Subagent, Tool: e.Tool, Call: e.CallID, Line: h.line(),
	}}
	bounded, cancel := h.patient(ctx)
	defer cancel()
	asked, stop := context.WithCancel(bounded)
	defer stop()
	var status func() gitStatus
	if t.Whole && t.Status == nil {
		status = h.status(asked, t.Root)
	}
	k := open()
	if k == nil {
		h.unkept(ctx, t.Root, errors.New("the store of marks cannot be opened"))
		return p
	}
	mayBeLess := kind == mark.AtCommand && t.Whole && !t.Risky
	if last, err := k.Last(bounded, t.Root); err == nil && mayBeLess && last.Took > slow {
		stop()
		t.Again(last, &m)
	} else if status != nil {
		st := status()
		t.Status, t.Err = &st.Status, st.err
	}
	ready, err := k.Prepare(bounded, m, t.Paths(bounded, h.repo(t.Root), k.Patterns, &m))
	if err != nil {
		h.unkept(ctx, t.Root, err)
	}
	return taken{ready, k}
}

// unkept notes that a mark was not kept, for the log and, at the next stop, for the person.
func (h *handler) unkept(ctx context.Context, root string, err error) {
	h.log().WarnContext(ctx, "no mark of the work tree was kept", "root", root, "err", err)
	if !shown(h.event) {
		h.missed(h.event, fmt.Errorf("files were not marked, so 'piton undo' may not bring them back: %w", err))
	}
}

// line is the command line that a mark keeps.
func (h *handler) line() string { return cut(cleaned(h.event.Command), maxLine) }

// put keeps a mark; what it gives has no id where there is none.
func (h *handler) put(ctx context.Context, t taken) taken {
	if t.ID == "" {
		return taken{}
	}
	if err := t.by.Put(ctx, t.Prepared); err != nil {
		h.unkept(ctx, t.Root, err)
		return taken{}
	}
	if t.by.Size() > t.by.Limits.All && h.Later != nil {
		h.Later("prune", "--max-time", pruneFor)
	}
	return t
}

// lookAfter looks at what a tool that is done has left of the files that were marked before it, while
// the event is recorded. The answer waits for it. Of a command that goes on behind no end is seen.
func (h *handler) lookAfter(ctx context.Context) (wait func() struct{}) {
	e := h.event
	open := h.marker(reach.Tree(e.Cwd, root(e))) // the settings are read here
	works := e.Call == agent.CallShell || e.Call == agent.CallEdit || e.MCP
	if open == nil || e.GoesOn || !works {
		return func() (none struct{}) { return none }
	}
	return soon(func() (none struct{}) {
		bounded, cancel := h.patient(ctx)
		defer cancel()
		k := open()
		if k == nil {
			return none
		}
		if err := h.lookWith(bounded, k); err != nil {
			h.log().WarnContext(ctx, "what a tool left was not looked at", "err", err)
		}
		return none
	})
}

func (h *handler) lookWith(ctx context.Context, k *keep.Taker) error {
	e, line := h.event, h.line()
	open, err := k.List(ctx, keep.Query{Client: e.ClientID, Call: e.CallID, Kind: mark.AtCommand, Open: true, Since: h.at.Add(-e.Took - longest), Bare: true})
	if err != nil {
		return err
	}
	if e.CallID == "" { // then it is the newest of such a call
		open = slices.DeleteFunc(open, func(m mark.Mark) bool { return m.Tool != e.Tool || m.Subagent != e.Subagent || m.Line != line })
	}
	for _, m := range open {
		if e.CallID == "" && m.At.Before(open[0].At.Add(-sameCommand)) {
			break // of an earlier one, whose end was not told
		}
		if m, err = k.Filled(ctx, m); err == nil {
			_, err = k.See(ctx, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	longest     = 24 * time.Hour  // a command whose end is told later has no mark
	sameCommand = 2 * time.Second // the marks of one command, one for each tree, are taken in this time
)

// turnIn are the marks of a turn in one work tree: the first, and those of commands that may have taken something away.
type turnIn struct {
	first  mark.Mark
	acts   []mark.Mark // their end was seen
	unseen []mark.Mark // others
}

// lost is what a person is told at the end of a turn, a line for each work tree: what its commands took
// away of what was not committed when it began; "" for nothing. now is the mark of the stop.
func (h *handler) lost(ctx context.Context, turn agent.Turn, now taken) string {
	if now.ID == "" || turn.StartedAt.IsZero() {
		return ""
	}
	marks, err := now.by.List(ctx, keep.Query{Client: now.Client, Since: turn.StartedAt.Add(-time.Second), Bare: true})
	trees, roots := map[string]*turnIn{}, []string{}
	for _, m := range marks { // newest first
		if m.Turn > 0 && m.Turn < turn.N {
			continue
		}
		t := trees[m.Root]
		if t == nil {
			t = &turnIn{}
			trees[m.Root], roots = t, append(roots, m.Root)
		}
		if t.first.Kind == mark.AtPrompt {
			continue // it is of the turn before
		}
		t.first = m
		switch {
		case m.Kind != mark.AtCommand:
		case m.LookedAt.IsZero() && len(t.unseen) < maxUnseen:
			t.unseen = append(t.unseen, m)
		case tookAway(m, now.Mark):
			t.acts = append(t.acts, m)
		}
	}
	said := ""
	for _, root := range roots {
		text, errTold := trees[root].told(ctx, marks, now)
		if err = errors.Join(err, errTold); text != "" {
			said = joinLines(said, agent.Prefix+text+".")
		}
	}
	if err != nil {
		h.log().WarnContext(ctx, "the marks cannot be read", "err", err)
	}
	return said
}

// told is what a person is told of a tree; commands are all of the turn.
func (t *turnIn) told(ctx context.Context, commands []mark.Mark, now taken) (string, error) {
	acts := slices.Concat(t.unseen, t.acts)
	if len(acts) == 0 {
		return "", nil
	}
	first, err := now.by.Filled(ctx, t.first)
	for i, m := range acts {
		filled, errAct := now.by.Filled(ctx, m)
		acts[i], err = filled, errors.Join(err, errAct)
	}
	end, undo := now.Mark, "'piton undo'"
	if t.first.Root != now.Root {
		end, undo = mark.Mark{Root: t.first.Root}, "'piton undo --project "+shownName(t.first.Root)+"'"
	}
	bounded, cancel := context.WithTimeout(ctx, slow)
	defer cancel()
	end, errEnd := now.by.Again(bounded, end, acts)
	for i := range t.unseen {
		acts[i].Left = acts[i].GoneBy(end)
	}
	commands, errFill := now.by.Fill(ctx, commands, t.first.Root, acts...)
	if err = errors.Join(err, errEnd, errFill); err != nil {
		return "", err
	}
	return mark.Ended{First: first, Commands: commands, Acts: acts, Now: end, Undo: undo}.Told(), nil
}

// tookAway tells whether a command may have taken away what was there; now is the mark of the stop.
func tookAway(m, now mark.Mark) bool {
	for path, l := range m.Left {
		clean := now.Whole && now.Root == m.Root && !now.Has(path)
		if l.Missing || l.AsInHead || l.Size == 0 || clean {
			return true
		}
	}
	return false
}

// markedAtStop takes a mark of the work tree that an agent leaves, while the turn is judged.
func (h *handler) markedAtStop(ctx context.Context, status func() gitStatus) func() taken {
	t := reach.Target{Root: root(h.event), Whole: true}
	open := h.marker(t.Root) // the settings are read here
	return soon(func() taken {
		if st := status(); st.dir == t.Root {
			t.Status, t.Err = &st.Status, st.err
		}
		return h.prepared(ctx, open, mark.AtStop, t)
	})
}

// taken is a mark that is not kept yet, and what keeps it.
type taken struct {
	keep.Prepared
	by *keep.Taker
}

// afterStop keeps a stop's mark, with its checkpoint where there is one, and says what the turn's commands took away.
func (h *handler) afterStop(ctx context.Context, x situation, t taken, p *store.Prepared) string {
	if p != nil {
		t.Checkpoint = p.Record.ID
	}
	return h.lost(ctx, x.turn, h.put(ctx, t))
}

func joinLines(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// lacking tells a person at a session's first prompt which files could not be brought back; "" for none.
func (h *handler) lacking(ctx context.Context, t taken) string {
	lacks := t.Lacking()
	if len(lacks) == 0 {
		return ""
	}
	if before, err := t.by.List(ctx, keep.Query{Client: t.Client, Kind: mark.AtPrompt, Limit: 2, Bare: true}); err != nil || len(before) > 1 {
		return ""
	}
	more := ""
	if n := len(lacks) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%snot kept, so 'piton undo' could not bring it back: `%s` (%s)%s. 'piton mark' lists what is not kept (said once for this session).",
		agent.Prefix, inline(lacks[0].Path), lacks[0].Lacks, more)
}
