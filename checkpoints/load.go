package checkpoints

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// Loaded is a checkpoint with its state.
type Loaded struct {
	piton.Checkpoint
	State json.RawMessage // compact JSON, byte for byte as it was saved
	// RecoveredFrom is the damaged checkpoint that this one stands in for, and
	// Why what is wrong with it. Both are empty unless LoadNearest or Resume took
	// an ancestor.
	RecoveredFrom, Why string
}

// Decode decodes the state into v, as json.Unmarshal does.
func (l Loaded) Decode(v any) error {
	if err := json.Unmarshal(l.State, v); err != nil {
		return &piton.Error{Code: piton.Invalid, Op: "decode the state of " + l.ID, Hint: "decode it into the type it was saved from", Err: err}
	}
	return nil
}

// Load returns a checkpoint with its state. NotFound when there is none, Corrupt
// when it is damaged: a wrong state is never returned.
func (s *Store) Load(ctx context.Context, x Selector) (Loaded, error) { return s.load(ctx, x, false) }

// LoadNearest is Load, but returns the nearest intact ancestor of a damaged
// checkpoint.
func (s *Store) LoadNearest(ctx context.Context, x Selector) (Loaded, error) {
	return s.load(ctx, x, true)
}

func (s *Store) load(ctx context.Context, x Selector, nearest bool) (Loaded, error) {
	k, err := s.verbs()
	if err != nil {
		return Loaded{}, err
	}
	selected, err := s.selector("load", x)
	if err != nil {
		return Loaded{}, err
	}
	l, err := k.Load(ctx, selected, nearest)
	return loadedAs(l), s.failed(err)
}

func loadedAs(l history.Loaded) Loaded {
	return Loaded{Checkpoint: l.Checkpoint, State: l.State, RecoveredFrom: l.RecoveredFrom, Why: l.Why}
}

// Resumption is what an agent needs to continue from a checkpoint.
type Resumption struct {
	Loaded
	Brief string  // a text for the agent that continues
	Drift []Drift // how the work tree differs from what was recorded
}

// Drift is one difference between the work tree now and at the checkpoint.
type Drift struct {
	What, Was, Is string
}

// Resume returns a checkpoint, or the nearest intact ancestor of a damaged one,
// with a brief for the agent that continues. The zero Selector takes the newest
// unfinished checkpoint of the project.
func (s *Store) Resume(ctx context.Context, x Selector) (Resumption, error) {
	k, err := s.verbs()
	if err != nil {
		return Resumption{}, err
	}
	r, err := k.Resume(ctx, s.selected(x))
	out := Resumption{Loaded: loadedAs(r.Loaded), Brief: r.Brief}
	for _, d := range r.Drift {
		out.Drift = append(out.Drift, Drift{d.What, d.Was, d.Is})
	}
	return out, s.failed(err)
}

// Filter selects checkpoints of a list. The zero Filter selects all of the
// store's project.
type Filter struct {
	AllProjects bool
	Workflow    string // a workflow's id or name
	Session     string // a session's id, Piton's or the client's
	Branch      string
	Name        string // of the checkpoint
	Tag         string
	Trigger     piton.Trigger
	Agent       string // whose hooks saved it: claude, gemini or codex
	Open        bool   // only heads of unfinished workflows
	Completed   *bool  // only those that are, or are not, completed
	Since       time.Time
	Until       time.Time // created before; zero: no bound
	Limit       int       // 0: no limit
}

func (f Filter) check() error {
	const op = "list"
	switch {
	case f.Limit < 0:
		return piton.Errorf(piton.Invalid, op, "set Filter.Limit to a number, or 0 for all", "the limit %d is negative", f.Limit)
	case f.Trigger != "" && !slices.Contains(piton.Triggers, f.Trigger):
		return piton.Errorf(piton.Invalid, op, "use one of piton.Triggers", "there is no trigger %q", f.Trigger)
	}
	return nil
}

// page is how many checkpoints List reads at a time.
const page = 200

// List yields checkpoints, newest first, without their states. It reads them
// page by page and ends at the first error.
func (s *Store) List(ctx context.Context, f Filter) iter.Seq2[piton.Checkpoint, error] {
	return func(yield func(piton.Checkpoint, error) bool) {
		k, err := s.verbs()
		if err == nil {
			err = f.check()
		}
		if err != nil {
			yield(piton.Checkpoint{}, err)
			return
		}
		q := piton.Query{
			Workflow: f.Workflow, Session: f.Session, Branch: f.Branch, Name: f.Name, Tag: f.Tag, Trigger: f.Trigger, Agent: f.Agent,
			Open: f.Open, Completed: f.Completed, Since: piton.At(f.Since), Until: piton.At(f.Until), Project: s.project.ID,
		}
		if f.AllProjects {
			q.Project = ""
		}
		for left := f.Limit; ; {
			q.Limit = page
			if f.Limit > 0 {
				q.Limit = min(page, left)
			}
			p, err := k.List(ctx, q)
			if err != nil {
				yield(piton.Checkpoint{}, s.failed(err))
				return
			}
			for _, c := range p.Checkpoints {
				if !yield(c, nil) {
					return
				}
			}
			left -= len(p.Checkpoints)
			if p.Next == 0 || f.Limit > 0 && left <= 0 {
				return
			}
			q.Before = p.Next
		}
	}
}

// Difference is the change from one checkpoint's state to another's.
type Difference struct {
	From, To piton.Checkpoint
	Patch    json.RawMessage // RFC 6902; [] when the states are equal
}

// Diff compares the states of two checkpoints, given by their ids.
func (s *Store) Diff(ctx context.Context, from, to string) (Difference, error) {
	k, err := s.verbs()
	if err != nil {
		return Difference{}, err
	}
	d, err := k.Compare(ctx, from, to)
	return Difference{From: d.From, To: d.To, Patch: d.Patch}, s.failed(err)
}
