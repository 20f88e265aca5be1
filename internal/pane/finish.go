package pane

import (
	"context"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/tmux"
)

// finish sends a text that was typed and waits until it has arrived. It presses
// Enter only where the whole text, and nothing else, stands in the input field of a
// client that is idle and asks nobody anything: so Enter can send this text and do
// nothing else. Where something has come in between, the text stays there, and is
// sent at the next such moment. Where it is gone from the field and nothing tells
// that it has arrived, a person decides.
// again is how often the text may be pasted anew; 0 where somebody else may have pasted
// it, and sent it.
func (p Panes) finish(ctx context.Context, c client.Client, l agent.Letter, s agent.Session, text string, again int) courier.Outcome {
	if s.Pane == nil {
		return courier.Outcome{What: courier.Parked, Why: "it was typed, and its pane was detached: nobody knows whether it has arrived"}
	}
	t := typed{Panes: p, client: c, letter: l, session: s, text: tmux.OneLine(text), again: again, pasted: time.Now(), end: time.Now().Add(maxShow)}
	for ctx.Err() == nil {
		if out := t.step(ctx); out != nil {
			return *out
		}
		p.sleep(ctx, poll)
	}
	return courier.Outcome{What: courier.Waits, Why: "it was typed, and is not sent yet", Again: soon}
}

// typed is a text on its way from the input field to the agent.
type typed struct {
	Panes
	client  client.Client
	letter  agent.Letter
	session agent.Session
	text    string
	again   int // how often it may be pasted anew
	pasted  time.Time
	enters  int
	pressed time.Time // the last Enter
	end     time.Time // until when the client may take
}

// step looks once, and does what is to be done; nil: look again.
func (t *typed) step(ctx context.Context) *courier.Outcome {
	now, err := t.Local.Session(ctx, t.letter.SessionID)
	switch {
	case err != nil:
		return &courier.Outcome{What: courier.Waits, Why: reason(err), Again: soon}
	case now.Typing != t.letter.ID: // only its arrival takes the note away
		return delivered
	}
	v, gone, hidden := look(ctx, t.session.Agent, *t.session.Pane)
	if hidden == "" {
		hidden = v.usable(t.session.Agent)
	}
	st := v.stand(t.client, now)
	// A client that shows late what was pasted may have it twice: still Piton's words alone.
	if hidden == "" && (st.Holds(t.text) || st.Holds(t.text+t.text)) {
		return t.send(ctx, v, st)
	}
	if x, err := t.client.Transcript(now.Transcript, time.Time{}, 0); err == nil && x.OwnTextLast {
		return delivered
	}
	why := "it was typed, and is not to be seen"
	switch {
	case hidden != "":
		why = "it was typed, but " + hidden
	case st.Empty():
		why = "it was typed, and nothing tells whether it has arrived"
	case st.Composer && st.Typed != "":
		why = "it was typed, and something else stands in the input field with it"
	}
	quiet := hidden == "" && st.Typed == "" && !st.Asking
	coming := quiet && time.Since(now.TypingAt.Time) < maxTold
	starting := coming && t.again > 0 && t.enters == 0 // what is pasted may be lost; without Enter nothing is sent
	if starting && !st.Composer {
		t.end = time.Now().Add(maxShow)
	}
	switch over := time.Now().After(t.end); {
	case over && starting && st.Empty() && time.Since(t.pasted) < maxLate:
	case over && starting && st.Empty():
		t.again, t.pasted, t.end = t.again-1, time.Now(), time.Now().Add(maxShow)
		_, _ = v.server.Paste(ctx, v.Pane, t.text) // what the pane shows decides
	case over && coming:
		return &courier.Outcome{What: courier.Waits, Why: why, Again: soon}
	case gone, over && (hidden != "" || st.Idle && !st.Asking):
		return &courier.Outcome{What: courier.Parked, Why: why}
	case over:
		return &courier.Outcome{What: courier.Waits, Why: "it was typed, and " + st.Unready(), Again: soon}
	}
	return nil
}

// send presses Enter, if it can do nothing but send the text.
func (t *typed) send(ctx context.Context, v view, st client.Stand) *courier.Outcome {
	switch {
	case !st.Idle || st.Asking:
		if time.Now().After(t.end) {
			return &courier.Outcome{What: courier.Waits, Why: "it was typed and is not sent yet: " + st.Unready(), Again: soon}
		}
	case time.Since(t.pressed) < betweenEnters: // the client may not have shown yet that it has taken it
	case t.enters >= maxEnters:
		return &courier.Outcome{What: courier.Parked, Why: "it stands in the input field, and Enter does not send it: send or remove it"}
	default:
		t.sleep(ctx, between)
		if done, err := v.server.Enter(ctx, v.Pane); err == nil && done {
			t.enters++
			t.pressed, t.end = time.Now(), time.Now().Add(maxArrive)
		} else if time.Now().After(t.end) {
			return &courier.Outcome{What: courier.Waits, Why: "it was typed and is not sent yet: the pane changes all the time", Again: soon}
		}
	}
	return nil
}

var delivered = &courier.Outcome{What: courier.Delivered, Why: "typed into its pane"}
