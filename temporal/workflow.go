// Package temporal works on Piton's runs with Temporal: each run is a workflow, each attempt
// at a step an activity, each wait a timer. What comes next is decided by Piton's own runner,
// in a local activity whose answer the history keeps, and each run's state is in Piton's
// store, as that of every run. So a history holds ids, and replays whatever version decides.
package temporal

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/runner"
)

// Input is what a run's workflow begins with. What is not a run's own comes from the worker
// that starts it, and stays as it is when the workflow continues as new.
type Input struct {
	Run       string        `json:"run"`
	Queue     string        `json:"queue"`     // the task queue of all workers
	Heartbeat time.Duration `json:"heartbeat"` // after which silence an attempt is lost
	// Indexed: the namespace has the search attributes.
	Indexed bool          `json:"indexed,omitempty"`
	Events  int           `json:"events"`         // after how many it continues as new
	Work    string        `json:"work,omitempty"` // the first execution's run id; absent: this one's
	Memory  runner.Memory `json:"memory,omitzero"`
}

// Result is how a run has been given back.
type Result struct {
	Status piton.RunStatus `json:"status"`
	Error  string          `json:"error,omitempty"`
}

// The names by which workers and clients know each other.
const (
	workflowName = "piton.run"
	turnName     = "piton.turn"
	attemptName  = "piton.attempt"
	answerName   = "piton.answer"
	newsSignal   = "news" // something was said to the run: it is in the store
	handsQuery   = "state"
)

// The search attributes of a run's workflow, and of these the keywords that it may have.
var (
	statusKey   = temporal.NewSearchAttributeKeyKeyword("PitonStatus")
	workflowKey = temporal.NewSearchAttributeKeyKeyword("PitonWorkflow")
	projectKey  = temporal.NewSearchAttributeKeyKeyword("PitonProject")
)

// turnRequest is what the local activity of a turn is asked.
type turnRequest struct {
	Work string
	Turn runner.Turn
}

// run is a workflow at work on a run.
type run struct {
	Input
	hands  runner.Hands
	flying map[runner.Attempt]*flight
	ended  []runner.Ended
	news   bool
	status piton.RunStatus
}

// flight is an attempt that some worker carries out.
type flight struct {
	cancel workflow.CancelFunc
	cause  runner.Cause
}

// maxSize is after how many bytes of its history a workflow continues as new; Temporal ends one
// with 50 MB.
const maxSize = 8 << 20

// restAfter is after how many times Input.Events, or maxSize, a workflow that always has attempts at work
// begins nothing until they have ended, so that it can continue as new: Temporal ends one
// with 51,200 events.
const restAfter = 4

// Run is the workflow of a run: it ends when the run is given back, completed or not.
func Run(asked workflow.Context, in Input) (Result, error) {
	ctx, _ := workflow.NewDisconnectedContext(asked) // to cancel the workflow is to cancel the run
	if in.Work == "" {
		in.Work = workflow.GetInfo(ctx).FirstRunID
	}
	r := &run{Input: in, flying: map[runner.Attempt]*flight{}, hands: runner.Hands{Memory: in.Memory}}
	if err := r.doors(ctx); err != nil {
		return Result{}, err
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		asked.Done().Receive(ctx, nil)
		if err := r.say(ctx, said{Steer: &Steer{piton.WishCancel}}); err != nil {
			workflow.GetLogger(ctx).Error("the run cannot be cancelled", "err", err)
		}
	})
	workflow.Go(ctx, func(ctx workflow.Context) {
		for news := workflow.GetSignalChannel(ctx, newsSignal); news.Receive(ctx, nil); {
			r.news = true
		}
	})
	for {
		if err := r.turn(ctx); err != nil {
			return Result{}, err
		}
		if r.hands.Over {
			for _, a := range slices.SortedFunc(maps.Keys(r.flying), byStep) { // the run has another owner
				r.flying[a].cancel()
			}
			return r.result(ctx)
		}
		if len(r.flying)+len(r.ended) == 0 && r.grown(ctx) >= 1 {
			if err := handled(ctx); err != nil {
				return Result{}, err
			}
			in.Memory = r.hands.Memory
			return Result{}, workflow.NewContinueAsNewError(ctx, workflowName, in)
		}
		if err := r.wait(ctx); err != nil {
			return Result{}, err
		}
	}
}

