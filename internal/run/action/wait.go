package action

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/run/plan"
)

// Waiting waits for a time or a signal. It takes no place from other steps, and outlives
// its process: the runner keeps until when.
type Waiting struct{}

// Doc says what the action takes.
func (Waiting) Doc() Doc {
	return Doc{
		Name:    plan.Wait,
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
	if err := a.Doc().Check(s); err != nil {
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
	var until time.Time
	var lasts time.Duration
	var err error
	signal, _ := p["signal"].(string)
	says := ""
	switch {
	case p["signal"] != nil && !IsSignal(signal):
		err = wrong("%q cannot be the name of a signal: it has letters, digits, '-', '_' and '.'", fmt.Sprint(p["signal"]))
	case p["signal"] != nil:
		if says = "waits for the signal " + signal; p["timeout"] != nil {
			lasts, err = lasting("timeout", p["timeout"])
		}
	case p["until"] != nil:
		if until, err = time.Parse(time.RFC3339, fmt.Sprint(p["until"])); err != nil {
			err = wrong("until wants a time as in 2026-12-01T08:00:00+01:00, not %q", fmt.Sprint(p["until"]))
		}
		says = "waits until " + fmt.Sprint(p["until"])
	default:
		lasts, err = lasting("for", p["for"])
		says = "waits for " + plan.Duration(lasts).String()
	}
	return &Wait{Message: visible(says), Until: until, For: lasts, Signal: signal}, err
}

// lasting is how long something lasts: a text, or a number of seconds.
func lasting(name string, v any) (time.Duration, error) {
	d, ok := duration(v)
	if !ok {
		return 0, wrong("%s wants a time such as 90s, 5m or 2d, up to a year, or a number of seconds, not %q", name, fmt.Sprint(v))
	}
	return d, nil
}
