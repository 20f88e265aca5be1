package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/runner"
)

// Options are those of a worker. Zero values stand for the defaults.
type Options struct {
	Client    client.Client
	Namespace string         // the client's; its search attributes are added there
	App       caller.Options // how the store and the settings are found
	Actions   map[string]action.Action
	Queue     string        // of all workers of the store: "piton"; for a store that is a file one of its own
	Host      string        // this machine's name, for steps that need a folder of it
	Heartbeat time.Duration // after which silence an attempt is lost: 30 s
	Poll      time.Duration // how often the store is looked through for runs and words to them: 1 s
	Events    int           // after how many events of its history a workflow continues as new: 4,000
	Log       *slog.Logger
}

// Worker works on the runs that the store has for Temporal.
type Worker struct {
	Options
	told map[string]string // what was told of each run, by id
}

// NewWorker returns a worker. It does nothing yet.
func NewWorker(o Options) *Worker {
	o.Heartbeat = or(o.Heartbeat, 30*time.Second)
	o.Poll, o.Events = or(o.Poll, time.Second), or(o.Events, 4000)
	if o.Host == "" {
		o.Host = caller.ThisOwner().Host
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.App.Log = o.Log
	if o.App.Stores == nil {
		o.App.Stores = &caller.Stores{}
	}
	return &Worker{Options: o, told: map[string]string{}}
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Run works until ctx ends; then steps at work are ended, and other workers go on.
func (w *Worker) Run(ctx context.Context) error {
	if w.Queue == "" {
		var err error
		if w.Queue, err = in(w, func(a planruns.PlanRuns) (string, error) { return a.EngineQueue(ctx) }); err != nil {
			return err
		}
	}
	indexed := w.addAttributes(ctx)
	o := worker.Options{
		WorkerStopTimeout: stopTime, StickyScheduleToStartTimeout: min(5*time.Second, w.Heartbeat/3),
		MaxHeartbeatThrottleInterval: maxThrottle, DefaultHeartbeatThrottleInterval: maxThrottle,
	}
	all := worker.New(w.Client, w.Queue, o)
	all.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: workflowName})
	o.DisableWorkflowWorker = true
	own := worker.New(w.Client, queueOf(w.Queue, w.Host), o)
	for _, x := range []worker.Worker{all, own} {
		x.RegisterActivityWithOptions(w.turn, activity.RegisterOptions{Name: turnName})
		x.RegisterActivityWithOptions(w.attempt, activity.RegisterOptions{Name: attemptName})
		x.RegisterActivityWithOptions(w.say, activity.RegisterOptions{Name: answerName})
		if err := x.Start(); err != nil {
			return piton.Errorf(piton.Unavailable, "work with Temporal", "see that the server runs and has the namespace "+w.Namespace, "the worker cannot start: %w", err)
		}
		defer x.Stop()
	}
	w.Log.InfoContext(ctx, "the worker works", "queue", w.Queue, "host", w.Host)
	for {
		if err := w.look(ctx, indexed); err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "the runs cannot be looked through", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(w.Poll):
		}
	}
}

// maxThrottle bounds how long a sign of an attempt waits, and with it word that it is to end.
const maxThrottle = 2 * time.Second

// stopTime is how long a worker that is stopped waits for its attempts to end.
const stopTime = 20 * time.Second

// queueOf is the task queue of a machine; "" is any.
func queueOf(queue, host string) string {
	if host == "" {
		return queue
	}
	return queue + "@" + host
}

func activityID(run string, a runner.Attempt) string {
	return fmt.Sprintf("%s/%s/%d", run, a.Step, a.Attempt)
}

// addAttributes adds the search attributes to the namespace, and tells whether it has them.
func (w *Worker) addAttributes(ctx context.Context) bool {
	add := map[string]enums.IndexedValueType{}
	for _, k := range []interface{ GetName() string }{statusKey, workflowKey, projectKey} {
		add[k.GetName()] = enums.INDEXED_VALUE_TYPE_KEYWORD
	}
	_, err := w.Client.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: w.Namespace, SearchAttributes: add})
	var there *serviceerror.AlreadyExists
	if err != nil && !errors.As(err, &there) {
		w.Log.WarnContext(ctx, "the search attributes cannot be added, and runs are found by their ids alone", "err", err)
		return false
	}
	return true
}

