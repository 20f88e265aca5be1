package turn

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// handler handles one event.
type handler struct {
	Turns
	event agent.Event
	at    piton.Time   // when it happened
	store *store.Local // nil until open
	all   string       // at a stop: all of its output, what was held before included

	posted bool      // letters that are to be carried at once
	until  time.Time // when git has had its time
	over   bool      // the session had ended before the event
	saved  string    // the checkpoint that this event saved last, or tried to
}

// handler is one for an event; the zero Event: something that is asked for now.
func (t Turns) handler(e agent.Event) *handler {
	h := &handler{Turns: t, event: e, at: piton.At(e.At), until: time.Now().Add(t.patience())}
	if e.At.IsZero() {
		h.at = t.now()
	}
	return h
}

// patient is a context for git: all of them together end after patience.
func (h *handler) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, h.until)
}

// open opens the store, once.
func (h *handler) open(ctx context.Context) (err error) {
	if h.store == nil {
		h.Busy.with(func() { h.store, err = h.Open(ctx) })
	}
	return err
}

// session finds the event's session, or makes one that is not written yet.
func (h *handler) session(ctx context.Context) (agent.Session, error) {
	if err := h.open(ctx); err != nil {
		return agent.Session{}, err
	}
	e := h.event
	s, err := h.store.SessionByClient(ctx, e.Agent, e.ClientID)
	switch {
	case piton.CodeOf(err) == piton.NotFound:
		s = agent.Session{
			Identity: agent.Identity{ID: piton.SessionID(e.Agent, e.ClientID), Agent: e.Agent, ClientID: e.ClientID,
				StartedAt: h.at, SeenAt: h.at},
		}
		s.Process, _ = process(e)
	case err != nil:
		return s, err
	}
	s = rooted(s, e)
	if s.Root != "" {
		return s, nil
	}
	// A client's first event may not say where it is.
	if s.Root = root(e); s.Root != "" {
		p, err := Identify(ctx, h.store, s.Root, true)
		if err != nil {
			return s, err
		}
		s.Project = p.ID
	}
	return s, nil
}

// seen returns the session after any event of it.
func (h *handler) seen(s agent.Session) agent.Session {
	e := h.event
	h.over = !s.EndedAt.IsZero()
	s = rooted(s, e).Happened(e, h.at)
	s.SeenAt = h.at
	own := e.Subagent == ""
	if own && !e.Unheard && (e.Kind == agent.EventPrompt || e.Kind == agent.EventStop) {
		s.Heard = true
	}
	if own && e.Kind == agent.EventStop {
		s = s.Continued(cut(e.Prompt, maxMessage))
	}
	if own && e.Transcript != "" {
		s.Transcript, s.Adopted = e.Transcript, false
	}
	if e.Cwd != "" {
		s.Cwd = e.Cwd
	}
	if e.ClientVersion != "" {
		s.ClientVersion = e.ClientVersion
	}
	if strings.HasPrefix(e.Run, piton.RunPrefix) && len(e.Run) < maxVersion {
		s.Run, s.Step = e.Run, cut(e.Step, maxVersion)
	}
	return s
}

// rooted is the session with its real root again, where the row holds one without
// its secrets; an event says the other paths again (see seen).
func rooted(s agent.Session, e agent.Event) agent.Session {
	if strings.Contains(s.Root, "[REDACTED:") {
		if r := root(e); redact.Name(r).Get() == s.Root {
			s.Root = r
		}
	}
	return s
}

// outcome is what an event leaves in the store: all of it is written, or nothing.
type outcome struct {
	session    agent.Session
	turn       *agent.Turn     // it has begun, or ended
	checkpoint *store.Prepared // of the session's own workflow
	letter     *agent.Letter
	settled    *agent.Letter  // it has arrived
	said       *output        // at a real stop: something new
	letters    []agent.Letter // to listeners
	decision   *agent.Decision
	takes      *piton.Checkpoint // what the session has taken over
	proofs     []proof           // of what other sessions left open
	told       []string          // what the project's people are told of
	mark       string            // a number is kept under this name
	count      int64
	log        store.LogEvent // without a kind nothing is announced
	began      time.Time      // when the hook began; zero: nobody asks how long it took
}

// outcome is that of an event that changes the session and is announced.
func (h *handler) outcome(s agent.Session) *outcome {
	return &outcome{session: s, began: h.Began, log: store.LogEvent{At: h.at, Kind: store.EventKind(h.event.Kind)}}
}

// commit writes what an event leaves in one short transaction; all that this
// package writes of sessions is written here. The session is read again in it:
// it may have moved on since was was read, or have been made by another hook.
// change tells what is left of it as it is now; nil: nothing. The store may run
// the transaction more than once. Without was the session is read here only, and
// one that is not known with its root is NotFound.
func (h *handler) commit(ctx context.Context, was agent.Session, change func(now agent.Session) *outcome) error {
	var listeners []agent.Listener
	if h.Listeners != nil {
		listeners = h.Listeners(cmp.Or(was.Root, root(h.event)))
	}
	var letters []agent.Letter
	err := h.update(ctx, func(tx store.LocalTx) error {
		letters = nil
		now, err := tx.SessionByClient(ctx, h.event.Agent, h.event.ClientID)
		switch {
		case piton.CodeOf(err) == piton.NotFound && was.ID != "":
			now = was
		case err != nil:
			return err
		case now.Root == "" && was.ID == "":
			return piton.Errorf(piton.NotFound, "find a session's work tree", "", "no event has named it yet")
		case now.Root == "":
			now.Root, now.Project = was.Root, was.Project
		}
		o := change(now)
		if o == nil {
			return nil
		}
		letters = occasion{h.event, o.log, h.at, o.session, o.decision, o.said}.letters(listeners)
		o.letters = letters
		return o.write(ctx, tx)
	})
	if err == nil {
		// What tools do waits for the next letter.
		h.posted = h.posted || slices.ContainsFunc(letters, func(l agent.Letter) bool { return l.Key == "" })
	}
	return err
}

