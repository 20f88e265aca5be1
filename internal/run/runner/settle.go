package runner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// maxOutput bounds what a step hands on: it is kept in every checkpoint after it.
const maxOutput = 1 << 20

// maxOutputs bounds what all steps of a run hand on, and maxDepth how deep it is: a
// state has at most 64 MiB and 10,000 levels, and other programs read fewer levels.
const (
	maxOutputs = 48 << 20
	maxDepth   = 500
)

// maxShown bounds what is kept of what an approval shows.
const maxShown = 64 << 10

// land takes over what an attempt has brought: the step's next status, its result,
// and what it has used.
func (e *engine) land(d Ended) {
	switch {
	case d.Unbegun:
		d.Cause, d.Failed = halted, &failure{Known: action.Before}
	case d.Lost:
		d.Cause, d.Failed = halted, &failure{}
	}
	i := e.state.step(d.Step)
	x, f := &e.state.Plan[i], e.flight[i]
	e.tally()
	delete(e.flight, i)
	x.EndedAt = piton.At(e.now())
	d.used = e.use(x, d, f)
	stopped := d.Cause == halted || d.Cause == cancelledBy // and not by a bound of its own
	switch failed := d.Failed; {
	case failed == nil && !f.stale:
		e.completed(i, d)
	case f.stale, stopped && failed.Known == action.Unknown:
		e.brokenOff(i, f.stale)
	case stopped && failed.Known == action.Before: // it goes on as if it had not begun
		x.Status, x.Reason, x.Tried, e.unsaved = Pending, "", max(0, x.Tried-1), true
	case failed.Wait != nil && failed.Wait.Other():
		e.waitsOn(x, failed.Wait)
	case failed.Wait != nil:
		e.asks(x, failed)
	case failed.CouldNot:
		e.couldNot(x, e.clean(failed.Text), d)
	default:
		if !f.noted {
			d.Note = action.Note{}
		} else if x.Note != nil {
			d.Note = *x.Note
		}
		e.fails(i, d)
	}
}

// use counts what an attempt has used, whatever came of it, and returns it.
func (e *engine) use(x *Step, d Ended, f *flight) Used {
	u := Used{Tokens: d.Usage, CostUSD: d.CostUSD}
	if n := x.Note; u == (Used{}) && f.noted && n != nil { // it was ended before it could say
		u = Used{Tokens: n.Usage, CostUSD: n.CostUSD}
	}
	e.state.Used = e.state.Used.plus(u)
	u.WorkMS = d.TookMS
	x.Used = x.Used.plus(u)
	e.notes(x, d.Note, f)
	if x.Note != nil { // it is counted now
		x.Note.Usage, x.Note.CostUSD = piton.TokenUsage{}, 0
	}
	return u
}

// notes keeps an attempt's note without secrets.
func (e *engine) notes(x *Step, n action.Note, f *flight) {
	if reflect.ValueOf(n).IsZero() {
		return
	}
	f.noted = true
	n = e.noteOf(n)
	x.Note = &n
}

func (e *engine) noteOf(n action.Note) action.Note {
	if n.Data != nil {
		clean, _ := e.secrets.Value(n.Data)
		n.Data, _ = clean.(map[string]any)
	}
	return n
}

// completed keeps a step's output: whole for this process, without secrets for
// every other.
func (e *engine) completed(i int, d Ended) {
	x := &e.state.Plan[i]
	output, err := action.ReadJSON(d.Output)
	if err == nil {
		err = tooLarge(d.Output)
	}
	if err == nil {
		err = e.fits(d.Output, output)
	}
	if err != nil {
		d.Failed = &failure{Text: err.Error(), Final: true}
		e.fails(i, d)
		return
	}
	if e.repeats(i, d, output) {
		return
	}
	kept, err := e.keep(x.ID, d.Left)
	if err != nil {
		d.Failed = &failure{Text: err.Error(), Final: true, Known: action.Answered}
		e.fails(i, d)
		return
	}
	e.finish(x, Result{Output: output, Redacted: d.Redacted, Artifacts: kept, Usage: d.Usage, CostUSD: d.CostUSD, DurationMS: d.TookMS})
	e.named = e.nameOf(d.Named)
	e.tell(Event{Kind: StepCompleted, Step: x.ID, Attempt: x.Attempt, DurationMS: d.TookMS, Usage: d.Usage, CostUSD: d.CostUSD})
	if e.noAuto && len(d.Left) == 0 && e.Effect(e.plan.Steps[i]) != plan.Once {
		e.mild = true
	} else {
		e.unsaved = true
	}
}

// tooLarge refuses an output that would be a burden in each checkpoint after it.
func tooLarge(text []byte) error {
	if len(text) <= maxOutput {
		return nil
	}
	return fmt.Errorf("its output has %d bytes, more than %d; let it write a file, and bring the file's path", len(text), maxOutput)
}

