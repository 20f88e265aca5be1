package pane

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

var _ courier.Carrier = Panes{}

// Carry hands a letter to the session's agent: by the client's own queue where it
// has one, else by typing it into the pane that was attached. Before it is typed,
// the letter and the session say so; from then on it is typed again only where Enter was
// never pressed and the client has dropped it.
func (p Panes) Carry(ctx context.Context, l agent.Letter, s agent.Session) courier.Outcome {
	if out := p.goOn(ctx, l, s); out != nil {
		return *out
	}
	text, out := p.text(l, s)
	if out != nil {
		return *out
	}
	c, ok := p.client(s.Agent)
	if !ok {
		return courier.Outcome{What: courier.Parked, Why: "no client is named " + s.Agent}
	}
	if s.Typing == l.ID {
		return p.finish(ctx, c, l, s, text, 0)
	}
	if !l.SentAt.IsZero() {
		return courier.Outcome{What: courier.Parked, Why: "nobody knows whether it has arrived"}
	}
	why, err := late(c, l, s)
	if err != nil {
		return failed(err)
	}
	if why != "" {
		return courier.Outcome{What: courier.Dropped, Why: why}
	}
	none := p.queue(ctx, c, s, text)
	switch {
	case none == nil:
		return courier.Outcome{What: courier.Delivered, Why: "by the client's own queue"}
	case s.Pane == nil:
		return p.unattached(l, none)
	case !hasNoQueue(none): // it may have taken the text
		return failed(none)
	}
	return p.begin(ctx, c, l, s, text)
}

// text is what a letter says; or what becomes of a letter that is not needed.
func (p Panes) text(l agent.Letter, s agent.Session) (string, *courier.Outcome) {
	var body agent.HoldLetter // of a restart the same without a turn
	err := json.Unmarshal([]byte(l.Body), &body)
	switch {
	case err != nil || body.Text == "" || l.Kind != agent.LetterHold && l.Kind != agent.LetterRestart:
		return "", &courier.Outcome{What: courier.Parked, Why: "this version cannot read such a letter"}
	case s.ID == "":
		return "", &courier.Outcome{What: courier.Dropped, Why: "its session is gone"}
	case l.Kind == agent.LetterHold && (s.Waiting != l.ID || s.Turn != body.Turn), l.Kind == agent.LetterRestart && s.Restarted != l.ID:
		return "", &courier.Outcome{What: courier.Dropped, Why: "the session has gone on"}
	case l.Kind == agent.LetterRestart && s.Typing != l.ID && p.Off != nil && p.Off(s):
		return "", &courier.Outcome{What: courier.Dropped, Why: "debriefs are switched off"}
	}
	return body.Text, nil
}

// late tells why a letter is no longer needed, by the transcript as it is now.
func late(c client.Client, l agent.Letter, s agent.Session) (string, error) {
	x, err := c.Transcript(s.Transcript, time.Time{}, 0)
	switch {
	case err != nil && l.Kind == agent.LetterRestart: // it is needed, whatever was said before
		return "", nil
	case err != nil:
		return "", err
	case x.OwnTextLast:
		return "the last message is Piton's own", nil
	case l.Kind == agent.LetterRestart:
		return "", nil
	case !x.Interrupted.IsZero():
		return "the request was cancelled", nil
	case piton.At(x.LastPromptAt).After(s.PromptedAt.Time):
		return "a person has spoken since", nil
	}
	return "", nil
}

// errNoQueue: this client takes no messages from outside.
var errNoQueue = errors.New("the client takes no messages from outside")

// refusals are words of a program that has refused its arguments, its own or those of
// a person's wrapper around it: it has done nothing.
var refusals = []string{"unrecognized subcommand", "unexpected argument", "` does not support `"}