// update runs a transaction, whose wait for the lock has the store's own bound.
func (h *handler) update(ctx context.Context, do func(store.LocalTx) error) (err error) {
	h.Busy.with(func() { err = h.store.Update(ctx, do) })
	return err
}

// write writes each part.
func (o *outcome) write(ctx context.Context, tx store.LocalTx) error {
	if o.checkpoint != nil {
		if err := o.save(ctx, tx); err != nil {
			return err
		}
	}
	if o.turn != nil {
		if err := tx.PutTurn(ctx, redact.Value(*o.turn)); err != nil {
			return err
		}
		if o.turn.EndedAt.IsZero() {
			if err := reopen(ctx, tx, o.session.WorkflowID); err != nil {
				return err
			}
		}
	}
	if o.letter != nil {
		if err := tx.Post(ctx, redact.Value(*o.letter)); err != nil {
			return err
		}
	}
	for _, l := range o.letters {
		if err := tx.Post(ctx, redact.Value(l)); err != nil {
			return err
		}
	}
	if o.settled != nil {
		if _, err := tx.Settle(ctx, redact.Value(*o.settled)); err != nil {
			return err
		}
	}
	if err := tx.PutSession(ctx, redact.Value(o.session)); err != nil {
		return err
	}
	if err := tell(ctx, tx, o.session.Project, o.told, o.session.SeenAt); err != nil {
		return err
	}
	if o.mark != "" {
		if err := tx.SetMark(ctx, o.mark, o.count); err != nil {
			return err
		}
	}
	if o.takes != nil {
		if err := takenBy(ctx, tx, *o.takes, o.session.ID); err != nil {
			return err
		}
	}
	for _, p := range o.proofs {
		if err := p.write(ctx, tx); err != nil {
			return err
		}
	}
	if o.decision != nil {
		if err := o.decide(ctx, tx); err != nil {
			return err
		}
	}
	if o.log.Kind == "" {
		return nil
	}
	o.log.Session, o.log.Project = o.session.ID, o.session.Project
	if took, known := o.took(); known {
		o.log.Data = map[string]any{store.TookMS: took}
	}
	return tx.Log(ctx, redact.Value(o.log))
}

// decide records the decision and counts it: its reason and, of a hold, the
// categories of what was changed.
func (o *outcome) decide(ctx context.Context, tx store.LocalTx) error {
	o.decision.TookMS, _ = o.took()
	clean := redact.Value(*o.decision)
	if err := tx.Decide(ctx, clean); err != nil {
		return err
	}
	d := clean.Get()
	counts := []store.Counted{{Name: store.DecisionCount + string(d.Reason), N: 1}}
	if d.Held {
		for _, c := range d.Categories {
			counts = append(counts, store.Counted{Name: store.HeldCount + c, N: 1})
		}
	}
	return tx.Count(ctx, d.At, o.session.Project, counts...)
}

// took is how long the hook has taken so far, in ms.
func (o *outcome) took() (ms int64, known bool) {
	if o.began.IsZero() {
		return 0, false
	}
	return time.Since(o.began).Milliseconds(), true
}

// save appends the checkpoint to the session's own workflow, which it makes where
// there is none, and notes it in the session.
func (o *outcome) save(ctx context.Context, tx store.LocalTx) error {
	p, s := *o.checkpoint, &o.session
	at, why := p.Record.CreatedAt, p.Record.Trigger
	if s.WorkflowID != "" {
		if _, err := tx.Workflow(ctx, s.WorkflowID, ""); piton.CodeOf(err) == piton.NotFound {
			s.WorkflowID = ""
		} else if err != nil {
			return err
		}
	}
	if s.WorkflowID == "" {
		s.WorkflowID = piton.NewID(piton.WorkflowPrefix)
		w := piton.Workflow{ID: s.WorkflowID, Type: piton.TypeSession, Project: s.Project, SessionID: s.ID, CreatedAt: at}
		if err := tx.PutWorkflow(ctx, redact.Value(w)); err != nil {
			return err
		}
	}
	s.CurrentID = cmp.Or(s.CurrentID, s.WorkflowID)
	p.Record.WorkflowID = s.WorkflowID
	if _, err := tx.Append(ctx, redact.Value(p)); err != nil {
		return err
	}
	*s = s.Saved(why, at)
	if p.Close {
		if err := finished(ctx, tx, s); err != nil {
			return err
		}
	}
	return tx.Count(ctx, at, s.Project, store.Saves(p.Record.StateBytes, time.Since(p.Began).Milliseconds())...)
}

// reopen opens the session's own workflow again at a new prompt.
func reopen(ctx context.Context, tx store.LocalTx, workflow string) error {
	if workflow == "" {
		return nil
	}
	w, err := tx.Workflow(ctx, workflow, "")
	if piton.CodeOf(err) == piton.NotFound || err == nil && !w.Closed {
		return nil
	}
	if err != nil {
		return err
	}
	w.Closed = false
	return tx.PutWorkflow(ctx, redact.Value(w))
}