// look begins the runs that are queued, and tells the others that something was said to them.
func (w *Worker) look(ctx context.Context, indexed bool) error {
	a := app.New(w.App)
	defer a.Close()
	runs, err := a.EngineRuns(ctx)
	if err != nil {
		return err
	}
	seen := map[string]string{}
	for _, r := range runs {
		if was, known := w.told[r.ID]; known && was == r.News && !r.Queued {
			seen[r.ID] = r.News
			continue
		}
		label := short(r.Label())
		o := client.StartWorkflowOptions{
			ID: r.ID, TaskQueue: w.Queue, StaticSummary: label, WorkflowTaskTimeout: max(time.Second, min(10*time.Second, w.Heartbeat/3)),
			WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		}
		if indexed {
			o.TypedSearchAttributes = temporal.NewSearchAttributes(workflowKey.ValueSet(label), projectKey.ValueSet(short(or(r.Project, r.Namespace))))
		}
		in := Input{Run: r.ID, Queue: w.Queue, Heartbeat: w.Heartbeat, Indexed: indexed, Events: w.Events}
		if r.Queued {
			_, err = w.Client.ExecuteWorkflow(ctx, o, workflowName, in)
		} else { // where its workflow is gone, another one goes on with it
			_, err = w.Client.SignalWithStartWorkflow(ctx, r.ID, newsSignal, r.News, o, workflowName, in)
		}
		if err != nil { // the others go on
			w.Log.WarnContext(ctx, "a run cannot be begun, or told of news", "run", r.ID, "err", err)
			continue
		}
		seen[r.ID] = r.News
	}
	w.told = seen
	return nil
}

// short is a text as it fits where it is searched for.
func short(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// in calls a verb of the application.
func in[T any](w *Worker, do func(planruns.PlanRuns) (T, error)) (T, error) {
	a := app.New(w.App)
	defer a.Close()
	return do(a.PlanRuns)
}

func (w *Worker) turn(ctx context.Context, q turnRequest) (runner.Hands, error) {
	return in(w, func(a planruns.PlanRuns) (runner.Hands, error) { return a.Turn(ctx, q.Work, q.Turn, w.Actions) })
}

// attemptRequest names an attempt of a run.
type attemptRequest struct {
	Run     string         `json:"run"`
	Attempt runner.Attempt `json:"attempt"`
}

// attempt carries an attempt out. Temporal hears of it all the time; where it does not, the
// attempt is lost for it, and what that means the runner decides.
func (w *Worker) attempt(ctx context.Context, q attemptRequest) (runner.Ended, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	stop := activity.GetWorkerStopChannel(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-stop:
				end()
			case <-time.After(min(maxThrottle, w.Heartbeat/5)):
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return in(w, func(a planruns.PlanRuns) (runner.Ended, error) { return a.Attempt(ctx, q.Run, q.Attempt, w.Actions) })
}

// say writes what was said through the workflow into the store.
func (w *Worker) say(ctx context.Context, x said) error {
	_, err := in(w, func(a planruns.PlanRuns) (struct{}, error) {
		switch {
		case x.Answer != nil:
			return struct{}{}, a.AnswerBy(ctx, piton.Answer{RunID: x.Run, StepID: x.Answer.Step, Shown: x.Answer.Shown, Approved: !x.Answer.Reject, Words: x.Answer.Words, By: x.Answer.By})
		case x.Signal != nil:
			_, err := a.SignalBy(ctx, piton.SignalRequest{RunRefRequest: piton.RunRefRequest{Run: x.Run}, Name: x.Signal.Name, ID: x.Signal.ID, Payload: x.Signal.Payload}, x.Signal.By)
			return struct{}{}, err
		}
		_, err := a.SteerRun(ctx, x.Run, x.Steer.Wish)
		return struct{}{}, err
	})
	if code := piton.CodeOf(err); code == piton.Invalid || code == piton.Conflict || code == piton.NotFound {
		return temporal.NewNonRetryableApplicationError(err.Error(), string(code), err)
	}
	return err
}
