// Package courier carries letters from the outbox to the agents and listeners
// they are for. A letter waits as a row with a due time. A courier claims it for
// some seconds at a time, so that one that dies does not keep it (docs/spec.md, "Outbox").
package courier

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/store"
)

// Courier carries what is due.
type Courier struct {
	Local *store.Local
	// Carriers are by the kind of the letters they carry. A letter of another kind
	// is parked. Hold, with this courier's Client and Program, when nil.
	Carriers map[agent.LetterKind]Carrier
	Client   func(name string) (client.Client, bool) // clients.ByName when nil
	// Program runs a program in a folder; an error when it did not succeed. With a
	// time limit when nil.
	Program func(ctx context.Context, argv []string, dir string) error
	// Sleep waits; it returns early when ctx ends. A timer when nil.
	Sleep func(ctx context.Context, d time.Duration)
	// Pause is how long to wait after so many attempts that failed. agent.Pause
	// with jitter when nil.
	Pause func(attempts int) time.Duration
	Poll  time.Duration // how long Run goes at most without looking for letters; 5 s when 0
	Lease time.Duration // how long a letter is the courier's, who renews it while it is carried; 15 s when 0
	// Died reports whether who has claimed a letter (store.Queue.Claimer) is known to have
	// died. By the process's identity when nil.
	Died  func(claimer string) bool
	Limit time.Duration    // of one attempt; 45 s when 0
	Rest  time.Duration    // that a carrier has after Limit to end; a seventh of Limit when 0
	Now   func() time.Time // time.Now when nil
	Log   *slog.Logger     // silent when nil
}

// Carried says what became of the letters. Its JSON is a contract
// (docs/json.md).
type Carried struct {
	Delivered int `json:"delivered"`
	Dropped   int `json:"dropped"` // no longer needed
	Parked    int `json:"parked"`  // given up
	Waiting   int `json:"waiting"` // due later
}

// Any reports whether there was anything to carry.
func (c Carried) Any() bool { return c != Carried{} }

const (
	lease   = 15 * time.Second       // so late is a letter whose courier was killed
	limit   = 45 * time.Second       // more than a client's program or a listener may take
	minWait = 100 * time.Millisecond // keeps two couriers that wait for the same letter from spinning
	maxPoll = 5 * time.Second        // how long a courier goes without looking for letters
)

// ready is the courier with what it uses where nothing else is handed in.
func (c Courier) ready() Courier {
	if c.Client == nil {
		c.Client = clients.ByName
	}
	if c.Program == nil {
		c.Program = Start
	}
	if c.Carriers == nil {
		c.Carriers = map[agent.LetterKind]Carrier{agent.LetterHold: Hold{Client: c.Client, Run: c.Program}}
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Pause == nil {
		c.Pause = func(attempts int) time.Duration { return jitter(agent.Pause(attempts)) }
	}
	c.Poll = cmp.Or(c.Poll, maxPoll)
	c.Lease = cmp.Or(c.Lease, lease)
	if c.Died == nil {
		c.Died = died
	}
	c.Limit = cmp.Or(c.Limit, limit)
	c.Rest = cmp.Or(c.Rest, c.Limit/7)
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

// jitter is from half of a time to all of it.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }
