package history_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// TestStopped breaks verbs off in the middle: each says what it did until then.
func TestStopped(t *testing.T) {
	s := open(t)
	for i := range 5 {
		s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: fmt.Appendf(nil, `{"n":%d}`, i)}})
	}
	// broken is a context that ends once two checkpoints are done.
	broken := func() (context.Context, func(done, total int64)) {
		ctx, cancel := context.WithCancel(t.Context())
		return ctx, func(done, _ int64) {
			if done == 2 {
				cancel()
			}
		}
	}
	ctx, progress := broken()
	v, err := s.Verify(ctx, history.VerifyOptions{Progress: progress})
	if !errors.Is(err, context.Canceled) || v.Stopped != history.StoppedInterrupted || v.Checked != 2 || v.Intact != 2 || v.Left != 3 {
		t.Errorf("verify: got %+v, %v; want two checked and three left", v, err)
	}
	ctx, progress = broken()
	p, err := s.Purge(ctx, false, progress)
	if !errors.Is(err, context.Canceled) || p.Stopped != history.StoppedInterrupted {
		t.Errorf("purge: got %+v, %v; want it stopped", p, err)
	}
	ctx, progress = broken()
	entries, total, err := s.Export(ctx, piton.Query{}, func(c piton.Checkpoint, err error) { t.Errorf("left out: %s, %v", c.ID, err) })
	if err != nil || total != 5 {
		t.Fatalf("export: got %d, %v", total, err)
	}
	n := int64(0)
	for _, err = range entries {
		if err != nil {
			break
		}
		n++
		progress(n, 5)
	}
	if n != 2 || !errors.Is(err, context.Canceled) {
		t.Errorf("export: got %d entries, %v; want two and an error", n, err)
	}
	if v, err := s.Verify(t.Context(), history.VerifyOptions{}); err != nil || v.Stopped != "" || v.Intact != 5 {
		t.Errorf("after it: got %+v, %v", v, err)
	}
}

func TestCompareWithoutADiffer(t *testing.T) {
	s := open(t)
	a := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"n":1}`)}})
	b := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"n":2}`)}})
	s.Diff = nil
	if x, err := s.Compare(t.Context(), a.ID, b.ID); piton.CodeOf(err) != piton.Internal {
		t.Errorf("got the change %s, %v; want an error", x.Patch, err)
	}
	if x, err := s.Pair(t.Context(), b.ID, ""); err != nil || string(x.FromState) != `{"n":1}` || string(x.State) != `{"n":2}` {
		t.Errorf("got %s and %s, %v", x.FromState, x.State, err)
	}
}

// TestFlushToAStoreOfOneCommand carries nothing, and does not say that it did.
func TestFlushToAStoreOfOneCommand(t *testing.T) {
	s := open(t)
	k := s.Keeper
	k.Store, k.OneOff = struct{ store.Checkpoints }{k.Store}, true
	if _, err := k.Flush(t.Context(), nil); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("got %v, want invalid", err)
	}
}