// fits refuses an output with which the state could not be kept any more, so that
// its step fails and not the whole run.
func (e *engine) fits(text []byte, output any) error {
	if deeper(output, maxDepth) {
		return fmt.Errorf("its output is more than %d levels deep; let it write a file, and bring the file's path", maxDepth)
	}
	all := len(text)
	for i := range e.state.Results {
		kept, err := e.state.Results[i].write()
		if err != nil {
			return err
		}
		all += len(kept.JSON)
	}
	if all > maxOutputs {
		return fmt.Errorf("with its output those of the run's steps have %d bytes, more than %d; let it write a file, and bring the file's path", all, maxOutputs)
	}
	return nil
}

// deeper tells whether a JSON value has more levels.
func deeper(v any, levels int) bool {
	switch v := v.(type) {
	case []any:
		return levels == 0 || slices.ContainsFunc(v, func(x any) bool { return deeper(x, levels-1) })
	case map[string]any:
		for _, x := range v {
			if deeper(x, levels-1) {
				return true
			}
		}
		return levels == 0
	}
	return false
}

// nameOf is the name that a checkpoint gets, without secrets.
func (e *engine) nameOf(c *action.Checkpoint) *action.Checkpoint {
	if c == nil {
		return nil
	}
	clean := func(t string) string {
		t, _ = e.secrets.Text(t)
		return t
	}
	named := action.Checkpoint{Name: clean(c.Name), Description: clean(c.Description)}
	for _, t := range c.Tags {
		named.Tags = append(named.Tags, clean(t))
	}
	return &named
}

func (e *engine) finish(x *Step, r Result) {
	clean, found := e.secrets.Value(r.Output)
	delete(e.outputs, x.ID)
	if found {
		e.outputs[x.ID] = r.Output
	}
	r.StepID, r.Output, r.Redacted, r.CompletedAt = x.ID, clean, found || r.Redacted, piton.At(e.now())
	e.state.drop(x.ID)
	e.state.Results = append(e.state.Results, r)
	x.Status, x.Reason, x.Words, x.EndedAt = Completed, "", "", r.CompletedAt
	e.state.isUndone(x.Undoes)
	if l := e.state.LastError; l != nil && l.StepIndex == e.state.step(x.ID) {
		e.state.LastError = nil
	}
}

// brokenOff puts back a step that was ended before it was through.
func (e *engine) brokenOff(i int, stale bool) {
	x := &e.state.Plan[i]
	e.unsaved = true
	if !stale && e.Effect(e.plan.Steps[i]) == plan.Once {
		e.doubt(x, reasonBrokenOff, Ended{})
		return
	}
	x.Status, x.Reason, x.Tried = Pending, "", max(0, x.Tried-1)
}

// doubt leaves it to a person whether a step took effect.
func (e *engine) doubt(x *Step, why string, d Ended) {
	x.Status, x.Reason, e.unsaved = InDoubt, why, true
	e.tell(Event{Kind: StepInDoubt, Step: x.ID, Attempt: x.Attempt, DurationMS: d.TookMS, Usage: d.used.Tokens, CostUSD: d.used.CostUSD, Message: why})
}

// asks makes a step wait for a person's word on what it shows.
func (e *engine) asks(x *Step, d *failure) {
	_, again := e.Looked[x.ID]
	same := again && d.Sum == x.Shown
	x.Status, x.Shown, x.Reason, x.Shows, x.Tried = Waiting, d.Sum, e.clean(d.Wait.Message), e.shown(d.Wait.Shown), 0
	x.Used.Tries-- // to ask is not a try: a job that resumes every night must not use the budget up
	e.state.Used.Tries--
	e.unsaved = true
	if same {
		return // it was approved; nothing is asked
	}
	ask := x.Reason
	if again {
		ask += " (what it shows has changed since it was approved)"
		delete(e.Looked, x.ID)
	}
	e.asked = append(e.asked, Event{Kind: StepWaiting, Step: x.ID, Attempt: x.Attempt, Message: ask})
}

// shown is what is kept of what an approval shows, without secrets.
func (e *engine) shown(text string) string {
	if text, _ = e.secrets.Text(text); len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}

func (e *engine) couldNot(x *Step, why string, d Ended) {
	x.Status, x.Reason = CouldNot, why
	e.erred(x)
	e.tell(Event{Kind: StepCouldNot, Step: x.ID, Attempt: x.Attempt, DurationMS: d.TookMS, Usage: d.used.Tokens, CostUSD: d.used.CostUSD, Message: why})
}

