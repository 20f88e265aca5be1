package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

// Resumption is all that is needed to go on from a checkpoint.
type Resumption struct {
	Loaded
	Drift []Drift
	Since *Since // what its session did after the save; nil where none is known, or newer checkpoints tell
	Brief string // for the agent that goes on
}

// Resume returns what is needed to go on: from the checkpoint the selector
// names, or from the newest open one of a project. A damaged one is replaced
// by its nearest intact ancestor, and the brief says so. It counts as one
// resume.
func (k Keeper) Resume(ctx context.Context, s Selector) (Resumption, error) {
	find := k.Find
	if s.ID == "" && s.Name == "" && s.Session == "" && s.Workflow == "" {
		find = k.newestOpen
	}
	c, err := find(ctx, s)
	if err != nil {
		return Resumption{}, err
	}
	l, err := k.load(ctx, c, true)
	if err != nil {
		return Resumption{}, err
	}
	c = l.Checkpoint
	r := Resumption{Loaded: l, Drift: []Drift{}}
	if k.Drift != nil {
		r.Drift = append(r.Drift, k.Drift(ctx, c, l.State)...)
	}
	if k.Since != nil && k.newest(ctx, r) {
		r.Since = k.Since(ctx, c, l.State)
	}
	if r.Brief, err = k.brief(ctx, r); err != nil {
		return Resumption{}, err
	}
	err = k.Store.Save(ctx, func(tx store.Tx) error {
		if err := tx.Count(ctx, k.now(), c.Project, store.Counted{Name: store.ResumeCount, N: 1}); err != nil {
			return err
		}
		return tx.Log(ctx, redact.Value(store.EventOf(store.CheckpointResumed, k.now(), c)))
	})
	if err != nil {
		// The person needs the state more than we need the count.
		k.log().WarnContext(ctx, "the resume was not counted", "checkpoint", c.ID, "err", err)
	}
	return r, nil
}

// newest reports whether a checkpoint, or the damaged one that it stands in for,
// is the last of its workflow: what came after another one, the next tells.
func (k Keeper) newest(ctx context.Context, r Resumption) bool {
	head, err := k.Store.Head(ctx, r.Checkpoint.WorkflowID, "")
	return err == nil && (head.ID == r.Checkpoint.ID || head.ID == r.RecoveredFrom)
}

// newestOpen is the newest open head of the selector's project.
func (k Keeper) newestOpen(ctx context.Context, s Selector) (piton.Checkpoint, error) {
	open, _, err := k.Detect(ctx, s.Project, "", 1)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	if len(open) > 0 {
		return open[0], nil
	}
	if c := k.AtWork(ctx, piton.Query{Project: s.Project}); c.ID != "" {
		return piton.Checkpoint{}, piton.Errorf(piton.NotFound, "resume", "if that session has died: 'resume "+c.ID+"'",
			"the unfinished work here, %s, is that of a live session, %s", c.ID, c.SessionID)
	}
	if runs := k.working(ctx, s.Project); len(runs) > 0 {
		return piton.Checkpoint{}, piton.Errorf(piton.NotFound, "resume", "'runs show "+runs[0].ID+"' shows how it stands",
			"the unfinished work here is that of run %s, which process %d works on", runs[0].ID, runs[0].Owner.PID)
	}
	return piton.Checkpoint{}, NothingOpen()
}

// ErrNothingOpen is why nothing can be resumed where no checkpoint was named.
var ErrNothingOpen = errors.New("no unfinished work in this project")

// NothingOpen is ErrNothingOpen with what to do.
func NothingOpen() error {
	return &piton.Error{Code: piton.NotFound, Op: "resume", Hint: "'list' shows all checkpoints; 'resume ID' takes any of them", Err: ErrNothingOpen}
}

// Brief writes what an agent needs to go on (states.Brief).
func Brief(r Resumption, now piton.Time) (string, error) {
	return states.Brief(resumed(r), now)
}

// brief is Brief with the name of a store that the commands in it do not find by
// themselves.
func (k Keeper) brief(ctx context.Context, r Resumption) (string, error) {
	x := resumed(r)
	x.Store = k.Named
	if runs := k.Store.Runs(); runs != nil {
		by, err := runs.MadeBy(ctx, r.Checkpoint.ID)
		x.Elsewhere = err == nil && by == ""
	}
	return states.Brief(x, k.now())
}

func resumed(r Resumption) states.Resumed {
	var changed []string
	for _, d := range r.Drift {
		changed = append(changed, fmt.Sprintf("%s: was %s, is %s", d.What, cmp.Or(d.Was, "none"), cmp.Or(d.Is, "none")))
	}
	return states.Resumed{Checkpoint: r.Checkpoint, State: r.State, RecoveredFrom: r.RecoveredFrom, Changed: changed, Since: r.Since}
}

// Offer is the one line an agent or a person is told of an open checkpoint.
func Offer(c piton.Checkpoint) string {
	from, task := states.Summary(c.Step()), c.TaskSummary
	if c.PhaseNumber > 0 {
		from = fmt.Sprintf("Phase %d", c.PhaseNumber)
	} else if task == c.Step() {
		task = ""
	}
	if task != "" {
		task = " (" + piton.FenceLine(states.Summary(task)) + ")"
	}
	return "Checkpoint: Resume from " + named(from) + "?" + task
}

// named is a name in a sentence: in quotes where the sentence could seem to end in it.
func named(name string) string {
	if name = piton.FenceLine(name); strings.ContainsAny(name, "?!:;\"") || strings.Contains(name, ". ") {
		return `"` + strings.ReplaceAll(name, `"`, "'") + `"`
	}
	return name
}
