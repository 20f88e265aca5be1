package courier

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// Bounds of what is carried at once.
const (
	maxCarried = 24                    // letters in all
	maxLane    = 6                     // letters to one listener, or to agents: a listener that hangs leaves room for others
	maxStuck   = 20                    // carriers of a lane that did not end in time and still run
	lookPause  = 20 * time.Millisecond // between two looks while many letters are posted
)

// desk is a courier at work. One goroutine owns it and does all that concerns the
// store: in each round it writes what became of letters and claims others, in one
// transaction. Carriers run in goroutines of their own.
type desk struct {
	Courier
	due   piton.Time // letters due by then are carried; zero: by now
	ready []queue    // where the first letter may be due
	// claimers have claimed the first letters of queues in ready, and died, or their
	// leases have run out.
	claimers map[queue]string
	ahead    map[queue]piton.Time // when letters are due that the clock has put too late (isAhead)
	by       string               // this process as a claimer
	busy     map[queue]bool
	passed   map[queue]bool // was busy at a look: what is due later in it is not known
	lanes    map[string]int // letters being carried
	carried  map[queue]agent.Letter
	renewAt  time.Time // their leases
	stuck    map[string]int
	damaged  map[queue]time.Time // not looked at before
	running  int
	results  chan result
	pending  []result // to be written
	lookAt   time.Time
	looked   time.Time
	expired  time.Time // when letters that have expired were looked for
	sum      Carried
	over     chan struct{} // closed when nobody takes results any more

	carriers context.Context // theirs: it outlives the courier's by the grace
	cancel   context.CancelCauseFunc
}

func (c Courier) desk() *desk {
	return &desk{Courier: c, by: me(), claimers: map[queue]string{}, busy: map[queue]bool{}, passed: map[queue]bool{}, lanes: map[string]int{}, carried: map[queue]agent.Letter{}, stuck: map[string]int{}, damaged: map[queue]time.Time{}, results: make(chan result), over: make(chan struct{})}
}

// limit is the time by which letters are due that are carried.
func (d *desk) limit() piton.Time {
	if d.due.IsZero() {
		return d.now()
	}
	return d.due
}

// lookBy sets the next look to a time, if it would be later.
func (d *desk) lookBy(due piton.Time) {
	if at := time.Now().Add(max(due.Sub(d.now().Time), minWait)); at.Before(d.lookAt) {
		d.lookAt = at
	}
}

// lookSoon sets the next look to as soon as may be.
func (d *desk) lookSoon() {
	if at := d.looked.Add(lookPause); at.Before(d.lookAt) {
		d.lookAt = at
	}
}

// choose takes the queues out of ready of which a letter can be carried now.
func (d *desk) choose() (chosen []queue) {
	lanes := map[string]int{}
	rest := d.ready[:0]
	for _, q := range d.ready {
		lane := q.lane()
		if d.running+len(chosen) >= maxCarried || d.lanes[lane]+lanes[lane] >= maxLane || d.stuck[lane] >= maxStuck {
			rest = append(rest, q)
			continue
		}
		lanes[lane]++
		chosen = append(chosen, q)
	}
	d.ready = rest
	return chosen
}

// start has a letter carried.
func (d *desk) start(l agent.Letter) {
	if len(d.carried) == 0 {
		d.renewAt = time.Now().Add(d.Lease / 3)
	}
	d.running++
	d.lanes[l.To]++
	d.carried[queue{l.SessionID, l.To}] = l
	go d.carry(d.carriers, l, d.tell)
}

// tell hands on the word of a carrier, while somebody takes it.
func (d *desk) tell(r result) {
	select {
	case d.results <- r:
	case <-d.over:
	}
}

// take takes the word of a carrier.
func (d *desk) take(r result) {
	lane := r.queue().lane()
	if r.returned {
		d.stuck[lane]--
		return
	}
	d.running--
	d.lanes[lane]--
	delete(d.carried, r.queue())
	if r.stuck {
		if d.stuck[lane]++; d.stuck[lane] == maxStuck {
			d.Log.Error("too many carriers do not end: no more letters go this way until the program is started again", "to", lane, "letter", r.ID)
		}
	}
	d.pending = append(d.pending, r)
}

// settled lets the next letter of a queue be claimed.
func (d *desk) settled(l agent.Letter) {
	q := queue{l.SessionID, l.To}
	delete(d.busy, q)
	if l.DoneAt.IsZero() {
		d.lookBy(l.Due)
	} else {
		d.ready = append(d.ready, q)
	}
}

// count counts what became of a letter, and logs what a person may have to see
// to.
func (d *desk) count(ctx context.Context, r result) {
	end := what(r)
	switch end {
	case Delivered:
		d.sum.Delivered++
	case Dropped:
		d.sum.Dropped++
	case Parked:
		d.sum.Parked++
	}
	if end == Failed || end == Parked {
		d.Log.WarnContext(ctx, "a letter was not delivered", "letter", r.ID, "session", r.SessionID, "to", r.To, "attempts", r.Attempts, "outcome", string(end), "err", r.Why)
	}
}

// close leaves the carriers that are left to themselves.
func (d *desk) close() { close(d.over) }
