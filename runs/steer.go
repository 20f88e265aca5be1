package runs

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
)

// Run is a run as the store has it.
type Run = piton.Run

// ResumeRun continues a run by its id with the plan that the store keeps; an empty id
// is the newest unfinished run of the project. NotFound where there is none, Conflict
// where it has ended or another process works on it.
func (s *Store) ResumeRun(ctx context.Context, id string, o Options) (Outcome, error) {
	return s.work(ctx, o, planruns.RunRequest{RunRequest: piton.RunRequest{Resume: true}, Ref: id})
}

// List lists the runs of the project, the newest first; open: only unfinished ones.
func (s *Store) List(ctx context.Context, open bool) ([]Run, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	list, err := s.app.Runs(ctx, piton.RunsRequest{Open: open, InProject: piton.InProject{Project: "."}})
	all := make([]Run, 0, len(list.Runs))
	for _, r := range list.Runs {
		all = append(all, r.Run)
	}
	return all, inGo(err)
}

// Pause asks whoever works on a run to stop after its running steps; where nobody
// does, it is paused at once. Conflict where there is nothing to pause.
func (s *Store) Pause(ctx context.Context, id string) error {
	return s.steer(ctx, id, piton.WishPause)
}

// Cancel ends a run for good, with its running steps. Conflict where it has ended.
func (s *Store) Cancel(ctx context.Context, id string) error {
	return s.steer(ctx, id, piton.WishCancel)
}

func (s *Store) steer(ctx context.Context, id string, wish piton.RunWish) error {
	err := s.ready()
	if err == nil {
		_, err = s.app.SteerRun(ctx, id, wish)
	}
	return inGo(err)
}
