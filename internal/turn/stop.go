package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// stop decides whether an agent may end its turn (docs/spec.md, "Timer" to
// "Loop guard"). Slow work first: git and the transcript's end, both at once.
// Then one short transaction that looks at the timers again and writes
// decision, markers and checkpoint together. A kill between commit and reply
// loses one debrief; that is fail-open.
func (t Turns) stop(ctx context.Context, e agent.Event) ([]byte, error) {
	status := t.status(ctx, root(e))
	st, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	was, err := t.session(ctx, st, e)
	if err != nil {
		return nil, err
	}
	if e.Unheard {
		if was.Transcript = firstOf(e.Transcript, was.Transcript); was.Transcript == "" {
			return nil, nil // a hint of a conversation that nothing is known of
		}
		if was, err = t.overhear(ctx, st, e, was); err != nil {
			return nil, err
		}
	}
	at := t.at(e)
	marker := t.consumeMarker(was.ID) // the way out is looked at first
	s := seen(was, e, at)
	turn, err := st.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		return nil, err
	}
	f := t.settle(ctx, e, s, was.SeenAt, turn, t.look(ctx, s, turn, status))
	set := t.inForce(s.Root, f)
	set.Mode = set.ModeOf(e.Agent)
	s.ClientVersion = firstOf(f.script.ClientVersion, s.ClientVersion)
	s.IdleMS += f.script.Idle.Milliseconds()
	in := t.input(ctx, st, s, set, turn, f, at)
	r := debrief.Look(in)
	x := situation{session: s, event: e, settings: set, turn: turn, found: f, result: r, marker: marker, exit: t.markers(s.ID)[0], at: at}
	if f.verified = t.verified(ctx, st, x); len(f.verified) > 0 {
		in.Verified, in.Read = f.verified, nil // the reading was used up
		r = debrief.Look(in)
		x.found, x.result = f, r
	}
	d := decide(x)
	if d.Held {
		d.Message = t.exit(s.ID, d.Message)
	} else if line := x.trouble(d); line != "" && !was.Troubled {
		d.Message, f.troubled = line, true
	}

	var p *prepared
	var missed error
	if ends(d, s, turn, f) && t.saves(piton.TriggerTurnEnd) {
		draft := t.draft(ctx, st, s, f, d.Actions, owned(r.Files), piton.TriggerTurnEnd, at)
		p, err = t.prepare(ctx, st, s, draft)
		if err != nil {
			// The agent is let go all the same; only its state is not kept.
			t.log().ErrorContext(ctx, "the turn's state was not saved", "session", s.ID, "err", err)
			missed = err
		} else {
			p.Keep = false
			p.Close = (draft.Progress == nil || *draft.Progress == 100) && !r.Unresolved // no todo is open
		}
	}
	err = t.commit(ctx, st, e, was, turn, f, &d, p)
	if err != nil && p != nil && piton.CodeOf(err) != piton.Unavailable {
		t.log().ErrorContext(ctx, "the turn's state was not saved", "session", s.ID, "err", err)
		missed, p = err, nil // the turn's end is kept without it
		err = t.commit(ctx, st, e, was, turn, f, &d, nil)
	}
	if err != nil {
		return nil, err
	}
	if p != nil {
		t.carry(s.ID)
	}
	if e.Unheard {
		if d.Held && t.Later != nil {
			t.Later("flush", "--wait")
		}
		return nil, nil
	}
	if told := t.missedAt(e, d, missed); told != nil {
		return told, nil
	}
	return t.reply(s, set, d), nil
}

