package turn

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
)

// stop decides whether an agent may end its turn (docs/spec.md, "Timer" to
// "Loop guard"). Slow work first: git and the transcript's end, both at once.
// Then one short transaction that looks at the timers again and writes
// decision, markers and checkpoint together. A kill between commit and reply
// loses one debrief; that is fail-open.
func (h *handler) stop(ctx context.Context) ([]byte, error) {
	status := h.status(ctx, root(h.event)) // git takes longest
	was, err := h.session(ctx)
	if err == nil && h.event.Unheard {
		if was.Transcript = cmp.Or(h.event.Transcript, was.Transcript); was.Transcript == "" {
			return nil, nil // a hint of a conversation that nothing is known of
		}
		was, err = h.overhear(ctx, was)
	}
	if err != nil {
		return nil, err
	}
	if h.all = h.event.LastOutput; h.event.SaidAll && h.seen(was).Holds > 0 {
		h.event.LastOutput = afterHeld(h.all, was.HeldSum) // what was held is not what it ends with
	}
	marking := h.markedAtStop(ctx, status)
	defer marking() // its store is closed when this is over
	x, err := h.judge(ctx, was, status)
	if err != nil {
		return nil, err
	}
	d := rule(x)
	if d.Held {
		d.Message = h.withExit(was.ID, d.Message)
	}
	p, missed := h.lastState(ctx, x, d)
	done, err := h.conclude(ctx, was, x, d, p)
	if err != nil && p != nil && piton.CodeOf(err) != piton.Unavailable {
		h.log().ErrorContext(ctx, "the turn's state was not saved", "session", was.ID, "err", err)
		missed, p = err, nil // the turn's end is kept without it
		done, err = h.conclude(ctx, was, x, d, nil)
	}
	if err != nil {
		return nil, err
	}
	marked := marking()
	if done.Held {
		p = nil
	}
	lost := h.afterStop(ctx, x, marked, p)
	if x.late() {
		missed = cmp.Or(missed, error(errLate))
	}
	if p != nil {
		h.carry(was.ID)
	}
	h.declined(ctx, was, done)
	return h.reply(x, done, d.offer, missed, lost), nil
}

// errLate is what a person is told once a session.
var errLate = piton.Errorf(piton.Unavailable, "look at the work tree", "", "git took longer than a hook waits, so what this turn changed is not known")

// overhear counts the person's last message where the client tells of a stop
// only: words and time come from the transcript (docs/spec.md, "Invisible to
// state"). Nothing was seen of the turn's beginning, so that there is no
// baseline. Where hooks tell of prompts and stops, they alone count: a message
// counted twice, or late, would renew the budget.
func (h *handler) overhear(ctx context.Context, was agent.Session) (agent.Session, error) {
	if was.Heard {
		return was, nil
	}
	x, err := h.Client.Transcript(was.Transcript, time.Time{}, 0)
	if err != nil {
		return was, nil // the stop's own look at it notes why
	}
	said, took := piton.At(x.LastPromptAt), h.quoted(ctx, x.LastPrompt)
	if x.LastPromptAt.IsZero() || agent.Injected(x.LastPrompt) || !said.After(was.PromptedAt.Time) {
		return was, nil
	}
	s := was
	err = h.commit(ctx, was, func(now agent.Session) *outcome {
		if s = now; s.Heard || !said.After(s.PromptedAt.Time) {
			return nil // another has been faster
		}
		opens, seenAt := !s.TurnOpen, s.SeenAt
		s = h.seen(s).Prompted(cut(x.LastPrompt, maxMessage), said)
		s.SeenAt = seenAt
		o := &outcome{session: s, log: store.LogEvent{At: said, Kind: store.EventKind(agent.EventPrompt)}}
		if opens {
			o.turn = &agent.Turn{SessionID: s.ID, N: s.Turn, StartedAt: said}
		}
		o.take(took, said)
		s = o.session
		return o
	})
	return s, err
}

// judge gathers the evidence of the turn and asks the rules about it.
func (h *handler) judge(ctx context.Context, was agent.Session, status func() gitStatus) (situation, error) {
	marker := h.takeMarkers(was.ID) // the way out is looked at first
	s := h.inherit(ctx, h.seen(was))
	turn, err := h.store.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		return situation{}, err
	}
	f := h.settle(ctx, s, was.SeenAt, turn, h.gather(ctx, s, turn, status))
	f = h.beyond(ctx, s, turn, f)
	set := h.inForce(s, f)
	s.ClientVersion = cmp.Or(f.script.ClientVersion, s.ClientVersion)
	s.IdleMS += f.script.Idle.Milliseconds()
	in := h.input(ctx, s, set, turn, f, h.at)
	x := situation{
		session: s, event: h.event, settings: set, turn: turn, found: f, result: debrief.Look(in), input: in,
		asked: h.asked(ctx, s), marker: marker, tells: h.Client.HoldTells(), exit: h.exit(s.ID), told: told(ctx, h.store, s.Project), at: h.at,
	}
	if verified := h.verified(ctx, x); len(verified) > 0 {
		in.Verified, in.Read = verified, nil // the reading was used up
		x.found.verified, x.result, x.input = verified, debrief.Look(in), in
	}
	if x.own = own(x); x.own != nil {
		since := x.found.script.AnewAt
		*x.own = h.elsewhere(ctx, &x, slices.DeleteFunc(slices.Clone(in.Calls), func(c agent.Call) bool { return c.StartedAt.Before(since) }), *x.own)
	}
	x.result = h.elsewhere(ctx, &x, in.Calls, x.result)
	return x, nil
}

