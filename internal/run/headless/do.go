package headless

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/run/action"
)

var (
	_ action.Action     = (*Agent)(nil)
	_ action.Documented = (*Agent)(nil)
)

// Do carries out one attempt.
func (a *Agent) Do(ctx context.Context, c action.Call) (action.Result, error) {
	o, err := a.order(c)
	if err != nil {
		return action.Result{}, &action.Failed{Err: err, Final: true, Known: action.Before}
	}
	w := a.begin(ctx, c, o)
	return w.work(ctx)
}

// begin takes up what an earlier attempt has noted. What it has left running is
// ended: two agents must not work on one task.
func (a *Agent) begin(ctx context.Context, c action.Call, o order) *work {
	w := &work{a: a, c: c, o: o, memory: recall(c.Noted.Data), known: action.Before}
	proc.EndMarked(w.mark())
	now := a.now()
	if w.memory.Began.IsZero() {
		w.memory = memory{Began: now, Baseline: baseline(ctx, o.dir)}
	}
	w.note = action.Note{Agent: o.client.Name()}
	w.again = c.Noted.Agent != ""
	if c.Noted.Session == "" || c.Noted.Agent != o.client.Name() {
		return w
	}
	w.note.Session = c.Noted.Session
	w.uncounted()
	if w.resume = o.resume; !w.resume {
		w.note.Session = ""
		w.memory.Generation++
	}
	return w
}

// uncounted counts what a process that was broken off has used after its last note,
// as the client's log tells.
func (w *work) uncounted() {
	if !w.memory.Open {
		return
	}
	w.memory.Open = false
	if logged, ok := w.logged(w.memory.Started); ok {
		w.count(more(logged, w.memory.Told), 0, false, w.memory.Model)
	}
}

// work has the agent work until the checks hold, or nothing more can be done.
func (w *work) work(ctx context.Context) (action.Result, error) {
	prompt := w.fresh
	if w.resume {
		prompt = w.resumed
	}
	text := prompt()
	w.memory.CouldNot, w.memory.Ended = "", ""
	for round := 0; ; round++ {
		p, err := w.talk(ctx, text)
		if err != nil {
			return action.Result{}, w.failed(err)
		}
		w.turns += p.Turns
		w.denied = append(w.denied, p.Denied...)
		if reason := couldNot(p.Text); reason != "" {
			w.memory.CouldNot = begin(reason, maxWhy)
			return action.Result{}, &action.CouldNot{Reason: reason, Result: w.result(p)}
		}
		lacks, err := w.lacks(ctx, p)
		if err != nil {
			return action.Result{}, w.failed(err)
		}
		if len(lacks) == 0 {
			w.memory.Failing, w.memory.Fingerprint = nil, ""
			return w.result(p), nil
		}
		w.say("this does not hold: " + strings.Join(said(lacks), "; "))
		if err := w.moved(ctx, lacks); err != nil {
			return action.Result{}, w.failed(err)
		}
		if round >= w.o.rounds {
			return action.Result{}, w.failed(fmt.Errorf("%s ended, and this does not hold: %s%s", w.note.Agent, strings.Join(said(lacks), "; "), w.refusedTools()))
		}
		text, w.resume = w.mend(lacks), true
	}
}

// maxStarts bounds how often a client is started for one prompt: its session may
// be gone, or its id may be taken.
const maxStarts = 4

// talk has the client work on a prompt, in the session there is or in a new one.
func (w *work) talk(ctx context.Context, prompt string) (client.Progress, error) {
	for range maxStarts {
		p, refusal, err := w.process(ctx, prompt)
		switch {
		case refusal == client.RefusedGone && w.resume:
			w.say("the session " + w.note.Session + " is not there: a new one is begun")
			w.resume, w.again, w.note.Session, w.memory.Counted = false, true, "", piton.TokenUsage{}
			prompt = w.fresh()
		case refusal == client.RefusedTaken && !w.resume:
			w.memory.Generation++
			w.note.Session = ""
		default:
			return p, err
		}
	}
	return client.Progress{}, fmt.Errorf("%s did not begin a session", w.note.Agent)
}
