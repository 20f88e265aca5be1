package crashtest

import (
	"bufio"
	"context"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

// Kills works on stores of a kind with several children at a time, kills them
// at random moments, and looks after each time for all they had acknowledged.
type Kills struct {
	Kills    int // of children
	PerStore int // after as many a new store begins, so that a first open is among what is killed
	Savers   int // children that only save, beside the one that does all kinds of work

	// New makes the address of a store that is not there yet.
	New func(t testing.TB) string
	// Command is the program that runs Child on the store at an address.
	Command func(address, cold string, m Mode, seed uint64) *exec.Cmd
	// Open opens the store to look at it.
	Open func(t testing.TB, address string) (s store.Checkpoints, close func())
	// Sound looks at what belongs to the kind of store alone; nil: nothing.
	Sound func(ctx context.Context, s store.Checkpoints) error
	// Strike kills the server under the children in one of six rounds; restore
	// starts it again. nil: there is none.
	Strike func(t testing.TB) (restore func())
}

// Run does the work of a mode, for a minute at most unless all cases are asked for
// (need.Enough).
func (k Kills) Run(t *testing.T, m Mode) {
	seed := draw.Seed()
	t.Logf("seed %d", seed)
	r := run{Kills: k, T: t, mode: m, rnd: rand.New(rand.NewPCG(seed, 0))}
	var all Ledger
	start := time.Now()
	for r.killed < k.Kills && !need.Enough(start) {
		r.address, r.cold = k.New(t), filepath.Join(t.TempDir(), "cold")
		r.ledger = &Ledger{Cold: r.cold}
		for last := min(r.killed+k.PerStore, k.Kills); r.killed < last && !need.Enough(start); {
			r.round()
		}
		l := r.ledger
		all.Acknowledged, all.Completed, all.Deleted = all.Acknowledged+l.Acknowledged, all.Completed+l.Completed, all.Deleted+l.Deleted
		all.Archived, all.Prunings, all.InDoubt = all.Archived+l.Archived, all.Prunings+l.Prunings, all.InDoubt+l.InDoubt
	}
	t.Logf("%d kills of children, %d of them before a first word, %d of the server; %d checkpoints acknowledged, of them %d completed, %d deleted, %d archived; %d prunings ended; %d jobs cut off; lost: 0",
		r.killed, r.silent, r.struck, all.Acknowledged, all.Completed, all.Deleted, all.Archived, all.Prunings, all.InDoubt)
}

// run is the work so far.
type run struct {
	Kills
	*testing.T
	mode           Mode
	rnd            *rand.Rand
	address, cold  string
	ledger         *Ledger
	started        uint64 // children, each with a seed of its own
	killed, silent int
	struck         int
}

// life is a child that works.
type life struct {
	*exec.Cmd
	stderr strings.Builder
	said   bool
}

// word is a line that a child has said.
type word struct {
	from *life
	line string
}

// start starts a child; its lines go to said until it has ended.
func (r *run) start(m Mode, said chan<- word, ended *sync.WaitGroup) *life {
	r.started++
	c := &life{Cmd: r.Command(r.address, r.cold, m, r.started)}
	c.Stderr = &c.stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { c.Process.Kill() })
	ended.Go(func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			said <- word{c, lines.Text()}
		}
		c.Wait()
	})
	return c
}

// round lets children work for a while, kills them and looks at the store.
func (r *run) round() {
	said, ended := make(chan word), &sync.WaitGroup{}
	all := []*life{r.start(r.mode, said, ended)}
	for range r.Savers {
		all = append(all, r.start(Mode{Save}, said, ended))
	}
	over := make(chan struct{})
	go func() { ended.Wait(); close(over) }()
	hear := func(stop <-chan time.Time, most int) {
		for n := 0; n < most || stop != nil; {
			select {
			case w := <-said:
				if !r.ledger.Read(w.line) && stop == nil && most < whole {
					r.Errorf("got %q, want something that is understood", w.line)
				}
				w.from.said = true
				n++
			case <-stop:
				return
			case <-over:
				return
			}
		}
	}
	// Some are killed while they open, the others some time after one of the
	// first things they said.
	if r.rnd.IntN(5) == 0 {
		hear(time.After(time.Duration(r.rnd.IntN(60_000))*time.Microsecond), 0)
	} else {
		hear(nil, 1+r.rnd.IntN(20*len(all)))
		hear(time.After(time.Duration(r.rnd.IntN(4000))*time.Microsecond), 0)
	}
	restore := func() {}
	strike := r.Strike != nil && r.rnd.IntN(6) == 0
	if strike {
		restore = r.Strike(r.T)
		r.struck++
		hear(time.After(time.Duration(r.rnd.IntN(4000))*time.Microsecond), 0)
	}
	for _, c := range all {
		c.Process.Kill()
	}
	hear(nil, whole)
	for _, c := range all {
		if text := c.stderr.String(); text != "" && !strike {
			r.Fatalf("after %d kills: a child failed by itself: %s", r.killed, text)
		}
		if r.killed++; !c.said {
			r.silent++
		}
	}
	restore()
	r.look()
}

// whole is more lines than children say.
const whole = 1 << 30

// look looks for all that was acknowledged.
func (r *run) look() {
	s, closed := r.Open(r.T, r.address)
	defer closed()
	if err := Verify(r.Context(), s, r.ledger); err != nil {
		r.Fatalf("after %d kills: %v", r.killed, err)
	}
	if r.Sound == nil {
		return
	}
	if err := r.Sound(r.Context(), s); err != nil {
		r.Fatalf("after %d kills: %v", r.killed, err)
	}
}
