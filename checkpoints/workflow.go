package checkpoints

import (
	"context"

	"github.com/piton-project/piton"
)

// Workflow saves and loads states of one type under one name. T is any type that
// encoding/json encodes as an object. One program at a time should work on a
// workflow: the saves of two are all kept, in one line. Where the second must be
// refused, use SaveAfter.
type Workflow[T any] struct {
	Store  *Store
	Name   string
	Branch string // empty: piton.MainBranch
}

// Save saves a state after a step; step names it and may be empty.
func (w Workflow[T]) Save(ctx context.Context, step string, state T) (Saved, error) {
	if err := w.check(); err != nil {
		return Saved{}, err
	}
	return w.Store.Save(ctx, piton.SaveRequest{Workflow: w.Name, Branch: w.Branch, StepName: step}, state)
}

// SaveAfter is Save for a program that is not alone: it saves only where parent, the
// id of the checkpoint that the program continues from (Saved.ID, or that of Load),
// is still the newest. Conflict where another program has saved since: load again
// and decide. Save takes what is the newest as its parent.
func (w Workflow[T]) SaveAfter(ctx context.Context, parent, step string, state T) (Saved, error) {
	if err := w.check(); err != nil {
		return Saved{}, err
	}
	if parent == "" {
		return Saved{}, piton.Errorf(piton.Invalid, "save to "+w.Name, "give the id of the checkpoint that this one follows, or use Save", "no parent was given")
	}
	return w.Store.Save(ctx, piton.SaveRequest{Workflow: w.Name, Branch: w.Branch, Parent: parent, StepName: step}, state)
}

// Latest returns the state to continue from: the one that was saved last. found is
// false, and the state is zero, where nothing was saved yet or the last run called
// Complete: the program starts from the beginning then. Call it when the program
// starts.
func (w Workflow[T]) Latest(ctx context.Context) (state T, found bool, err error) {
	var none T
	state, c, err := w.Load(ctx)
	if piton.CodeOf(err) == piton.NotFound || err == nil && c.Completed {
		return none, false, nil
	}
	return state, err == nil, err
}

// Load returns the state that was saved last, completed or not, with its checkpoint.
// NotFound where nothing was saved yet.
func (w Workflow[T]) Load(ctx context.Context) (state T, c piton.Checkpoint, err error) {
	if err := w.check(); err != nil {
		return state, c, err
	}
	l, err := w.Store.Load(ctx, Selector{Workflow: w.Name, Branch: w.Branch})
	if err == nil {
		err = l.Decode(&state)
	}
	return state, l.Checkpoint, err
}

// Complete marks the workflow as done, so that it is no longer offered as
// unfinished work.
func (w Workflow[T]) Complete(ctx context.Context) error {
	if err := w.check(); err != nil {
		return err
	}
	_, err := w.Store.Complete(ctx, Selector{Workflow: w.Name, Branch: w.Branch})
	return err
}

func (w Workflow[T]) check() error {
	switch {
	case w.Store == nil:
		return piton.Errorf(piton.Invalid, "use a workflow", "set Workflow.Store to what checkpoints.Open returned", "the workflow has no store")
	case w.Name == "":
		return piton.Errorf(piton.Invalid, "use a workflow", "set Workflow.Name", "the workflow has no name")
	}
	return nil
}
