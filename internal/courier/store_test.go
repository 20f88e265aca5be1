package courier_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// failing is a store in which calls fail; fails says with what, by the call and the letter
// or the session that it is about.
type failing struct {
	store.Updater
	store.LetterStore
	store.SessionStore
	fails func(call, of string) error
}

func (f failing) Update(ctx context.Context, fn func(store.LocalTx) error) error {
	return f.Updater.Update(ctx, func(tx store.LocalTx) error {
		tx.LetterWriter = failingTx{tx.LetterWriter, f}
		return fn(tx)
	})
}

func (f failing) Queues(ctx context.Context) ([]store.Queue, error) {
	list, err := f.LetterStore.Queues(ctx)
	return list, errors.Join(err, f.fails("queues", ""))
}

func (f failing) Expired(ctx context.Context, at piton.Time, limit int) ([]agent.Letter, error) {
	list, err := f.LetterStore.Expired(ctx, at, limit)
	return list, errors.Join(err, f.fails("expired", ""))
}

func (f failing) WaitingLetters(ctx context.Context) (int, error) {
	n, err := f.LetterStore.WaitingLetters(ctx)
	return n, errors.Join(err, f.fails("waiting", ""))
}

func (f failing) Posts() (<-chan struct{}, func(), error) {
	if err := f.fails("posts", ""); err != nil {
		return nil, nil, err
	}
	return f.LetterStore.Posts()
}

func (f failing) Session(ctx context.Context, id string) (agent.Session, error) {
	if err := f.fails("session", id); err != nil {
		return agent.Session{}, err
	}
	return f.SessionStore.Session(ctx, id)
}

type failingTx struct {
	store.LetterWriter
	f failing
}

func (t failingTx) Claim(ctx context.Context, c store.Claim) (agent.Letter, bool, error) {
	if err := t.f.fails("claim", c.Session); err != nil {
		return agent.Letter{}, false, err
	}
	return t.LetterWriter.Claim(ctx, c)
}

func (t failingTx) Settle(ctx context.Context, l redact.Clean[agent.Letter]) (bool, error) {
	if err := t.f.fails("settle", l.Get().ID); err != nil {
		return false, err
	}
	return t.LetterWriter.Settle(ctx, l)
}

// fail lets the calls of an outbox's courier fail.
func (o *outbox) fail(fails func(call, of string) error) {
	local := *o.store
	f := failing{local.Updater, local.LetterStore, local.SessionStore, fails}
	local.Updater, local.LetterStore, local.SessionStore = f, f, f
	o.courier.Local = &local
}

// A store that is out of reach ends the work, and nothing is lost by that.
func TestStoreOutOfReach(t *testing.T) {
	away := &piton.Error{Code: piton.Unavailable, Op: "test"}
	for _, call := range []string{"queues", "expired", "waiting", "claim", "settle"} {
		t.Run(call, func(t *testing.T) {
			o := newOutbox(t)
			now := true
			o.fail(func(which, _ string) error {
				if now && which == call {
					return away
				}
				return nil
			})
			o.courier.Lease = 100 * time.Millisecond
			o.posts("1/", "2/x")
			if got, err := o.courier.Deliver(t.Context()); piton.CodeOf(err) != piton.Unavailable {
				t.Errorf("got %+v, %v, want the error of the store", got, err)
			}
			if got, err := o.courier.DeliverAll(t.Context(), time.Hour); piton.CodeOf(err) != piton.Unavailable {
				t.Errorf("all: got %+v, %v, want the error of the store", got, err)
			}
			now = false
			if call == "claim" || call == "queues" || call == "expired" {
				o.deliversAll(courier.Carried{Delivered: 2})
			}
		})
	}
}

// What is damaged stays behind, and the others are carried.
func TestOneIsDamaged(t *testing.T) {
	damaged := &piton.Error{Code: piton.Corrupt, Op: "test"}
	for _, c := range []struct {
		call, of string
		carried  courier.Carried
		seen     string
	}{
		{"claim", "2", courier.Carried{Delivered: 2, Waiting: 1}, "ltr_1 ltr_3"},
		{"settle", "ltr_2", courier.Carried{Delivered: 2, Waiting: 1}, "ltr_1 ltr_2 ltr_3"},
		{"session", "2", courier.Carried{Delivered: 2, Waiting: 1}, "ltr_1 ltr_3"},
	} {
		t.Run(c.call, func(t *testing.T) {
			o := newOutbox(t)
			o.courier.Pause = func(int) time.Duration { return time.Hour }
			o.fail(func(call, of string) error {
				if call == c.call && of == c.of {
					return damaged
				}
				return nil
			})
			o.posts("1/", "2/", "3/x")
			o.delivers(c.carried)
			seen := o.carried()
			slices.Sort(seen)
			if got := strings.Join(slices.Compact(seen), " "); got != c.seen {
				t.Errorf("got %s carried, want %s", got, c.seen)
			}
		})
	}
}

// Who cannot hear of letters looks for them, and goes on when the store fails for a moment.
func TestRunGoesOn(t *testing.T) {
	o := newOutbox(t)
	o.courier.Poll = 20 * time.Millisecond
	slept := 0
	o.courier.Sleep = func(context.Context, time.Duration) { slept++ }
	failed := 0
	o.fail(func(call, _ string) error {
		if call == "posts" {
			return errors.New("no pipes here")
		}
		if call == "queues" && failed < 2 {
			failed++
			return errors.New("for a moment")
		}
		return nil
	})
	o.posts("1/")
	ctx, stop := context.WithTimeout(t.Context(), long)
	o.do = func(context.Context, agent.Letter) courier.Outcome {
		stop()
		return courier.Outcome{What: courier.Delivered}
	}
	o.courier.Run(ctx)
	if got := o.carried(); len(got) != 1 || slept < 2 {
		t.Errorf("got %v carried after %d pauses, want the letter", got, slept)
	}
}

// A letter that is posted between the last look for letters and the courier's end is
// carried too: its hook started no courier, because this one still listened.
func TestPostedAtTheLastMoment(t *testing.T) {
	o := newOutbox(t)
	posted := false
	o.fail(func(call, _ string) error {
		if call == "waiting" && !posted {
			posted = true
			o.post(agent.Letter{ID: "ltr_2", SessionID: "2"})
		}
		return nil
	})
	o.posts("1/")
	o.deliversAll(courier.Carried{Delivered: 2})
}

// A letter whose outcome could not be written is carried again by the same courier.
func TestOutcomeThatIsNotWritten(t *testing.T) {
	o := newOutbox(t)
	o.courier.Lease, o.courier.Poll = 100*time.Millisecond, 20*time.Millisecond
	failed := 0
	o.fail(func(call, _ string) error {
		if call == "settle" && failed < 2 {
			failed++
			return &piton.Error{Code: piton.Corrupt, Op: "test"}
		}
		return nil
	})
	o.posts("1/")
	ctx, stop := context.WithTimeout(t.Context(), long)
	defer stop()
	o.do = func(context.Context, agent.Letter) courier.Outcome {
		if len(o.carried()) == 2 {
			stop()
		}
		return courier.Outcome{What: courier.Delivered}
	}
	o.courier.Run(ctx)
	if got := strings.Join(o.carried(), " "); got != "ltr_1 ltr_1" {
		t.Errorf("got %s carried, want the letter twice", got)
	}
}
