package courier

import (
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton/internal/store"
)

// Deliver carries each letter that is due, once.
func (c Courier) Deliver(ctx context.Context) (Carried, error) {
	d := c.ready().desk()
	defer d.close()
	d.due = d.now()
	err := d.serve(ctx, nil)
	if err != nil {
		return d.sum, err
	}
	d.sum.Waiting, err = c.Local.WaitingLetters(ctx)
	return d.sum, err
}

// DeliverAll delivers until no letter waits, or the time is over. It hears of
// letters that are posted meanwhile, so that hooks need not start another
// courier.
func (c Courier) DeliverAll(ctx context.Context, most time.Duration) (sum Carried, err error) {
	c = c.ready()
	if err := c.deliverUntil(ctx, c.now().Add(most), &sum); err != nil || sum.Waiting == 0 && !c.posted(ctx) {
		return sum, err
	}
	// Who posted while we still listened left the letter to us.
	return sum, c.deliver(ctx, &sum)
}

// posted reports whether letters wait now.
func (c Courier) posted(ctx context.Context) bool {
	n, err := c.Local.WaitingLetters(ctx)
	return err == nil && n > 0
}

// deliver is Deliver, added to what was done before.
func (c Courier) deliver(ctx context.Context, sum *Carried) error {
	now, err := c.Deliver(ctx)
	*sum = Carried{sum.Delivered + now.Delivered, sum.Dropped + now.Dropped, sum.Parked + now.Parked, now.Waiting}
	return err
}

// deliverUntil delivers, while it listens, until no letter waits or will be due in
// time.
func (c Courier) deliverUntil(ctx context.Context, end time.Time, sum *Carried) error {
	posted, stop, err := c.Local.Posts()
	if err == nil {
		defer stop()
	}
	for {
		if err := c.deliver(ctx, sum); err != nil || sum.Waiting == 0 {
			return err
		}
		queues, err := c.Local.Queues(ctx)
		if err != nil || len(queues) == 0 || queues[0].Due.After(end) || c.Now().After(end) {
			return err
		}
		wait := queues[0].Due.Sub(c.now().Time)
		if slices.ContainsFunc(queues, func(q store.Queue) bool { return q.Claimer != "" }) {
			wait = min(wait, peerPause)
		}
		c.sleep(ctx, max(wait, minWait), posted)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// sleep waits, at most until letters are posted.
func (c Courier) sleep(ctx context.Context, d time.Duration, posted <-chan struct{}) {
	ctx, wake := context.WithCancel(ctx)
	defer wake()
	go func() {
		select {
		case <-ctx.Done():
		case <-posted:
			wake()
		}
	}()
	c.Sleep(ctx, d)
}

// Run carries letters as they become due, until ctx ends. It hears at once of what
// is posted on this machine, and looks every few seconds all the same. An error of
// the store is logged and does not end it. What is being carried when ctx ends has
// some seconds to arrive.
func (c Courier) Run(ctx context.Context) {
	d := c.ready().desk()
	defer d.close()
	posted, stop, err := c.Local.Posts()
	if err == nil {
		defer stop()
	} else {
		d.Log.WarnContext(ctx, "letters are looked for every few seconds only", "err", err)
	}
	for ctx.Err() == nil {
		if err := d.serve(ctx, posted); err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "letters were not carried", "err", err)
			c.ready().Sleep(ctx, jitter(2*time.Second))
		}
	}
}
