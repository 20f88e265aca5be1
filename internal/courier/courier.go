// Package courier carries letters from the outbox to the agents they are for.
// A letter waits as a row with a due time; whoever takes it has it for a while,
// so that a carrier that dies keeps nothing back.
package courier

import (
	"context"
	"log/slog"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/store"
)

// Courier carries what is due.
type Courier struct {
	Local  *store.Local
	Client func(name string) (client.Adapter, bool) // agent.ByName when nil
	// Run runs a program in a folder and returns what kept it from success;
	// a program with a time limit when nil.
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
	Waiting   int `json:"waiting"` // are due later
}

// Any tells whether there was anything to carry.
func (c Carried) Any() bool { return c != Carried{} }

// batch is how many letters are looked at in one go.
const batch = 100

// lease is how long a letter belongs to who has taken it; more than carrying it
// can take.
const lease = time.Minute

// Deliver carries each letter that is due, once.
func (c Courier) Deliver(ctx context.Context) (Carried, error) {
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

// DeliverAll goes on until no letter waits any more, or most has passed.
func (c Courier) DeliverAll(ctx context.Context, most time.Duration) (Carried, error) {
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
		c.sleep(ctx, max(next[0].Due.Sub(c.now().Time), leastWait))
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
	}
}

// leastWait keeps two that look for the same letter from running in a circle.
const leastWait = 100 * time.Millisecond

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
		c.log().WarnContext(ctx, "a letter was not delivered", "letter", l.ID, "session", l.SessionID, "attempts", l.Attempts, "err", why)
	}
	return c.settle(ctx, l, what, why)
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
		if err := tx.PutLetter(ctx, l); err != nil || what == failed {
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
		if err := tx.PutSession(ctx, s); err != nil {
			return err
		}
		return tx.Log(ctx, store.LogEvent{At: at, Kind: store.EventKind("letter_" + what), Session: s.ID, Project: s.Project})
	})
}

func (c Courier) now() piton.Time {
	if c.Now == nil {
		return piton.At(time.Now())
	}
	return piton.At(c.Now())
}

func (c Courier) log() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

func (c Courier) sleep(ctx context.Context, d time.Duration) {
	if c.Sleep != nil {
		c.Sleep(ctx, d)
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
