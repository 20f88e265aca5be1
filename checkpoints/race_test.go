package checkpoints_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/checkpoints"
)

// TestConcurrentUse calls everything that a Store offers from several goroutines
// at once; the race detector finds what they share without a lock.
func TestConcurrentUse(t *testing.T) {
	ctx := t.Context()
	s, err := checkpoints.Open(ctx, checkpoints.Options{Home: t.TempDir(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first, err := s.Save(ctx, piton.SaveRequest{Workflow: "shared"}, map[string]int{"n": 0})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(context.Context, int) error{
		"save": func(ctx context.Context, i int) error {
			_, err := s.Save(ctx, piton.SaveRequest{Workflow: fmt.Sprint("own-", i), Session: "run"}, map[string]int{"n": i})
			return err
		},
		"load": func(ctx context.Context, _ int) error {
			_, err := s.Load(ctx, checkpoints.Selector{ID: first.ID})
			return err
		},
		"resume": func(ctx context.Context, _ int) error {
			_, err := s.Resume(ctx, checkpoints.Selector{Workflow: "shared"})
			return err
		},
		"list": func(ctx context.Context, _ int) error {
			for _, err := range s.List(ctx, checkpoints.Filter{Open: true}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"diff": func(ctx context.Context, _ int) error {
			_, err := s.Diff(ctx, first.ID, first.ID)
			return err
		},
		"fork": func(ctx context.Context, i int) error {
			_, err := s.Fork(ctx, piton.ForkRequest{From: first.ID, Branch: fmt.Sprint("branch-", i)}, nil)
			return err
		},
		"prune": func(ctx context.Context, _ int) error {
			_, err := s.Prune(ctx, checkpoints.PruneOptions{})
			return err
		},
		"delete": func(ctx context.Context, _ int) error {
			_, err := s.Delete(ctx, checkpoints.Selector{Workflow: "shared"}, checkpoints.DeleteOptions{DryRun: true})
			return err
		},
	}
	var wg sync.WaitGroup
	for name, call := range calls {
		for i := range 4 {
			wg.Go(func() {
				if err := call(ctx, i); err != nil {
					t.Errorf("%s: got %v, want no error", name, err)
				}
			})
		}
	}
	wg.Wait()
}