// fails tries a step again, or lets it be failed. A step whose effect may happen only
// once is in doubt where there was no answer, and is tried again only where it is known
// that it did not take effect.
func (e *engine) fails(i int, d Ended) {
	s, x := e.plan.Steps[i], &e.state.Plan[i]
	why, final, cause := e.clean(d.Failed.Text), d.Failed.Final, piton.CauseStepFailed
	if d.Failed.OverBudget { // the bound of the run, if that is reached, else the step's
		cause, _ = spent(e.budget(), e.state.Used)
		cause = cmp.Or(cause, piton.CauseStepBudget)
	}
	switch d.Cause {
	case tooLong:
		why = fmt.Sprintf("it took longer than its timeout of %s", time.Duration(s.Timeout))
	case overTime:
		_, why = spent(s.Budget, x.Used)
		final, cause = true, piton.CauseStepBudget
	case cleanUpOver:
		why = errCleanUp.Error()
	}
	final = final || !e.Until.IsZero()               // what cleans up has one try
	answers := s.Effect == "" && s.Action == "shell" // an exit status is an answer
	once, unknown := e.Effect(s) == plan.Once, d.Failed.Known == action.Unknown
	if once && unknown && !s.ContinueOnError {
		e.doubt(x, why+"; nobody knows whether it took effect", d)
		return
	}
	harmless := d.Failed.Known == action.Before || answers && !unknown
	if once && !harmless && x.Tried < s.Retry.Attempts {
		why, final = why+"; it is not tried again, because its effect may happen only once ('effect: idempotent' says that it may run twice)", true
	}
	if print, _ := d.Note.Data["fingerprint"].(string); print != "" { // what it has come to
		if slices.Contains(x.Prints, print) {
			e.couldNot(x, "no progress: another attempt came to the same. "+why, d)
			return
		}
		x.Prints = append(x.Prints, print)
	}
	if _, used := spent(s.Budget, x.Used); !final && used != "" && x.Tried < s.Retry.Attempts {
		why, final, cause = why+"; "+used, true, piton.CauseStepBudget
	}
	if !final && x.Tried < s.Retry.Attempts {
		wait := backoff(s.Retry, x.Tried, d.Failed.After, rand.Float64)
		x.Status, x.Reason, x.RetryAt = Pending, why, piton.At(e.now().Add(wait))
		e.unsaved = true
		e.tell(Event{Kind: StepRetrying, Step: x.ID, Attempt: x.Attempt, DurationMS: d.TookMS, Usage: d.used.Tokens, CostUSD: d.used.CostUSD,
			Message: fmt.Sprintf("%s; next try in %s", why, wait.Round(10*time.Millisecond))})
		return
	}
	e.fail(i, why, cause, d)
}

// fail lets a step be failed; d is its attempt, the zero value where there was none.
func (e *engine) fail(i int, why string, cause piton.RunCause, d Ended) {
	x := &e.state.Plan[i]
	x.Status, x.Reason, x.Cause, x.EndedAt = Failed, why, cause, piton.At(e.now())
	e.erred(x)
	e.tell(Event{Kind: StepFailed, Step: x.ID, Attempt: x.Attempt, DurationMS: d.TookMS, Usage: d.used.Tokens, CostUSD: d.used.CostUSD, Message: why})
}

// erred notes a step's failure in the state, which is kept at once.
func (e *engine) erred(x *Step) {
	e.state.LastError = &LastError{StepIndex: e.state.step(x.ID), Message: x.Reason, Timestamp: piton.At(e.now())}
	e.unsaved = true
	if e.failed == nil {
		copied := *x
		e.failed = &copied
	}
}

// repeats has a step that has brought an output run once more, where its condition wants it.
func (e *engine) repeats(i int, d Ended, output any) bool {
	s, x := e.plan.Steps[i], &e.state.Plan[i]
	if !s.Repeats() {
		return false
	}
	r := e.resolver()
	r.Each = e.each(i)
	again, err := r.Again(s, output)
	switch {
	case err != nil:
		e.fail(i, e.clean("repeat: "+err.Error()), piton.CauseStepFailed, d)
		return true
	case !again:
		return false
	case x.Iteration+1 >= s.Repeat.Times():
		e.fail(i, fmt.Sprintf("it has run %d times, and its condition does not hold yet", s.Repeat.Times()), piton.CauseStepFailed, d)
		return true
	}
	iteration, wait := x.Iteration+1, time.Duration(s.Repeat.Delay)
	x.Status = Completed
	e.state.renew(i)
	x.Iteration, x.RetryAt = iteration, piton.At(e.now().Add(wait))
	e.unsaved = true
	e.tell(Event{Kind: StepSays, Step: x.ID, Attempt: x.Attempt, Message: fmt.Sprintf("has run %d of at most %d times; its condition does not hold yet", iteration, s.Repeat.Times())})
	return true
}

func (e *engine) waitsOn(x *Step, w *action.Wait) {
	x.Status, x.Reason, x.Tried = Waiting, e.clean(w.Message), 0
	x.DueAt, x.Signal, x.Child = piton.Time{}, w.Signal, w.Run
	switch {
	case w.For > 0:
		x.DueAt = piton.At(e.now().Add(w.For))
	case !w.Until.IsZero():
		x.DueAt = piton.At(w.Until)
	}
	x.Used.Tries--
	e.state.Used.Tries--
	e.unsaved = true
	e.asked = append(e.asked, Event{Kind: StepIdle, Step: x.ID, Attempt: x.Attempt, Message: x.Reason})
}

// Payload reads what a signal carries: JSON that is not too deep; ok is false for another text.
func Payload(text []byte) (v any, ok bool) {
	return v, json.Unmarshal(text, &v) == nil && !deeper(v, maxDepth)
}
