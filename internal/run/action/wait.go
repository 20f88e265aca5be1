package action

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/span"
)

// Waiting waits for a time or a signal. It takes no place from other steps, and outlives
// its process: the runner keeps until when.
type Waiting struct{}

var _ Documented = Waiting{}

// Doc says what the action takes.
func (Waiting) Doc() Doc {
	return Doc{
		Name:    "wait",
		Summary: "Waits until a time, for a duration, or for a signal that `piton runs signal` sends.",
		Parameters: []Parameter{
			{Name: "for", Kinds: []Kind{Text, Number}, Others: []string{"duration", "delay", "sleep", "seconds"}, Meaning: "how long: `90s`, `2h`, `3d`, or seconds"},
			{Name: "until", Kinds: []Kind{Text}, Others: []string{"at"}, Meaning: "a time as in `2026-12-01T08:00:00+01:00`"},
			{Name: "signal", Kinds: []Kind{Text}, Others: []string{"event"}, Meaning: "the signal's name: letters, digits, `-`, `_` and `.`. One that came before counts too; each is used once"},
			{Name: "timeout", Kinds: []Kind{Text, Number}, Meaning: "of a signal: the step fails when it did not come until then"},
		},
		Output: "`{until}`; of a signal `{signal, payload, by, at}`",
	}
}

// Check reports what is wrong with the parameters.
func (a Waiting) Check(s plan.Step) error {
	if err := checked(a.Doc(), s); err != nil {
		return err
	}
	for _, v := range s.Parameters {
		if open(v) {
			return nil
		}
	}
	_, err := waitOf(s.Parameters)
	return err
}

// Effect is pure: to wait again changes nothing.
func (Waiting) Effect(plan.Step) plan.Effect { return plan.Pure }

// Do returns what is waited for.
func (a Waiting) Do(_ context.Context, c Call) (Result, error) {
	w, err := waitOf(c.Parameters)
	if err != nil {
		return Result{}, &Failed{Err: err, Final: true, Known: Before}
	}
	return Result{}, w
}

var signalName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`) })

// IsSignal tells whether a text can be the name of a signal.
func IsSignal(name string) bool { return signalName().MatchString(name) }

// waitOf is what the parameters say, which have exactly one of for, until and signal.
func waitOf(p map[string]any) (*Wait, error) {
	set := 0
	for _, name := range []string{"for", "until", "signal"} {
		if p[name] != nil {
			set++
		}
	}
	if set != 1 || p["timeout"] != nil && p["signal"] == nil {
		return nil, wrong("the action wait has one of for, until and signal, and timeout with signal alone")
	}
	w := &Wait{}
	var err error
	switch {
	case p["signal"] != nil:
		if w.Signal, _ = p["signal"].(string); !IsSignal(w.Signal) {
			return nil, wrong("%q cannot be the name of a signal: it has letters, digits, '-', '_' and '.'", fmt.Sprint(p["signal"]))
		}
		w.Message = "waits for the signal " + w.Signal
		if p["timeout"] != nil {
			w.For, err = lasting("timeout", p["timeout"])
		}
	case p["until"] != nil:
		if w.Until, err = time.Parse(time.RFC3339, fmt.Sprint(p["until"])); err != nil {
			err = wrong("until wants a time as in 2026-12-01T08:00:00+01:00, not %q", fmt.Sprint(p["until"]))
		}
		w.Message = "waits until " + fmt.Sprint(p["until"])
	default:
		w.For, err = lasting("for", p["for"])
		w.Message = "waits for " + span.Text(w.For)
	}
	return w, err
}

// maxWait bounds how long a step waits: a year.
const maxWait = 366 * 24 * time.Hour

// lasting is how long something lasts: a text, or a number of seconds.
func lasting(name string, v any) (time.Duration, error) {
	text := fmt.Sprint(v)
	if f, is := v.(float64); is {
		text = fmt.Sprint(f) + "s"
	}
	d, err := span.Parse(text)
	if err != nil || d <= 0 || d > maxWait {
		return 0, wrong("%s wants a time such as 90s, 5m or 2d, up to a year, or a number of seconds, not %q", name, fmt.Sprint(v))
	}
	return d, nil
}
