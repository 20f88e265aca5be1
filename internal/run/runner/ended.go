package runner

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/piton-project/piton/internal/run/action"
)

// NotBegun is the end of an attempt that could not be begun.
func NotBegun(a Attempt, err error) Ended {
	return Ended{Attempt: a, Failed: &failure{Text: "it could not be begun: " + err.Error(), Known: action.Before}}
}

// report is what an attempt has brought, or its error.
func report(r action.Result, left []action.Artifact, err error) Ended {
	out := Ended{Left: left}
	if err == nil {
		out.Output, err = encode(r.Output)
	}
	var failed *action.Failed
	var could *action.CouldNot
	var wait *action.Wait
	if err != nil {
		out.Failed = &failure{Text: err.Error(), Known: action.KnownOf(err)}
	}
	switch { // in the order in which they count where they are taken in
	case errors.As(err, &wait):
		shown := *wait
		out.Failed.Wait, out.Failed.Sum = &shown, fmt.Sprintf("%x", sha256.Sum256([]byte(wait.Shown)))
	case errors.As(err, &could):
		out.Failed.CouldNot, r = true, could.Result
	case errors.As(err, &failed):
		out.Failed.Final, out.Failed.OverBudget, out.Failed.After = failed.Final, failed.OverBudget, failed.After
		r = failed.Result
	}
	out.Usage, out.CostUSD, out.Named, out.Note = r.Usage, r.CostUSD, r.Checkpoint, r.Note
	return out
}

// cleaned takes the secrets out of what an attempt has brought, for another process.
func (e *engine) cleaned(x Ended) Ended {
	x.Named, x.Note = e.nameOf(x.Named), e.noteOf(x.Note)
	if f := x.Failed; f != nil {
		if f.Text = e.clean(f.Text); f.Wait != nil {
			f.Wait.Message, f.Wait.Shown = e.clean(f.Wait.Message), e.shown(f.Wait.Shown)
		}
		return x
	}
	v, err := action.ReadJSON(x.Output)
	if err == nil {
		v, x.Redacted = e.secrets.Value(v)
		x.Output, err = encode(v)
	}
	if err == nil {
		err = tooLarge(x.Output)
	}
	if err != nil {
		x.Output, x.Failed = nil, &failure{Text: err.Error(), Final: true}
	}
	return x
}
