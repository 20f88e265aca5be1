package runner

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
)

// Ended is what an attempt has brought, for the turn that takes it in: JSON of at most
// 2 MiB, without secrets.
type Ended struct {
	Attempt
	Lost     bool               `json:"lost,omitempty"`    // nobody has heard of its end
	Unbegun  bool               `json:"unbegun,omitempty"` // it was ended before anybody had it
	Cause    Cause              `json:"cause,omitempty"`
	TookMS   int64              `json:"took_ms,omitempty"`
	Output   json.RawMessage    `json:"output,omitempty"`
	Redacted bool               `json:"redacted,omitempty"` // secrets were taken out of the output
	Usage    piton.TokenUsage   `json:"token_usage,omitzero"`
	CostUSD  float64            `json:"cost_usd,omitempty"`
	Note     *action.Note       `json:"note,omitempty"`
	Noted    bool               `json:"noted,omitempty"` // it has noted something itself
	Named    *action.Checkpoint `json:"named,omitempty"`
	Left     []piton.Artifact   `json:"left,omitempty"` // its files, which are in the store
	Failed   *failure           `json:"failed,omitempty"`
}

// failure is the error of an attempt; one of its kinds is set, or none.
type failure struct {
	Text       string           `json:"text"`
	Final      bool             `json:"final,omitempty"`
	Known      action.Knowledge `json:"known,omitempty"`
	OverBudget bool             `json:"over_budget,omitempty"`
	After      time.Duration    `json:"after,omitempty"`
	CouldNot   bool             `json:"could_not,omitempty"`
	Wait       *action.Wait     `json:"wait,omitempty"`
	Sum        string           `json:"sum,omitempty"` // of all that it shows, secrets too
}

// NotBegun is the end of an attempt that could not be begun.
func NotBegun(a Attempt, err error) Ended {
	return Ended{Attempt: a, Failed: &failure{Text: "it could not be begun: " + err.Error(), Known: action.Before}}
}

// report is an attempt's end without secrets.
func (e *engine) report(a Attempt, d ended, noted bool) (Ended, error) {
	out := Ended{Attempt: a, Cause: causeNamed(d.cause), TookMS: d.took.Milliseconds(), Noted: noted}
	r := d.result
	var failed *action.Failed
	var could *action.CouldNot
	var wait *action.Wait
	if d.err != nil {
		out.Failed = &failure{Text: e.clean(d.err.Error()), Known: action.KnownOf(d.err)}
	}
	switch { // in the order in which they count where they are taken in
	case errors.As(d.err, &wait):
		shown := *wait
		out.Failed.Sum = sumOf(shown.Shown)
		shown.Message = e.clean(shown.Message)
		shown.Shown, _ = e.secrets.Text(shown.Shown)
		shown.Shown = shortened(shown.Shown)
		out.Failed.Wait = &shown
	case errors.As(d.err, &could):
		out.Failed.CouldNot, out.Failed.Text = true, e.clean(could.Reason)
		r = could.Result
	case errors.As(d.err, &failed):
		out.Failed.Final, out.Failed.OverBudget, out.Failed.After = failed.Final, failed.OverBudget, failed.After
		r = failed.Result
	}
	out.Usage, out.CostUSD, out.Named = r.Usage, r.CostUSD, e.nameOf(r.Checkpoint)
	if n := r.Note; n.Data != nil {
		clean, _ := e.secrets.Value(n.Data)
		r.Note.Data, _ = clean.(map[string]any)
	}
	out.Note = &r.Note
	if d.err != nil {
		return out, nil
	}
	clean, found := e.secrets.Value(r.Output)
	text, err := encode(clean)
	if err == nil {
		err = tooLarge(text)
	}
	if err != nil {
		out.Failed = &failure{Text: err.Error(), Final: true}
		return out, nil
	}
	out.Output, out.Redacted = text, found
	for _, a := range d.left {
		out.Left = append(out.Left, a.Artifact)
	}
	return out, nil
}

// ended is what the attempt has brought, as a runner that carried it out itself has it.
func (x Ended) ended(step int) (d ended, err error) {
	d = ended{step: step, took: time.Duration(x.TookMS) * time.Millisecond, redacted: x.Redacted}
	if x.Cause != "" {
		if d.cause = causes[x.Cause]; d.cause == nil {
			d.cause = errStopped
		}
	}
	switch {
	case x.Unbegun:
		d.cause, d.err = errStopped, &action.Failed{Err: context.Canceled, Known: action.Before}
		return d, nil
	case x.Lost:
		d.cause, d.err = errStopped, context.Canceled
		return d, nil
	}
	d.result = action.Result{Usage: x.Usage, CostUSD: x.CostUSD, Checkpoint: x.Named}
	if x.Note != nil {
		d.result.Note = *x.Note
	}
	for _, a := range x.Left {
		d.left = append(d.left, action.Artifact{Artifact: a})
	}
	switch f := x.Failed; {
	case f == nil:
		d.result.Output, err = action.ReadJSON(x.Output)
	case f.Wait != nil:
		d.err, d.sum = f.Wait, f.Sum
	case f.CouldNot:
		d.err = &action.CouldNot{Reason: f.Text, Result: d.result}
	default:
		d.err = &action.Failed{Err: errors.New(f.Text), Final: f.Final, Known: f.Known, OverBudget: f.OverBudget, After: f.After, Result: d.result}
	}
	return d, err
}
