package checkpoints

import (
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// Complete marks a checkpoint as completed and closes its workflow, so that it
// is no longer offered as unfinished work. Completing twice changes nothing.
func (s *Store) Complete(ctx context.Context, x Selector) (piton.Checkpoint, error) {
	k, err := s.verbs()
	if err != nil {
		return piton.Checkpoint{}, err
	}
	selected, err := s.selector("complete", x)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	c, err := k.Complete(ctx, selected)
	return c, s.failed(err)
}

// Removed is what Delete or Prune did, or with DryRun would do.
type Removed struct {
	Rows       []piton.Verdict // one for each checkpoint that was looked at, with the reason
	Deleted    int
	Archived   int // moved to the archive, where they stay loadable
	FreedBytes int64
	Left       int // still to be done, where Prune stopped early
}

// DeleteOptions limit what Delete deletes.
type DeleteOptions struct {
	OlderThan time.Duration // only checkpoints that are older; 0: all
	DryRun    bool          // report, and change nothing
}

// Delete deletes one checkpoint (Selector.ID), or all of a workflow or a session.
// Children of a deleted checkpoint get the nearest surviving ancestor as their
// parent and stay loadable. The zero Selector is Invalid.
func (s *Store) Delete(ctx context.Context, x Selector, o DeleteOptions) (Removed, error) {
	k, err := s.verbs()
	if err != nil {
		return Removed{}, err
	}
	selected, err := s.selector("delete", x)
	if err == nil && o.OlderThan < 0 {
		err = piton.Errorf(piton.Invalid, "delete", "set DeleteOptions.OlderThan to 0 or more", "the age %s is negative", o.OlderThan)
	}
	if err != nil {
		return Removed{}, err
	}
	r, err := k.Delete(ctx, selected, history.DeleteOptions{OlderThan: o.OlderThan, DryRun: o.DryRun})
	return Removed{Rows: r.Rows, Deleted: r.Deleted, FreedBytes: r.FreedBytes}, s.failed(err)
}

// PruneOptions say what Prune looks at.
type PruneOptions struct {
	Policy      *piton.Retention // nil: the settings'
	AllProjects bool
	Session     string
	MaxTime     time.Duration // stop after this time; 0: at the end
	DryRun      bool          // report, and change nothing
}

// Prune archives and deletes old checkpoints by a retention policy. Heads of
// unfinished work, named checkpoints and completed phases are kept within the
// policy's bounds (docs/spec.md, "prune").
func (s *Store) Prune(ctx context.Context, o PruneOptions) (Removed, error) {
	k, err := s.verbs()
	if err != nil {
		return Removed{}, err
	}
	policy := o.Policy
	if policy == nil {
		if s.policyErr != nil {
			return Removed{}, inGo(s.policyErr)
		}
		policy = &s.policy
	}
	po := history.PruneOptions{Policy: *policy, Project: s.project.ID, Session: o.Session, MaxTime: o.MaxTime, DryRun: o.DryRun}
	if o.AllProjects {
		po.Project = ""
	}
	if err := checkPolicy(*policy, o.MaxTime); err != nil {
		return Removed{}, err
	}
	if o.Session != "" {
		session, err := k.Local.Session(ctx, o.Session)
		if err != nil {
			return Removed{}, s.failed(err)
		}
		po.Session = session.ID
	}
	p, err := k.Prune(ctx, po)
	return Removed{Rows: p.Rows, Deleted: p.Deleted, Archived: p.Archived, FreedBytes: p.FreedBytes, Left: p.Left}, s.failed(err)
}

func checkPolicy(r piton.Retention, most time.Duration) error {
	bounds := []int64{int64(r.Warm), int64(r.WarmFor), int64(r.DeleteAt), int64(r.NamedCap), int64(r.OpenFor), int64(r.OpenCap), int64(r.PerSession), int64(most)}
	if slices.Min(bounds) < 0 {
		return piton.Errorf(piton.Invalid, "prune", "set every bound to 0 or more; 0 sets no bound", "a bound of the policy is negative")
	}
	return nil
}