// commit writes the decision unless the session has moved on since it was
// read: another hook has decided, or a person has spoken. Then the agent is
// let go.
func (t Turns) commit(ctx context.Context, st *store.Local, e agent.Event, was agent.Session, turn agent.Turn, f found, d *agent.Decision, p *prepared) error {
	at := t.at(e)
	return st.Update(ctx, func(tx store.LocalTx) error {
		s, err := again(ctx, tx, was)
		if err != nil {
			return err
		}
		moved := s.Turn != was.Turn || s.Holds != was.Holds || s.TurnOpen != was.TurnOpen || s.LastCheckpoint != was.LastCheckpoint || s.LastMessage != was.LastMessage || s.Waiting != was.Waiting
		s = seen(s, e, at)
		s.WaitingSince = piton.Time{}
		s.Troubled = s.Troubled || f.troubled && !moved
		s.ClientVersion = firstOf(f.script.ClientVersion, s.ClientVersion)
		if f.scriptErr == nil {
			s.TurnUsage = f.script.Usage
		}
		switch {
		case moved:
			d.Held, d.Reason, d.Message = false, agent.ReasonMoved, ""
		case leavesOpen(*d):
		case d.Held && e.Unheard:
			letter, err := t.hold(ctx, tx, s, *d)
			if err != nil {
				return err
			}
			s = s.Posted(letter, f.script.Idle)
		case d.Held:
			s = s.Held(at, f.script.Idle)
		case p != nil:
			if s, err = p.append(ctx, tx, s); err != nil {
				return err
			}
			fallthrough
		default:
			s = s.Stopped(cut(e.LastOutput, maxMessage), at)
			turn.EndedAt = at
			if turn.SessionID != "" {
				if err := tx.PutTurn(ctx, redact.Value(turn)); err != nil {
					return err
				}
			}
		}
		if err := tx.PutSession(ctx, redact.Value(kept(s))); err != nil {
			return err
		}
		if err := tx.Decide(ctx, redact.Value(*d)); err != nil {
			return err
		}
		if err := tx.Count(ctx, "stop_decisions_"+string(d.Reason), 1); err != nil {
			return err
		}
		if d.Held {
			return nil // a held stop is no end of turn: nothing is announced
		}
		return tx.Log(ctx, redact.Value(store.LogEvent{At: at, Kind: store.EventKind(e.Kind), Session: s.ID, Project: s.Project}))
	})
}

// ends tells whether a stop that is let through ends the turn with something
// new to keep.
func ends(d agent.Decision, s agent.Session, turn agent.Turn, f found) bool {
	if d.Held || leavesOpen(d) || s.Turn == 0 {
		return false
	}
	return s.TurnOpen || callSince(f.script.Calls, turn.EndedAt)
}

// leavesOpen tells a stop that is let through and leaves the turn as it is: it is not
// over, or another stop has ended it.
func leavesOpen(d agent.Decision) bool {
	switch d.Reason {
	case agent.ReasonBackground, agent.ReasonMoved, agent.ReasonCancelled, agent.ReasonLetter:
		return true
	}
	return false
}

// callSince tells whether the agent has called a tool after a moment.
func callSince(calls []agent.Call, after piton.Time) bool {
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].StartedAt.After(after.Time) || calls[i].EndedAt.After(after.Time) {
			return true
		}
	}
	return false
}

// markers are the files that let one stop through: in PITON_HOME, and in the
// temporary folder for agents that may write nowhere else.
func (t Turns) markers(session string) []string {
	return []string{
		filepath.Join(t.Home, "sessions", session, "checkpoint_clear"),
		filepath.Join(t.TempDir, "piton_checkpoint_clear_"+session),
	}
}

// consumeMarker removes the markers of a session and tells whether there was
// one.
func (t Turns) consumeMarker(session string) bool {
	there := false
	for _, m := range t.markers(session) {
		there = os.Remove(m) == nil || there
	}
	return there
}

// exit makes sure that a held agent can take the way out it is told: where the
// folder of the one cannot be made it is told the other.
func (t Turns) exit(session, message string) string {
	m := t.markers(session)
	if err := os.MkdirAll(filepath.Dir(m[0]), 0o700); err != nil {
		return strings.ReplaceAll(message, m[0], m[1])
	}
	return message
}

// reply is what the client is told.
func (t Turns) reply(s agent.Session, set debrief.Settings, d agent.Decision) []byte {
	switch {
	case d.Held:
		return t.Client.Hold(d.Message, s.ClientVersion, set.Reply)
	case d.Message != "":
		return t.Client.Notice(d.Message)
	}
	return nil
}
