package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Resumption is all that is needed to go on from a checkpoint.
type Resumption struct {
	Loaded
	Drift []Drift
	Brief string // for the agent that goes on
}

// Resume returns what is needed to go on: from the checkpoint the selector
// names, or from the newest open one of a project. A damaged one is replaced
// by its nearest intact ancestor, and the brief says so. It counts as one
// resume.
func (k Keeper) Resume(ctx context.Context, s Selector) (Resumption, error) {
	var c piton.Checkpoint
	var err error
	if s.ID == "" && s.Name == "" && s.Session == "" && s.Workflow == "" {
		c, err = k.newestOpen(ctx, s.Project)
	} else {
		c, err = k.Find(ctx, s)
	}
	if err != nil {
		return Resumption{}, err
	}
	l, err := k.load(ctx, c, true)
	if err != nil {
		return Resumption{}, err
	}
	r := Resumption{Loaded: l, Drift: []Drift{}}
	if k.Drift != nil {
		r.Drift = append(r.Drift, k.Drift(ctx, l.Checkpoint, l.State)...)
	}
	if r.Brief, err = Brief(r, k.now()); err != nil {
		return Resumption{}, err
	}
	err = k.Store.Save(ctx, func(tx store.Tx) error {
		if err := tx.Count(ctx, "checkpoint_resume_count", 1); err != nil {
			return err
		}
		c := l.Checkpoint
		return tx.Log(ctx, redact.Value(store.EventOf(store.CheckpointResumed, k.now(), c)))
	})
	if err != nil {
		// The person needs the state more than we need the count.
		k.log().WarnContext(ctx, "the resume was not counted", "checkpoint", l.Checkpoint.ID, "err", err)
	}
	return r, nil
}

func (k Keeper) newestOpen(ctx context.Context, project string) (piton.Checkpoint, error) {
	open, _, err := k.Detect(ctx, project, "", 1)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	if len(open) == 0 {
		if c := k.AtWork(ctx, piton.Query{Project: project}); c.ID != "" {
			return piton.Checkpoint{}, piton.Errorf(piton.NotFound, "resume", "if that session has died: 'piton resume "+c.ID+"'",
				"the unfinished work here, %s, is that of a live session, %s", c.ID, c.SessionID)
		}
		return piton.Checkpoint{}, piton.Errorf(piton.NotFound, "resume", "'piton list' shows all checkpoints; 'piton resume ID' takes any of them", "no unfinished work in this project")
	}
	return open[0], nil
}

// Offer is the one line an agent or a person is told of an open checkpoint.
func Offer(c piton.Checkpoint) string {
	if c.PhaseNumber > 0 {
		s := "Checkpoint: Resume from Phase " + itoa(c.PhaseNumber) + "?"
		if c.TaskSummary != "" {
			s += " (" + Summary(c.TaskSummary) + ")"
		}
		return s
	}
	s := "Checkpoint: Resume from " + Summary(c.Step()) + "?"
	if c.TaskSummary != "" && c.TaskSummary != c.Step() {
		s += " (" + Summary(c.TaskSummary) + ")"
	}
	return s
}