// lastState prepares the checkpoint of a turn that ends here; nil for none. Where
// that fails the agent is let go all the same; only its state is not kept.
func (h *handler) lastState(ctx context.Context, x situation, d ruling) (*store.Prepared, error) {
	if !d.ends || !h.saves(piton.TriggerTurnEnd) {
		return nil, nil
	}
	draft := h.draft(ctx, x.session, x.found, x.result, x.open(), piton.TriggerTurnEnd, h.at)
	p, err := h.prepare(ctx, x.session, draft)
	if err != nil {
		h.log().ErrorContext(ctx, "the turn's state was not saved", "session", x.session.ID, "err", err)
		return nil, err
	}
	p.Keep = false
	p.Close = (draft.Progress == nil || *draft.Progress == 100) && len(x.open()) == 0 // no todo is open, and nothing else
	return p, nil
}

// conclude writes the decision unless the session has moved on since it was
// read: another hook has decided, or a person has spoken. Then the agent is
// let go. It returns what was decided.
func (h *handler) conclude(ctx context.Context, was agent.Session, x situation, d ruling, p *store.Prepared) (done agent.Decision, err error) {
	script := x.found.script
	place := func(s agent.Session) [6]any {
		return [6]any{s.Turn, s.Holds, s.TurnOpen, s.LastCheckpoint, s.LastMessage, s.Waiting}
	}
	var shown []string
	allShown := false
	if !d.Held { // else nothing of it is kept, and it takes a while
		shown, allShown = x.found.read.Seen()
	}
	said := outputOf(h.event.LastOutput)
	proofs := h.proves(ctx, x)
	err = h.commit(ctx, was, func(now agent.Session) *outcome {
		done = d.Decision
		moved := place(now) != place(was)
		s := h.seen(now)
		if t := x.session.Took; t != nil && s.Took != nil && s.Took.Checkpoint == t.Checkpoint {
			s.Took, s.Open = t, x.session.Open
		}
		s.WaitingSince = piton.Time{}
		s = worked(s, x)
		s.Troubled = s.Troubled || d.troubled && !moved
		s.ClientVersion = cmp.Or(script.ClientVersion, s.ClientVersion)
		if x.found.scriptErr == nil {
			s.TurnUsage, done.Usage = script.Usage, script.Usage
		}
		o := h.outcome(s)
		o.decision, o.proofs = &done, proofs
		switch {
		case moved:
			done.Held, done.Reason, done.Message = false, agent.ReasonMoved, ""
		case d.open:
		case d.Held && h.event.Unheard:
			s.HeldSum = outputOf(h.all).sum
			o.letter = holdLetter(s, done)
			o.session = s.Posted(o.letter.ID, script.Idle)
		case d.Held:
			s.HeldSum = outputOf(h.all).sum
			o.session, o.told = s.Held(h.at, script.Idle), d.told
		default:
			o.checkpoint = p
			s.Open = done.Open
			o.told = d.told
			s.Seen, allShown = seen(s, shown, allShown && x.input.CallsSeen && script.Complete)
			s.SeenAll = allShown
			if s.Said(said.kept, said.sum) {
				o.said = &said
			}
			o.session = s.Stopped(said.kept, said.sum, h.at)
			if turn := x.turn; turn.SessionID != "" {
				turn.EndedAt = h.at
				o.turn = &turn
			}
		}
		if done.Held {
			o.log = store.LogEvent{} // a held stop is not an end of turn: nothing is announced
		}
		return o
	})
	return done, err
}

// holdLetter holds an agent whose client hears no answer.
func holdLetter(s agent.Session, d agent.Decision) *agent.Letter {
	body, _ := marshal(agent.HoldLetter{Text: d.Message, Turn: s.Turn}) // a text and a number are always JSON
	return &agent.Letter{ID: piton.NewID(piton.LetterPrefix), SessionID: s.ID, Kind: agent.LetterHold, Due: d.At, Body: string(body)}
}

// reply is what the client is told. A hold goes first; then what was not kept,
// now or before, which is worse than anything else that a person could be told.
func (h *handler) reply(x situation, d agent.Decision, offer string, missed error, lost string) (text []byte) {
	switch {
	case h.event.Unheard:
		return nil
	case d.Held:
		return h.Client.Hold(d.Message, joinLines(lost, offer), x.session.ClientVersion, x.settings.Reply)
	case missed != nil:
		text = h.missed(h.event, missed)
	default:
		text = h.tellMissed(h.event)
	}
	if said := joinLines(lost, d.Message); text == nil && said != "" {
		text = h.Client.Notice(said)
	}
	return text
}
