package courier

import (
	"context"
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store"
)

const (
	grace       = 3 * time.Second // for what is being carried when the courier ends
	damagePause = time.Minute     // before a queue is read again that could not be read
	maxExpired  = 200             // letters are dropped at one look
	expireEvery = 2 * time.Second // letters that have expired are looked for
	peerPause   = time.Second     // before it is looked again whether another courier that has letters is alive
)

// serve works until no letter is due and none is being carried; with posted,
// which tells of new letters, until ctx ends or the store fails.
func (d *desk) serve(ctx context.Context, posted <-chan struct{}) error {
	d.carriers, d.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	defer d.finish(ctx)
	for first := true; ctx.Err() == nil; first = false {
		if first || posted != nil && !time.Now().Before(d.lookAt) {
			if err := d.look(ctx); err != nil {
				return err
			}
		}
		moved, err := d.round(ctx, d.choose())
		if err != nil {
			return err
		}
		if moved {
			d.drain(posted)
			continue
		}
		if posted == nil && d.running == 0 {
			return nil
		}
		d.wait(ctx, posted)
		d.renew(ctx)
	}
	return ctx.Err()
}

// look reads which queues there are, and sets when to look again.
func (d *desk) look(ctx context.Context) error {
	queues, err := d.Local.Queues(ctx)
	if err != nil {
		return err
	}
	due := d.limit()
	d.ready, d.claimers = d.ready[:0], map[queue]string{}
	d.ahead = map[queue]piton.Time{}
	d.looked = time.Now()
	d.lookAt = d.looked.Add(jitter(d.Poll))
	for _, x := range queues {
		q := queue{x.Session, x.To}
		switch {
		case d.busy[q]:
			d.passed[q] = true
		case time.Now().Before(d.damaged[q]):
		case x.Claimer == "" && d.isAhead(x.Due):
			d.ready, d.ahead[q] = append(d.ready, q), x.Due
		case x.Due.After(due.Time) && !d.free(x):
			d.lookBy(x.Due)
		default:
			d.ready, d.claimers[q] = append(d.ready, q), x.Claimer
		}
	}
	return d.expire(ctx)
}

// maxDue is how much later than now a letter is due at most, and some time for another
// clock.
const maxDue = maxAgain + 5*time.Minute

// isAhead reports whether a time lies further ahead than any letter waits: the clock was
// ahead when it was written, and was set back. Such a letter is due.
func (d *desk) isAhead(due piton.Time) bool { return due.After(d.now().Add(maxDue)) }

// free reports whether the first letter of a queue can be taken though its lease has
// not run out: who has claimed it has died. A letter to an agent waits for a third of
// the lease: what the dead courier has handed to the client's queue shows in the
// transcript a moment later, and is not handed over again then. Else it looks again
// soon.
func (d *desk) free(x store.Queue) bool {
	if x.Claimer == "" {
		return false
	}
	if !d.Died(x.Claimer) {
		d.lookBy(piton.At(d.now().Add(peerPause)))
		return false
	}
	if safe := piton.At(x.Due.Add(-d.Lease * 2 / 3)); x.To == "" && safe.After(d.limit().Time) {
		d.lookBy(safe)
		return false
	}
	return true
}

// expire drops letters that have expired behind one that is not due.
func (d *desk) expire(ctx context.Context) error {
	if time.Since(d.expired) < expireEvery {
		return nil
	}
	d.expired = time.Now()
	list, err := d.Local.Expired(ctx, d.limit(), maxExpired)
	if err != nil {
		return err
	}
	for _, l := range list {
		if q := (queue{l.SessionID, l.To}); !d.busy[q] {
			d.pending = append(d.pending, result{Letter: l, Outcome: Outcome{What: Dropped, Why: "it expired"}})
		}
	}
	return nil
}

// wait waits until a carrier ends, letters are posted, or it is time to look.
func (d *desk) wait(ctx context.Context, posted <-chan struct{}) {
	next := d.lookAt
	if len(d.carried) > 0 && (posted == nil || d.renewAt.Before(next)) {
		next = d.renewAt
	}
	timer := time.NewTimer(time.Until(next))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case r := <-d.results:
		d.take(r)
	case <-posted:
		d.lookSoon()
	case <-timer.C:
	}
}

// drain takes what carriers have to say, without waiting.
func (d *desk) drain(posted <-chan struct{}) {
	for {
		select {
		case r := <-d.results:
			d.take(r)
		case <-posted:
			d.lookSoon()
		default:
			return
		}
	}
}

