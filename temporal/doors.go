package temporal

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/piton-project/piton"
)

// Answer is a person's word on an approval: the update "approve". It holds for exactly what
// was shown.
type Answer struct {
	Step   string `json:"step"`
	Shown  string `json:"shown"` // the sha256 of what was shown, hex: the query "state" has it
	Reject bool   `json:"reject,omitempty"`
	Words  string `json:"words,omitempty"`
	By     string `json:"by"`
}

// Signal is what a step of the run waits for: the update "signal".
type Signal struct {
	Name    string          `json:"name"`
	ID      string          `json:"id"` // by which it counts once
	Payload json.RawMessage `json:"payload,omitempty"`
	By      string          `json:"by"`
}

// Steer is what a person wants of the run: the update "steer".
type Steer struct {
	Wish piton.RunWish `json:"wish"` // pause or cancel
}

// said is what is written into the store for an update; one of them is set.
type said struct {
	Run    string  `json:"run"`
	Answer *Answer `json:"answer,omitempty"`
	Signal *Signal `json:"signal,omitempty"`
	Steer  *Steer  `json:"steer,omitempty"`
}

// doors are the query and the updates of a run's workflow. What is said through them is
// written into the store, as by 'piton runs approve' and the like, and holds when it is
// there.
func (r *run) doors(ctx workflow.Context) error {
	if err := workflow.SetQueryHandler(ctx, handsQuery, func() (any, error) { return r.hands, nil }); err != nil {
		return err
	}
	return firstError(
		workflow.SetUpdateHandlerWithOptions(ctx, "approve", func(ctx workflow.Context, a Answer) error {
			return r.say(ctx, said{Answer: &a})
		}, workflow.UpdateHandlerOptions{Validator: r.asks}),
		workflow.SetUpdateHandlerWithOptions(ctx, "signal", func(ctx workflow.Context, s Signal) error {
			return r.say(ctx, said{Signal: &s})
		}, workflow.UpdateHandlerOptions{Validator: func(_ workflow.Context, s Signal) error {
			return must(s.Name != "" && s.ID != "" && s.By != "", "a signal has a name, an id and who sends it")
		}}),
		workflow.SetUpdateHandlerWithOptions(ctx, "steer", func(ctx workflow.Context, s Steer) error {
			return r.say(ctx, said{Steer: &s})
		}, workflow.UpdateHandlerOptions{Validator: func(_ workflow.Context, s Steer) error {
			return must(s.Wish == piton.WishPause || s.Wish == piton.WishCancel, "the wish is pause or cancel; 'piton run --resume' continues a run")
		}}),
	)
}

// say has what was said kept, and looked at.
func (r *run) say(ctx workflow.Context, x said) error {
	x.Run = r.Run
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: r.Queue, StartToCloseTimeout: time.Minute, Summary: "keep what was said"})
	err := workflow.ExecuteActivity(ctx, answerName, x).Get(ctx, nil)
	r.news = true
	return err
}

// asks refuses an answer that is not to what a step shows now.
func (r *run) asks(_ workflow.Context, a Answer) error {
	if a.By == "" {
		return must(false, "the answer does not say whose it is")
	}
	for _, x := range r.hands.Asks {
		if x.Step == a.Step {
			return must(x.Shown == a.Shown, fmt.Sprintf("step %s shows something else by now: its sum is %s", x.Step, x.Shown))
		}
	}
	return must(false, fmt.Sprintf("step %q asks nothing now", a.Step))
}

// must is the error of a request without something.
func must(is bool, why string) error {
	if is {
		return nil
	}
	return temporal.NewNonRetryableApplicationError(why, "invalid", nil)
}

func firstError(errs ...error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}