// result is that of a run that was given back: a failed one fails its workflow, and one that
// a person has cancelled is cancelled.
func (r *run) result(ctx workflow.Context) (Result, error) {
	if err := handled(ctx); err != nil {
		return Result{}, err
	}
	switch x := (Result{r.hands.Status, r.hands.Error}); x.Status {
	case piton.RunFailed:
		return x, temporal.NewNonRetryableApplicationError(x.Error, string(x.Status), nil, x)
	case piton.RunCancelled:
		return x, temporal.NewCanceledError(x)
	default:
		return x, nil
	}
}

// handled waits until all that was asked of the workflow has its answer.
func handled(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// grown is how far the history is to where the workflow continues as new.
func (r *run) grown(ctx workflow.Context) int {
	info := workflow.GetInfo(ctx)
	return max(info.GetCurrentHistoryLength()/r.Events, info.GetCurrentHistorySize()/maxSize)
}

// turn has the runner decide what comes next, and has that carried out.
func (r *run) turn(ctx workflow.Context) error {
	t := runner.Turn{Run: r.Run, Memory: r.hands.Memory, Ended: r.ended, Flying: slices.SortedFunc(maps.Keys(r.flying), byStep), Stay: true, Rest: r.grown(ctx) >= restAfter}
	r.ended, r.news = nil, false
	local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumInterval: 10 * time.Second},
	})
	var h runner.Hands
	if err := workflow.ExecuteLocalActivity(local, turnName, turnRequest{r.Work, t}).Get(ctx, &h); err != nil {
		return err
	}
	r.hands = h
	for _, x := range h.End {
		if f := r.flying[x.Attempt]; f != nil {
			f.cause = x.Cause
			f.cancel()
		}
	}
	if h.Over {
		return nil
	}
	for _, b := range h.Begin {
		r.begin(ctx, b)
	}
	return r.index(ctx)
}

func byStep(a, b runner.Attempt) int {
	if n := strings.Compare(a.Step, b.Step); n != 0 {
		return n
	}
	return a.Attempt - b.Attempt
}

// begin has an attempt carried out, once: whether it is tried again the runner decides. A
// step that needs the run's folder goes to the machine that has it.
func (r *run) begin(ctx workflow.Context, b runner.Begin) {
	own, cancel := workflow.WithCancel(ctx)
	f := &flight{cancel: cancel}
	r.flying[b.Attempt] = f
	own = workflow.WithActivityOptions(own, workflow.ActivityOptions{
		ActivityID: activityID(r.Run, b.Attempt), TaskQueue: queueOf(r.Queue, b.Host), Summary: b.Step,
		StartToCloseTimeout: 10 * 365 * 24 * time.Hour, HeartbeatTimeout: r.Heartbeat, WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	done := workflow.ExecuteActivity(own, attemptName, attemptRequest{r.Run, b.Attempt})
	workflow.Go(ctx, func(ctx workflow.Context) {
		var x runner.Ended
		if err := done.Get(ctx, &x); err != nil { // it was lost, or ended before a worker had it
			x = runner.Ended{Attempt: b.Attempt, Lost: true}
			var canceled *temporal.CanceledError
			x.Unbegun = errors.As(err, &canceled) && !canceled.HasDetails()
		}
		if f.cause != "" && x.Cause != "" {
			x.Cause = f.cause
		}
		delete(r.flying, b.Attempt)
		r.ended = append(r.ended, x)
	})
}

// wait waits for something to happen: attempts that end are taken in together.
func (r *run) wait(ctx workflow.Context) error {
	happened := func() bool { return r.news || len(r.ended) > 0 }
	if r.hands.Wake > 0 {
		_, err := workflow.AwaitWithTimeout(ctx, r.hands.Wake, happened)
		return err
	}
	return workflow.Await(ctx, happened)
}

// index keeps how the run stands where it can be searched for.
func (r *run) index(ctx workflow.Context) error {
	status := piton.RunRunning
	if len(r.flying) == 0 && len(r.hands.Asks) > 0 {
		status = piton.RunWaiting
	}
	if !r.Indexed || status == r.status {
		return nil
	}
	r.status = status
	return workflow.UpsertTypedSearchAttributes(ctx, statusKey.ValueSet(string(status)))
}