// round writes what became of letters, and claims the first letter of each of the
// queues, in one transaction. false: there was nothing to do. With an error of
// one of them the others go on, unless the whole store is out of reach.
func (d *desk) round(ctx context.Context, queues []queue) (bool, error) {
	pending := d.pending
	if len(pending)+len(queues) == 0 {
		return false, nil
	}
	err := d.write(ctx, pending, queues)
	switch {
	case err == nil:
	case piton.CodeOf(err) == piton.Unavailable || ctx.Err() != nil:
		d.ready = append(d.ready, queues...)
		return false, err
	default: // one of them may be damaged
		d.pending = nil
		for _, r := range pending {
			if err := d.write(ctx, []result{r}, nil); err != nil {
				d.Log.ErrorContext(ctx, "what became of a letter was not written; it is carried again", "letter", r.ID, "err", err)
				delete(d.busy, r.queue())
			}
		}
		for _, q := range queues {
			if err := d.write(ctx, nil, []queue{q}); err != nil {
				d.Log.ErrorContext(ctx, "a letter was not claimed", "session", q.session, "to", q.to, "err", err)
				d.damaged[q] = time.Now().Add(damagePause)
			}
		}
		return true, nil
	}
	d.pending = d.pending[len(pending):]
	return true, nil
}

// write is the transaction of a round.
func (d *desk) write(ctx context.Context, results []result, queues []queue) error {
	at := d.now()
	after := make([]agent.Letter, len(results))
	for i, r := range results {
		after[i] = d.after(r, at)
	}
	var claimed []agent.Letter
	var empty []queue // nothing is due in them
	err := d.Local.Update(ctx, func(tx store.LocalTx) error {
		claimed, empty = claimed[:0], empty[:0]
		for i, r := range results {
			if err := settle(ctx, tx, after[i], what(r), at); err != nil {
				return err
			}
		}
		for _, q := range queues {
			c := store.Claim{Session: q.session, To: q.to, At: later(d.limit(), d.ahead[q]), Until: piton.At(at.Add(d.Lease)), By: d.by, Dead: d.claimers[q]}
			l, ok, err := tx.Claim(ctx, c)
			if err != nil {
				return err
			}
			if ok {
				claimed = append(claimed, l)
			} else {
				empty = append(empty, q)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, r := range results {
		d.count(ctx, r)
		d.settled(after[i])
	}
	for _, q := range empty {
		if d.passed[q] {
			delete(d.passed, q)
			d.lookSoon()
		}
	}
	for _, l := range claimed {
		d.busy[queue{l.SessionID, l.To}] = true
		switch {
		case expired(l, at):
			d.pending = append(d.pending, result{Letter: l, Outcome: Outcome{What: Dropped, Why: "it expired"}})
		case l.Attempts > agent.MaxAttempts:
			why := fmt.Sprintf("it was taken %d times, and each time its courier ended before it was done", agent.MaxAttempts)
			d.pending = append(d.pending, result{Letter: l, Outcome: Outcome{What: Parked, Why: why}})
		default:
			d.start(l)
		}
	}
	return nil
}

func later(a, b piton.Time) piton.Time {
	if b.After(a.Time) {
		return b
	}
	return a
}

// renew keeps the letters that are being carried from being taken by another.
func (d *desk) renew(ctx context.Context) {
	if len(d.carried) == 0 || time.Now().Before(d.renewAt) {
		return
	}
	d.renewAt = time.Now().Add(d.Lease / 3)
	until := piton.At(d.now().Add(d.Lease))
	err := d.Local.Update(ctx, func(tx store.LocalTx) error {
		for _, l := range d.carried {
			if err := tx.Renew(ctx, l, until); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.Log.WarnContext(ctx, "the letters that are being carried may be carried twice", "err", err)
	}
}

// finish gives what is being carried time to arrive, and writes what became of
// it.
func (d *desk) finish(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for limit, over := time.After(grace), 0; d.running > 0 && over < 2; {
		select {
		case r := <-d.results:
			d.take(r)
		case <-limit:
			d.cancel(errStopped)
			limit = time.After(grace)
			over++
		}
	}
	if _, err := d.round(ctx, nil); err != nil {
		d.Log.ErrorContext(ctx, "what became of letters was not written; they are carried again", "err", err)
	}
	d.cancel(errStopped)
}
