package courier

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// result is what became of a letter.
type result struct {
	agent.Letter
	Outcome
	unsure   bool // nobody knows whether it has arrived
	stuck    bool // its carrier still runs
	returned bool // a carrier that was stuck has ended; nothing else is told
	stopped  bool // the courier ended meanwhile: the attempt does not count
}

// queue names the letters of one session to one recipient.
type queue struct{ session, to string }

func (q queue) lane() string { return q.to } // all agents are one lane

func (r result) queue() queue { return queue{r.SessionID, r.To} }

// errStopped is why carriers are told to end when the courier does.
var errStopped = errors.New("the courier was stopped")

// carry has a letter carried and tells what became of it. A carrier that does not
// end in time is left alone, so that it keeps neither the letter nor the others. What
// it has after that is counted from when it was told to end: where the machine stood
// still, that was late.
func (c Courier) carry(carriers context.Context, l agent.Letter, tell func(result)) {
	ctx, cancel := context.WithTimeout(carriers, c.Limit)
	defer cancel()
	ended := make(chan result, 1)
	go func() {
		r := result{Letter: l}
		defer func() {
			if p := recover(); p != nil {
				c.Log.ErrorContext(ctx, "a carrier panicked", "letter", l.ID, "err", fmt.Sprint(p), "stack", string(debug.Stack()))
				r.Outcome, r.unsure = Outcome{What: Failed, Why: reason(fmt.Errorf("its carrier panicked: %v", p))}, true
			}
			ended <- r
		}()
		r.Outcome = c.hand(ctx, l)
		if r.What == Failed && context.Cause(carriers) == errStopped {
			r.unsure, r.stopped = true, true
		}
	}()
	select {
	case r := <-ended:
		tell(r)
		return
	case <-time.After(c.Limit):
	}
	select {
	case r := <-ended:
		tell(r)
	case <-time.After(c.Rest):
		tell(result{Letter: l, Outcome: Outcome{What: Failed, Why: "its carrier did not end in time"}, unsure: true, stuck: true})
		<-ended
		tell(result{Letter: l, returned: true})
	}
}

// hand gives a letter to its carrier.
func (c Courier) hand(ctx context.Context, l agent.Letter) Outcome {
	carrier, ok := c.Carriers[l.Kind]
	if !ok {
		return Outcome{What: Parked, Why: "this version does not know letters of kind " + string(l.Kind)}
	}
	var s agent.Session
	if l.SessionID != "" {
		var err error
		if s, err = c.Local.Session(ctx, l.SessionID); err != nil && piton.CodeOf(err) != piton.NotFound {
			return Outcome{What: Failed, Why: reason(err)}
		}
	}
	return carrier.Carry(ctx, l, s)
}
