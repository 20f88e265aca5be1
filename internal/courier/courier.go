// Package courier carries letters from the outbox to the agents they are for.
// A letter waits as a row with a due time. A courier claims it for a minute, so
// that one that dies does not keep it.
package courier

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Courier carries what is due.
type Courier struct {
	Local  *store.Local
	Client func(name string) (client.Client, bool) // clients.ByName when nil
	// Run runs a program in a folder; an error when it did not succeed. With a
	// time limit when nil.
	Run func(ctx context.Context, argv []string, dir string) error
	// Sleep waits; it returns early when ctx ends. A timer when nil.
	Sleep func(ctx context.Context, d time.Duration)
	Now   func() time.Time // time.Now when nil
	Log   *slog.Logger     // silent when nil
}

// Carried says what became of the letters. Its JSON is a contract
// (docs/json.md).
type Carried struct {
	Delivered int `json:"delivered"`
	Dropped   int `json:"dropped"` // nobody needed them any more
	Parked    int `json:"parked"`  // given up, with their error
	Waiting   int `json:"waiting"` // due later
}

// outcome is what became of a letter at one attempt.
type outcome string

const (
	delivered outcome = "delivered"
	dropped   outcome = "dropped" // nobody needs it any more
	failed    outcome = "failed"  // it is tried again
	parked    outcome = "parked"  // it can never arrive
)

// Any reports whether there was anything to carry.
func (c Carried) Any() bool { return c != Carried{} }

const (
	batch   = 100                    // letters read at once
	lease   = time.Minute            // how long a claimed letter is the courier's; more than carrying it can take
	minWait = 100 * time.Millisecond // keeps two couriers that wait for the same letter from spinning
)

// Deliver carries each letter that is due, once.
func (c Courier) Deliver(ctx context.Context) (Carried, error) {
	c = c.ready()
	var sum Carried
	letters, err := c.Local.Letters(ctx, c.now(), batch)
	if err != nil {
		return sum, err
	}
	for _, l := range letters {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		if err := c.take(ctx, l.ID, &sum); err != nil {
			return sum, err
		}
	}
	waiting, err := c.Local.Letters(ctx, piton.Time{}, batch)
	sum.Waiting = len(waiting)
	return sum, err
}

// DeliverAll delivers until no letter waits, or the time is over.
func (c Courier) DeliverAll(ctx context.Context, most time.Duration) (Carried, error) {
	c = c.ready()
	var sum Carried
	for end := c.now().Add(most); ; {
		now, err := c.Deliver(ctx)
		sum = Carried{sum.Delivered + now.Delivered, sum.Dropped + now.Dropped, sum.Parked + now.Parked, now.Waiting}
		if err != nil || sum.Waiting == 0 {
			return sum, err
		}
		next, err := c.Local.Letters(ctx, piton.Time{}, 1)
		if err != nil || len(next) == 0 || next[0].Due.After(end) {
			return sum, err
		}
		c.Sleep(ctx, max(next[0].Due.Sub(c.now().Time), minWait))
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
	}
}

// take carries one letter, unless another has it.
func (c Courier) take(ctx context.Context, id string, sum *Carried) error {
	at := c.now()
	var l agent.Letter
	var mine bool
	err := c.Local.Update(ctx, func(tx store.LocalTx) (err error) {
		l, mine, err = tx.Claim(ctx, id, at, piton.At(at.Add(lease)))
		return err
	})
	if err != nil || !mine {
		return err
	}
	what, why := c.carry(ctx, l)
	if what == failed && l.Attempts >= agent.MaxAttempts {
		what = parked
	}
	switch what {
	case delivered:
		sum.Delivered++
	case dropped:
		sum.Dropped++
	case parked:
		sum.Parked++
	}
	if what == failed || what == parked {
		c.Log.WarnContext(ctx, "a letter was not delivered", "letter", l.ID, "session", l.SessionID, "attempts", l.Attempts, "err", why)
	}
	return c.settle(ctx, l, what, why)
}

// carry sends one letter to its agent, or says why it did not.
func (c Courier) carry(ctx context.Context, l agent.Letter) (outcome, string) {
	var body agent.HoldLetter
	if err := json.Unmarshal([]byte(l.Body), &body); err != nil || l.Kind != agent.LetterHold || body.Text == "" {
		return parked, "this version does not know such a letter"
	}
	s, err := c.Local.Session(ctx, l.SessionID)
	switch {
	case piton.CodeOf(err) == piton.NotFound:
		return dropped, "its session is gone"
	case err != nil:
		return failed, reason(err)
	case s.Waiting != l.ID || s.Turn != body.Turn:
		return dropped, "the session has gone on"
	}
	client, ok := c.Client(s.Agent)
	if !ok {
		return parked, "no client is named " + s.Agent
	}
	if why, err := late(client, s); err != nil {
		return failed, reason(err)
	} else if why != "" {
		return dropped, why
	}
	argv := client.QueueCommand(s.ClientID, body.Text)
	if argv == nil {
		return parked, s.Agent + " takes no messages from outside"
	}
	if err := c.Run(ctx, argv, folder(s)); err != nil {
		return failed, reason(err)
	}
	return delivered, ""
}

// late tells why a hold is no longer needed, by the transcript as it is now: our
// own text is the last message, or a person has written or cancelled since.
func late(client client.Client, s agent.Session) (string, error) {
	x, err := client.Transcript(s.Transcript, time.Time{})
	switch {
	case err != nil:
		return "", err
	case x.OwnTextLast:
		return "the last message is Piton's own", nil
	case !x.Interrupted.IsZero():
		return "the request was cancelled", nil
	case piton.At(x.LastPromptAt).After(s.PromptedAt.Time):
		return "a person has spoken since", nil
	}
	return "", nil
}

// settle writes what became of a letter, and what of its session changes with
// it: the time of a hold begins when it has arrived.
func (c Courier) settle(ctx context.Context, l agent.Letter, what outcome, why string) error {
	at := c.now()
	l.Outcome = string(what)
	if why != "" {
		l.Outcome += ": " + why
	}
	if what == failed {
		l.Due = piton.At(at.Add(agent.Pause(l.Attempts)))
	} else {
		l.DoneAt = at
	}
	return c.Local.Update(ctx, func(tx store.LocalTx) error {
		if err := tx.PutLetter(ctx, redact.Value(l)); err != nil || what == failed {
			return err
		}
		s, err := tx.Session(ctx, l.SessionID)
		if piton.CodeOf(err) == piton.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case s.Waiting == l.ID && what == delivered:
			s = s.Arrived(at)
		case s.Waiting == l.ID:
			s.Waiting = ""
		case what == delivered: // it has crossed a person's prompt, and counts in that one's budget
			s.Holds = min(s.Holds+1, agent.MaxHolds)
		}
		if err := tx.PutSession(ctx, redact.Value(s)); err != nil {
			return err
		}
		return tx.Log(ctx, redact.Value(store.LogEvent{At: at, Kind: store.EventKind("letter_" + what), Session: s.ID, Project: s.Project}))
	})
}

// ready is the courier with what it uses where nothing else is handed in.
func (c Courier) ready() Courier {
	if c.Client == nil {
		c.Client = clients.ByName
	}
	if c.Run == nil {
		c.Run = start
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c Courier) now() piton.Time { return piton.At(c.Now()) }

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
