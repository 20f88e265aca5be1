package courier_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

const (
	childEnv = "PITON_TEST_LETTERS" // what a child process of this test does
	loadEnv  = "PITON_TEST_LOAD"    // how long letters are written, 3 s when empty
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "write":
		err = writeLetters(os.Args[1], os.Args[2])
	case "carry":
		err = carryLetters(os.Args[1], os.Args[2], os.Args[3] == badly)
	case "hold":
		err = holdLetter(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Of the load: 500 letters a second, 5 in a transaction, over sessionsWritten
// sessions.
const (
	sessionsWritten = 50
	perTransaction  = 5
	everyTen        = 10 * time.Millisecond
)

// writeLetters writes letters until its input ends or it is killed, and prints each
// that was acknowledged: id, queue, key or -, and its number, which rises.
func writeLetters(path, begin string) error {
	st, err := sqlite.Open(context.Background(), path, sqlite.Options{Wait: time.Minute})
	if err != nil {
		return err
	}
	defer st.Close()
	var n int
	if _, err := fmt.Sscan(begin, &n); err != nil {
		return err
	}
	end := make(chan struct{})
	go func() { io.Copy(io.Discard, os.Stdin); close(end) }()
	for tick := time.NewTicker(everyTen); ; {
		select {
		case <-end:
			return nil
		case <-tick.C:
		}
		var letters []agent.Letter
		for range perTransaction {
			n++
			letters = append(letters, someLetter(n))
		}
		err := st.Local().Update(context.Background(), func(tx store.LocalTx) error {
			for _, l := range letters {
				if err := tx.Post(context.Background(), redact.Value(l)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		var said strings.Builder
		for _, l := range letters {
			said.WriteString(strings.Join([]string{l.ID, l.SessionID + "/" + l.To, keyOf(l), l.Body}, " ") + "\n")
		}
		os.Stdout.WriteString(said.String())
	}
}

// keyOf is the key by which a letter may be replaced, "-" for none.
func keyOf(l agent.Letter) string {
	if l.Key == "" || l.Critical {
		return "-"
	}
	return l.Key
}

// someLetter is the letter with a number, which is its body.
func someLetter(n int) agent.Letter {
	l := agent.Letter{
		ID: piton.NewID(piton.LetterPrefix), SessionID: fmt.Sprint("ses_", rand.IntN(sessionsWritten)), To: agent.ToListener("x"),
		Kind: "test", Due: piton.At(time.Now()), Body: fmt.Sprint(n),
	}
	switch x := rand.IntN(100); {
	case x < 20:
		l.Key = fmt.Sprint("tool", rand.IntN(3))
	case x < 30:
		l.Key, l.Critical = "tool0", true
	case x < 40:
		l.To = ""
	case x < 50:
		l.To = agent.ToListener("y")
	}
	return l
}

// Whether carriers do at random all that a carrier should not.
const badly, well = "badly", "well"

// receiver is a carrier that appends what arrives to a file.
func receiver(arrived *os.File, bad bool) carry {
	return func(ctx context.Context, l agent.Letter, _ agent.Session) courier.Outcome {
		if !bad {
			fmt.Fprintf(arrived, "%s %s %s %d\n", l.ID, l.SessionID+"/"+l.To, l.Body, time.Now().UnixMilli())
			return courier.Outcome{What: courier.Delivered}
		}
		if strings.HasSuffix(l.ID, "zz") { // one of 1,024 always
			panic("poisoned")
		}
		switch x := rand.IntN(1000); {
		case x < 10:
			panic("at random")
		case x < 30:
			return courier.Outcome{What: courier.Failed, Why: "at random"}
		case x < 32:
			select {} // never ends
		case x < 34:
			<-ctx.Done()
			return courier.Outcome{What: courier.Failed, Why: "too late"}
		case x < 44:
			return courier.Outcome{What: courier.Waits, Why: "not now", Again: time.Millisecond}
		}
		fmt.Fprintf(arrived, "%s %s %s %d\n", l.ID, l.SessionID+"/"+l.To, l.Body, time.Now().UnixMilli())
		if rand.IntN(100) == 0 {
			return courier.Outcome{What: courier.Failed, Why: "it has arrived, and the answer was lost"}
		}
		return courier.Outcome{What: courier.Delivered}
	}
}

func loadCourier(st *store.Local, arrived *os.File, bad bool) courier.Courier {
	return courier.Courier{
		Local: st, Limit: time.Second,
		Pause:    func(n int) time.Duration { return min(agent.Pause(n), 200*time.Millisecond) },
		Carriers: map[agent.LetterKind]courier.Carrier{"test": receiver(arrived, bad)},
	}
}

// carryLetters carries letters until it is killed.
func carryLetters(path, to string, bad bool) error {
	st, err := sqlite.Open(context.Background(), path, sqlite.Options{Wait: time.Minute})
	if err != nil {
		return err
	}
	arrived, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	c := loadCourier(st.Local(), arrived, bad)
	if os.Getenv(loadEnv) == "" {
		c.Lease = 2 * time.Second // the short form does not wait longer for the letters of the dead
	}
	c.Run(context.Background())
	return nil
}

// ledger is what writers have said, and what has arrived.
type ledger struct {
	mu     sync.Mutex
	acked  map[string]written
	queues map[string][]string // the ids that arrived first, by queue
	posted map[string]int      // the number of each letter that is known
	times  map[string][]int64  // when it arrived
}

type written struct {
	queue, key string
	n          int
	at         time.Time
}

// hear reads what a writer says.
func (b *ledger) hear(out io.Reader) {
	for s := bufio.NewScanner(out); s.Scan(); {
		var id string
		var w written
		if k, err := fmt.Sscan(s.Text(), &id, &w.queue, &w.key, &w.n); err != nil || k != 4 {
			continue // cut off by a kill
		}
		w.at = time.Now()
		b.mu.Lock()
		b.acked[id] = w
		b.mu.Unlock()
	}
}

// TestLettersSurviveKills has letters written and carried by processes that are
// killed again and again, by carriers that fail, hang and panic. Every letter that
// was acknowledged arrives, is parked, or was replaced by a later one with its key;
// those of a queue arrive in their order.
func TestLettersSurviveKills(t *testing.T) {
	long, every := 3*time.Second, 500*time.Millisecond
	if text := os.Getenv(loadEnv); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		long, every = d, 5*time.Second
		t.Run("without kills and faults, to compare with", func(t *testing.T) { lettersSurvive(t, well, long, long) })
	}
	t.Run("with kills and faults", func(t *testing.T) { lettersSurvive(t, badly, long, every) })
}

// lettersSurvive has letters written for a time, and kills a process at a time.
func lettersSurvive(t *testing.T, how string, long, every time.Duration) {
	dir := t.TempDir()
	path, to := filepath.Join(dir, "piton.db"), filepath.Join(dir, "arrived")
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	b := &ledger{acked: map[string]written{}, times: map[string][]int64{}, queues: map[string][]string{}, posted: map[string]int{}}
	kills, begin := 0, 0
	couriers := []*process{child(t, "carry", path, to, how), child(t, "carry", path, to, how)}
	writer := child(t, "write", path, fmt.Sprint(begin))
	hearing := make(chan struct{})
	listen := func() { w := writer; go func() { b.hear(w.out); hearing <- struct{}{} }() }
	listen()
	for end := time.Now().Add(long); ; kills++ {
		time.Sleep(min(every, time.Until(end)))
		if !time.Now().Before(end) {
			break
		}
		if x := kills % 3; x < 2 {
			couriers[x].kill()
			couriers[x] = child(t, "carry", path, to, how)
			continue
		}
		writer.kill()
		<-hearing
		begin += 1_000_000 // above all that it can have written
		writer = child(t, "write", path, fmt.Sprint(begin))
		listen()
	}
	writer.in.Close()
	<-hearing
	writer.Wait()
	for _, c := range couriers {
		c.kill()
	}
	file, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := loadCourier(st.Local(), file, how == badly).DeliverAll(t.Context(), 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	b.check(t, st.Local(), to, kills, long)
}

// check compares what was acknowledged with what has arrived.
func (b *ledger) check(t *testing.T, st *store.Local, to string, kills int, long time.Duration) {
	t.Helper()
	b.arrivals(t, to)
	list, err := st.ParkedLetters(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	parked := map[string]string{}
	for _, l := range list {
		parked[l.ID] = l.Outcome
		if !strings.HasSuffix(l.ID, "zz") && !strings.Contains(l.Outcome, "its courier ended") {
			t.Logf("%s was parked: %s", l.ID, l.Outcome) // eight faults at random
		}
	}
	newest := map[string]int{} // by queue and key, of those that arrived or are parked
	for id, w := range b.acked {
		if parked[id] != "" || len(b.times[id]) > 0 {
			newest[w.queue+w.key] = max(newest[w.queue+w.key], w.n)
		}
	}
	var lost, replaced, doubled, arrived int
	var lags []time.Duration
	for id, w := range b.acked {
		switch times := b.times[id]; {
		case len(times) > 0:
			arrived++
			doubled += len(times) - 1
			lags = append(lags, max(time.UnixMilli(times[0]).Sub(w.at), 0))
		case parked[id] != "":
		case w.key != "-" && newest[w.queue+w.key] > w.n:
			replaced++
		default:
			lost++
			if lost < 5 {
				t.Errorf("%s of %s, key %s, number %d, was lost", id, w.queue, w.key, w.n)
			}
		}
	}
	slices.Sort(lags)
	if lost > 0 || arrived == 0 {
		t.Errorf("got %d letters lost and %d delivered", lost, arrived)
	}
	if n, err := st.WaitingLetters(t.Context()); err != nil || n > 0 {
		t.Errorf("got %d letters that still wait (%v)", n, err)
	}
	p := func(q int) time.Duration { return lags[len(lags)*q/1000].Round(time.Millisecond) }
	t.Logf("%d kills in %s; letters written %d, delivered %d, replaced by a later one %d, parked %d, doubled %d, lost %d; delivery lag p50 %s, p99 %s, p99.9 %s",
		kills, long, len(b.acked), arrived, replaced, len(parked), doubled, lost, p(500), p(990), p(999))
}

// arrivals reads what has arrived, and looks at the order of each queue.
func (b *ledger) arrivals(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var id, queue string
		var n int
		var at int64
		if k, err := fmt.Sscan(line, &id, &queue, &n, &at); err != nil || k != 4 {
			t.Fatalf("got the line %q", line)
		}
		if b.times[id] = append(b.times[id], at); len(b.times[id]) > 1 {
			continue
		}
		if n <= last[queue] {
			t.Errorf("in the queue %s number %d arrived behind %d", queue, n, last[queue])
		}
		last[queue] = n
	}
}

// process is a child of this test.
type process struct {
	*exec.Cmd
	in   io.WriteCloser
	out  io.Reader
	once sync.Once
}

func child(t *testing.T, does string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(self, args...)}
	p.Env = append(os.Environ(), childEnv+"="+does)
	p.Stderr = os.Stderr
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe() // what a killed child has said stays to be read
	if err != nil {
		t.Fatal(err)
	}
	p.Stdout, p.out = w, r
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	p.once.Do(func() {
		p.Process.Kill()
		p.Wait()
	})
}