// hasNoQueue reports whether a queue surely has not taken a text: there is none.
func hasNoQueue(err error) bool {
	said := err.Error()
	return errors.Is(err, errNoQueue) || errors.Is(err, exec.ErrNotFound) || slices.ContainsFunc(refusals, func(words string) bool { return strings.Contains(said, words) })
}

// queue hands a text to the client's own queue; an error where there is none, or
// it does not take the text.
func (p Panes) queue(ctx context.Context, c client.Client, s agent.Session, text string) error {
	argv := c.QueueCommand(s.ClientID, text)
	if argv == nil || p.Queue == nil {
		return errNoQueue
	}
	return p.Queue(ctx, argv, courier.Folder(s))
}

// unattached is what becomes of a letter to a session without a pane.
func (p Panes) unattached(l agent.Letter, none error) courier.Outcome {
	why := reason(none) + "; no pane is attached"
	switch {
	case l.Kind == agent.LetterRestart:
		return courier.Outcome{What: courier.Waits, Why: why + ": it goes with the next prompt", Again: later}
	case errors.Is(none, errNoQueue):
		return courier.Outcome{What: courier.Parked, Why: why}
	}
	return courier.Outcome{What: courier.Failed, Why: why}
}

// begin types a text, unless the pane is not ready for it.
func (p Panes) begin(ctx context.Context, c client.Client, l agent.Letter, s agent.Session, text string) courier.Outcome {
	v, why, again := p.ready(ctx, c, s)
	if why == "" {
		p.sleep(ctx, between)
		v, why, again = p.ready(ctx, c, s)
	}
	if why != "" {
		return courier.Outcome{What: courier.Waits, Why: why, Again: again}
	}
	mine, err := p.note(ctx, l)
	if err != nil {
		return failed(err)
	}
	if !mine {
		return courier.Outcome{What: courier.Dropped, Why: "the session has gone on"}
	}
	done, err := v.server.Paste(ctx, v.Pane, text)
	if err == nil && !done {
		if err = p.unnote(ctx, l); err == nil {
			return courier.Outcome{What: courier.Waits, Why: "the pane has changed while it was looked at", Again: soon}
		}
	}
	if err != nil { // tmux may have pasted all the same: what the pane shows decides
		p.sleep(ctx, between)
	}
	s.Typing = l.ID
	return p.finish(ctx, c, l, s, text, maxAgain)
}

// ready looks whether a text can be typed now; why says why not, and again when to
// look anew.
func (p Panes) ready(ctx context.Context, c client.Client, s agent.Session) (v view, why string, again time.Duration) {
	v, _, why = look(ctx, s.Agent, *s.Pane)
	if why == "" {
		why = v.usable(s.Agent)
	}
	if why != "" {
		if again = later; why == v.Unsafe {
			again = soon
		}
		return v, why, again
	}
	return v, v.stand(c, s).Unready(), soon
}

// note writes down that a letter is about to be typed; false: it must not be, since
// somebody else has it or the session has gone on.
func (p Panes) note(ctx context.Context, l agent.Letter) (mine bool, err error) {
	at := p.now()
	err = p.Local.Update(ctx, func(tx store.LocalTx) error {
		s, err := tx.Session(ctx, l.SessionID)
		if err != nil {
			return err
		}
		if mine = s.Waiting == l.ID || s.Restarted == l.ID; !mine {
			return nil
		}
		if mine, err = tx.Sending(ctx, l, at); err != nil || !mine {
			return err
		}
		s.Typing, s.TypingAt = l.ID, at
		return tx.PutSession(ctx, redact.Value(s))
	})
	return mine, err
}

// unnote takes the note back: nothing was typed.
func (p Panes) unnote(ctx context.Context, l agent.Letter) error {
	return p.Local.Update(ctx, func(tx store.LocalTx) error {
		s, err := tx.Session(ctx, l.SessionID)
		if err != nil || s.Typing != l.ID {
			return err
		}
		s.Typing, s.TypingAt = "", piton.Time{}
		return tx.PutSession(ctx, redact.Value(s))
	})
}
