package headless

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/run/action"
)

const (
	maxLine   = 16 << 20         // of a client's output; a longer one is left out
	maxStderr = 64 << 10         // of what is kept of its complaints
	grace     = 2 * time.Second  // from the request to end to the kill
	noteEvery = 10 * time.Second // usage is noted no more often
	peekEvery = 3 * time.Second  // the log of a client that tells no usage is read no more often
)

// process runs the client once. The refusal is that of a client that told nothing.
func (w *work) process(ctx context.Context, prompt string) (client.Progress, client.Refusal, error) {
	task := w.o.task
	task.Resume, task.Session = w.resume, w.note.Session
	if !w.resume && w.o.client.TakesID() {
		task.Session = sessionID(w.c.Key, w.memory.Generation)
		w.note.Session = task.Session
	}
	if left := w.c.Left.CostUSD; left > 0 {
		task.CostUSD = max(left-w.cost, 0.01)
	}
	argv := w.o.client.HeadlessCommand(task)
	if argv == nil {
		return client.Progress{}, client.RefusedGone, finally("%s cannot resume the session %q", w.note.Agent, task.Session)
	}
	if err := w.affordable(task.Model, true); err != nil {
		return client.Progress{}, client.RefusedElse, err
	}
	began := w.a.now()
	w.memory.Started, w.memory.Open = began, true
	if err := w.keep(ctx, client.Progress{}); err != nil {
		return client.Progress{}, client.RefusedElse, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f := &following{w: w, ctx: ctx, stop: stop, follow: w.o.client.Follow(), peeked: began, began: began}
	before := w.known
	w.known = action.Unknown
	r, err := proc.Run(ctx, proc.Command{
		Argv: append([]string{w.o.program}, argv[1:]...), Dir: w.o.dir, Env: w.o.env, Stdin: []byte(piton.Fence(task.Prompt(prompt))),
		Out: f, Err: w.c.Stream(), MaxOutput: maxStderr, Ends: true, Alone: true, Mark: w.mark(), Grace: grace,
	})
	f.flush()
	p := f.p
	w.settle(p, began)
	switch {
	case errors.Is(err, proc.ErrNotStarted):
		w.known = before
	case p.Done:
		w.known = action.Answered
	}
	switch {
	case err != nil:
		return p, client.RefusedElse, ended(ctx, w.note.Agent, err)
	case !p.Done && p.Turns == 0 && !f.called:
		if refusal := w.o.client.Refused(string(r.Stderr) + p.Failure); refusal != client.RefusedElse {
			w.known = before
			return p, refusal, fmt.Errorf("%s refused to begin: %s", w.note.Agent, end(string(r.Stderr), maxTail))
		}
	}
	if !p.Done {
		return p, client.RefusedElse, w.gaveUp(p, r.Code, string(r.Stderr))
	}
	return p, client.RefusedElse, nil
}

// gaveUp is the error of a client that has not come to the end of its work.
func (w *work) gaveUp(p client.Progress, code int, stderr string) error {
	why := strings.TrimSpace(p.Failure)
	if why == "" {
		why = fmt.Sprintf("it ended with status %d before its work was done", code)
		if said := end(stderr, maxTail); said != "" {
			why += ": " + said
		}
	}
	err := fmt.Errorf("%s: %s", w.note.Agent, begin(why, maxTail))
	if slices.Contains([]int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound}, p.Status) {
		return final{error: err}
	}
	return err
}

// ended is the error of a client that was ended, or could not be started.
func ended(ctx context.Context, agent string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		var f final
		if errors.As(cause, &f) {
			return cause
		}
		return fmt.Errorf("%s was ended: %w", agent, cause)
	}
	return finally("%s could not be started: %w", agent, err)
}

// following hears what the client says while it works.
type following struct {
	w      *work
	ctx    context.Context
	stop   context.CancelCauseFunc
	follow func([]byte) client.Progress
	p      client.Progress
	rest   []byte // of a line that is not whole
	skip   bool   // the line is too long
	called bool
	began  time.Time
	peeked time.Time
}

// Write takes the client's output.
func (f *following) Write(b []byte) (int, error) {
	n := len(b)
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		f.rest = append(f.rest, b[:i]...)
		f.flush()
		b = b[i+1:]
	}
	if f.rest = append(f.rest, b...); len(f.rest) > maxLine {
		f.rest, f.skip = f.rest[:0], true
	}
	return n, nil
}

func (f *following) flush() {
	if !f.skip && len(f.rest) > 0 {
		f.line(f.rest)
	}
	f.rest, f.skip = f.rest[:0], false
}

// line takes a line: its news go to whoever watches, its session and its usage are
// noted, and the budget is looked at.
func (f *following) line(line []byte) {
	before := f.p
	f.p = f.follow(line)
	for _, n := range f.p.News {
		f.called = f.called || n.Call
		f.tell(n)
	}
	if f.ctx.Err() != nil {
		return
	}
	w := f.w
	named := f.p.Session != "" && f.p.Session != w.note.Session
	if named {
		w.note.Session = f.p.Session
	}
	if m := f.p.Model; m != "" && m != before.Model {
		w.memory.Model = m
		if err := w.affordable(m, false); err != nil {
			f.stop(err)
			return
		}
	}
	f.peek()
	if err := w.over(f.p); err != nil {
		f.stop(err)
		return
	}
	if named || f.p.Usage != before.Usage && w.a.now().Sub(w.noted) >= noteEvery {
		if err := w.keep(f.ctx, f.p); err != nil {
			f.stop(fmt.Errorf("its progress cannot be noted: %w", err))
		}
	}
}

// peek reads the log for what the client has used so far, where a budget is to be
// kept and the client tells it only at the end.
func (f *following) peek() {
	w := f.w
	bounded := w.c.Left.Tokens > 0 || w.c.Left.CostUSD > 0
	told := f.p.Done || f.p.Usage.Total() > 0 && !f.p.Cumulative
	if !bounded || told || w.a.now().Sub(f.peeked) < peekEvery {
		return
	}
	f.peeked = w.a.now()
	if u, ok := w.logged(f.began); ok && u.Total() > 0 {
		f.p.Usage, f.p.Cumulative = u, false
	}
}

// tell shows a piece of news, and writes it into the log.
func (f *following) tell(n client.News) {
	w := f.w
	if n.Call {
		w.say("> " + n.Text)
		return
	}
	if w.c.Log != nil {
		fmt.Fprintln(w.c.Log, n.Text)
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(n.Text), "\n"); w.c.Say != nil {
		w.c.Say(begin(first, 300))
	}
}
