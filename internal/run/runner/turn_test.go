package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// turnsEnv has the tests' runs worked on in turns, as by an engine of another kind.
const turnsEnv = "PITON_TEST_TURNS"

// notInTurns are the tests of what such an engine does otherwise, each with the reason.
var notInTurns = map[string]string{
	"TestCrash$|TestProcessThatLivesOn|TestLostRun|TestOwnerThatStillSaves|TestStoreAway|TestFull|TestCancelIsNotLost": "its owner is no process that could be lost",
	"Kills|TestChild(GoesOn|IsCancelled|Waits)":                                                                 "they kill processes, or run the inner run in the step",
	"TestInterrupt|TestEarlyAndInDoubt|TestItemInDoubt|TestUndoInDoubt|TestStepInDoubtLeftOut|TestWaitSurvives": "its process is not interrupted: another one takes the next turn",
	"TestSecrets|TestNoSecretInItems":                                                                           "what redaction takes out stays where the step ran",
	"TestForEach$":                                                                                              "how many of its short items meet is chance",
	"TestChildIsPaused":                                                                                         "its run is one of the engine, which is told by the application",
	"TestNoAuto":                                                                                                "each attempt is kept before it is handed out",
	"TestOutputsThatCannotBeKept":                                                                               "48 MiB go between the processes for each step",
}

// TestInTurns runs the tests of this package once more, with runs that are worked on in
// turns: each turn and each attempt by a runner of its own, and all that goes between them
// as JSON.
func TestInTurns(t *testing.T) {
	skip := []string{"^TestInTurns$"}
	for name := range notInTurns {
		skip = append(skip, name)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.skip", strings.Join(skip, "|"))
	cmd.Env = append(os.Environ(), turnsEnv+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Start is a Runner's, in turns where the environment says so.
func (d *desk) Start(ctx context.Context, q Request) (Outcome, error) {
	if os.Getenv(turnsEnv) == "" || q.Queue {
		return d.Runner.Start(ctx, q)
	}
	q.Queue, q.Daemon = true, "temporal"
	o, err := d.Runner.Start(ctx, q)
	if err != nil {
		return o, err
	}
	return inTurns(ctx, d.Runner, Again{Run: o.RunID, WaitPerson: q.WaitPerson, AcceptPlan: true, Daemon: q.Daemon})
}

// Resume is a Runner's, in turns where the environment says so.
func (d *desk) Resume(ctx context.Context, g Again) (Outcome, error) {
	if os.Getenv(turnsEnv) == "" || g.Queue {
		return d.Runner.Resume(ctx, g)
	}
	return inTurns(ctx, d.Runner, g)
}

var engines struct {
	sync.Mutex
	n int
}

// inTurns is an engine that works on a run in turns.
func inTurns(ctx context.Context, base *Runner, g Again) (Outcome, error) {
	engines.Lock()
	engines.n++
	r := *base
	r.Owner = piton.Owner{PID: 1, Host: EngineHost, Boot: fmt.Sprint(engines.n)}
	engines.Unlock()
	r.Hands = &Hands{}
	before, err := r.Resume(ctx, g)
	o, h := before, *r.Hands
	ended := make(chan Ended)
	flying := map[Attempt]context.CancelFunc{}
	why := map[Attempt]Cause{}
	for {
		if err != nil {
			return o, err
		}
		for _, x := range h.End {
			if end := flying[x.Attempt]; end != nil {
				why[x.Attempt] = x.Cause
				end()
			}
		}
		if h.Over {
			o.Recovered = before.Recovered
			return o, nil
		}
		for _, a := range h.Begin {
			own, end := context.WithCancel(context.WithoutCancel(ctx))
			a, run := a.Attempt, o.RunID
			flying[a] = end
			go func() {
				each := *base
				x, err := each.Attempt(own, run, a)
				if err != nil {
					x = Ended{Attempt: a, Lost: true}
				}
				ended <- x
			}()
		}
		t := Turn{Run: o.RunID, Stay: g.WaitPerson, Memory: through(h.Memory)}
		wake := 10 * time.Millisecond
		select {
		case x := <-ended:
			flying[x.Attempt]()
			delete(flying, x.Attempt)
			if cause := why[x.Attempt]; cause != "" && x.Cause != "" {
				x.Cause = cause
			}
			t.Ended = append(t.Ended, through(x))
		case <-time.After(wake):
		}
		if err := inner(ctx, base, o.RunID, g.WaitPerson); err != nil {
			return o, err
		}
		for a := range flying {
			t.Flying = append(t.Flying, a)
		}
		each := *base
		each.Owner = r.Owner
		o, h, err = each.Turn(ctx, t)
		if errors.Is(err, context.Canceled) {
			return o, err
		}
	}
}

// inner has the runs of a run's steps worked on that are queued, and tells the run of
// their ends.
func inner(ctx context.Context, base *Runner, of string, stay bool) error {
	runs, err := base.Keeper.Store.Runs().Runs(ctx, piton.RunQuery{Open: true})
	for _, r := range runs {
		if r.Status != piton.RunQueued || r.Parent != of {
			continue
		}
		each := *base
		o, err := inTurns(ctx, &each, Again{Run: r.ID, WaitPerson: stay, Daemon: r.Daemon})
		if err == nil && (o.Run.Status.Ended() || o.Run.Status == piton.RunFailed) {
			ended := ChildEnded(of, r.ID, piton.At(time.Now()))
			err = base.Keeper.Store.Save(ctx, func(tx store.Tx) error { return tx.Runs.AnswerRun(ctx, redact.Value(ended)) })
		}
		if err != nil {
			return err
		}
	}
	return err
}

// through is a value as it comes out of JSON.
func through[T any](v T) (out T) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}
