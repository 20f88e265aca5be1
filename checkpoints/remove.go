package checkpoints

import (
	"context"
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
	return k.Complete(ctx, s.selector(x))
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
	r, err := k.Delete(ctx, s.selector(x), history.DeleteOptions(o))
	return Removed{Rows: r.Rows, Deleted: r.Deleted, FreedBytes: r.FreedBytes}, err
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
			return Removed{}, s.policyErr
		}
		policy = &s.policy
	}
	po := history.PruneOptions{Policy: *policy, Project: s.project.ID, Session: o.Session, MaxTime: o.MaxTime, DryRun: o.DryRun}
	if o.AllProjects {
		po.Project = ""
	}
	p, err := k.Prune(ctx, po)
	return Removed{Rows: p.Rows, Deleted: p.Deleted, Archived: p.Archived, FreedBytes: p.FreedBytes, Left: p.Left}, err
}
