package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

// endsPlan has steps that may happen only once, with a timeout and tries, and one that
// cleans up.
func endsPlan() plan.Plan {
	p := plan.Plan{Name: "ends", Parallel: 3}
	clean := plan.Step{ID: "clean", Action: "do", Effect: plan.Idempotent, When: "always()"}
	for lane := range 3 {
		for depth := range 4 {
			x := plan.Step{ID: fmt.Sprintf("s%d-%d", lane, depth), Action: "do", Effect: plan.Once, Timeout: plan.Duration(15 * time.Millisecond),
				Retry: plan.Retry{Attempts: 4, Delay: plan.Duration(time.Millisecond)}}
			if depth > 0 {
				x.Dependencies = []string{fmt.Sprintf("s%d-%d", lane, depth-1)}
			}
			p.Steps = append(p.Steps, x)
		}
		clean.Dependencies = append(clean.Dependencies, fmt.Sprintf("s%d-3", lane))
	}
	p.Steps = append(p.Steps, clean)
	return p
}

// endsAction ends in all ways, before its effect and after it. What it answers is true.
func endsAction(ledger *os.File) action.Action {
	return action.Func(plan.Once, func(ctx context.Context, c action.Call) (any, error) {
		if c.Step == "clean" {
			return "clean", nil
		}
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		effect := func() { fmt.Fprintf(ledger, "effect %s %s\n", c.Step, c.Key) }
		switch rand.IntN(12) {
		case 0:
			return nil, &action.Failed{Err: errors.New("busy"), Known: action.Before}
		case 1:
			return nil, errors.New("refused")
		case 2:
			<-ctx.Done()
			return nil, ctx.Err()
		case 3:
			effect()
			<-ctx.Done()
			return nil, ctx.Err()
		case 4:
			effect()
			return nil, fmt.Errorf("charge: %w", syscall.ECONNRESET)
		case 5:
			effect()
			panic("after the effect")
		}
		effect()
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		return "out of " + c.Step, nil
	})
}

// TestOnceAtMostOnce lets steps end in all ways, by timeouts, lost connections and panics,
// and their runs by cancellations and kills. A person says what the ledger says. No step
// takes effect twice, one that is completed has taken effect, and a run that was cancelled
// has cleaned up.
func TestOnceAtMostOnce(t *testing.T) {
	seed := draw.Seed()
	t.Logf("seed %d", seed)
	k := kills{T: t, rnd: rand.New(rand.NewPCG(seed, 1)), most: need.Many(15, 300)}
	cancelled, begun := 0, time.Now()
	for k.killed < k.most && (need.Many(0, 1) == 1 || time.Since(begun) < 10*time.Second || k.runs == 0) {
		k.address, k.ledger = filepath.Join(t.TempDir(), "piton.db"), filepath.Join(t.TempDir(), "ledger")
		k.completed = map[string]int{}
		if k.ends() {
			cancelled++
		}
	}
	t.Logf("%d kills and %d cancellations over %d runs of 13 steps; %d steps in doubt, %d of them had taken effect; twice: 0", k.killed, cancelled, k.runs, k.doubts, k.took)
}

// ends goes through one run until it is over, and tells whether it was cancelled.
func (k *kills) ends() bool {
	k.runs++
	next := job{Store: k.address, Ledger: k.ledger, Ends: true, Start: true}
	for round := 0; ; round++ {
		if round > 2000 {
			k.Fatal("the run comes to no end")
		}
		k.cut(next)
		s, err := openStore(k.Context(), k.address)
		if err != nil {
			k.Fatal(err)
		}
		run, state := k.look(s)
		s.Close()
		if run.ID == "" {
			continue
		}
		effects := map[string]int{}
		for _, line := range strings.Split(k.lines(), "\n") {
			if words := strings.Fields(line); len(words) == 3 {
				effects[words[1]]++
			}
		}
		next = job{Store: k.address, Ledger: k.ledger, Ends: true, Again: Again{Run: run.ID}}
		for _, x := range state.Plan {
			switch n := effects[x.ID]; {
			case n > 1:
				k.Fatalf("step %s has taken effect %d times: %+v", x.ID, n, x)
			case n == 0 && x.Status == Completed && x.ID != "clean":
				k.Fatalf("step %s is completed and has not taken effect", x.ID)
			case n == 1 && (x.Status == Failed || x.Status == Pending):
				k.Fatalf("step %s has taken effect, and is %s: it would run again: %s", x.ID, x.Status, x.Reason)
			case x.Status == InDoubt && n == 1:
				k.doubts, k.took = k.doubts+1, k.took+1
				next.Again.Took = append(next.Again.Took, x.ID)
			case x.Status == InDoubt:
				k.doubts++
				next.Again.Redo = append(next.Again.Redo, x.ID)
			}
		}
		if !run.Status.Ended() {
			continue
		}
		if x := state.Plan[len(state.Plan)-1]; x.Status != Completed {
			k.Fatalf("the run is %s, and has not cleaned up: %+v", run.Status, x)
		}
		return run.Status == piton.RunCancelled
	}
}

// cut lets a child work, and kills it, or cancels its run, at a random moment.
func (k *kills) cut(j job) {
	if k.rnd.IntN(6) > 0 || j.Start {
		k.life(j)
		return
	}
	text, err := json.Marshal(j)
	if err != nil {
		k.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	time.Sleep(time.Duration(k.rnd.IntN(100)) * time.Millisecond)
	s, err := openStore(k.Context(), k.address)
	if err != nil {
		k.Fatal(err)
	}
	k.cancel(s)
	s.Close()
	if err := cmd.Wait(); err != nil || said.Len() > 0 {
		k.Fatalf("a child failed by itself: %v %s", err, said.String())
	}
}

// cancel asks the owner of the run, if there is one, to end it.
func (k *kills) cancel(s *sqlstore.Store) {
	runs, err := s.Runs().Runs(k.Context(), piton.RunQuery{Open: true})
	if err != nil || len(runs) == 0 {
		return
	}
	err = s.Save(k.Context(), func(tx store.Tx) error {
		return tx.Runs.WishRun(k.Context(), runs[0].ID, runs[0].Fence, piton.WishCancel)
	})
	if err != nil && piton.CodeOf(err) != piton.Conflict {
		k.Fatal(err)
	}
}
