package courier_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// long bounds what comes soon on a machine that is not busy.
const long = time.Minute

// carry is a carrier made of a function.
type carry func(ctx context.Context, l agent.Letter, s agent.Session) courier.Outcome

func (c carry) Carry(ctx context.Context, l agent.Letter, s agent.Session) courier.Outcome {
	return c(ctx, l, s)
}

// outbox is a store with letters of kind "test", and a courier with a carrier for
// them.
type outbox struct {
	*testing.T
	store   *store.Local
	courier courier.Courier

	mu   sync.Mutex
	seen []string // the ids in the order they were carried
	do   func(ctx context.Context, l agent.Letter) courier.Outcome
}

func newOutbox(t *testing.T) *outbox {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	o := &outbox{T: t, store: st.Local(), do: func(context.Context, agent.Letter) courier.Outcome {
		return courier.Outcome{What: courier.Delivered}
	}}
	o.courier = courier.Courier{
		Local: o.store, Poll: 24 * time.Hour, Pause: func(int) time.Duration { return 0 },
		Carriers: map[agent.LetterKind]courier.Carrier{"test": carry(func(ctx context.Context, l agent.Letter, _ agent.Session) courier.Outcome {
			o.mu.Lock()
			o.seen = append(o.seen, l.ID)
			o.mu.Unlock()
			return o.do(ctx, l)
		})},
	}
	return o
}

func (o *outbox) update(fn func(store.LocalTx) error) {
	o.Helper()
	if err := o.store.Update(o.Context(), fn); err != nil {
		o.Fatal(err)
	}
}

// posts posts letters: "1/x" is one of session 1 to the listener x, "1/" one to its
// agent. Their ids count from ltr_1.
func (o *outbox) posts(queues ...string) {
	o.Helper()
	for i, q := range queues {
		session, to, _ := strings.Cut(q, "/")
		o.post(agent.Letter{ID: fmt.Sprint("ltr_", i+1), SessionID: session, To: to})
	}
}

func (o *outbox) post(l agent.Letter) {
	o.Helper()
	if l.Kind == "" {
		l.Kind = "test"
	}
	if l.Due.IsZero() {
		l.Due = piton.At(time.Now().Add(-time.Second))
	}
	l.Body = `{}`
	o.update(func(tx store.LocalTx) error { return tx.Post(o.Context(), redact.Value(l)) })
}

func (o *outbox) delivers(want courier.Carried) {
	o.Helper()
	got, err := o.courier.Deliver(o.Context())
	if err != nil || got != want {
		o.Fatalf("got %+v (%v), want %+v", got, err, want)
	}
}

// deliversAll delivers until nothing waits.
func (o *outbox) deliversAll(want courier.Carried) {
	o.Helper()
	got, err := o.courier.DeliverAll(o.Context(), time.Hour)
	if err != nil || got != want {
		o.Fatalf("got %+v (%v), want %+v", got, err, want)
	}
}

func (o *outbox) carried() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.seen...)
}

func (o *outbox) parked() []agent.Letter {
	o.Helper()
	list, err := o.store.ParkedLetters(o.Context(), 100)
	if err != nil {
		o.Fatal(err)
	}
	return list
}

func TestOrderOfAQueue(t *testing.T) {
	o := newOutbox(t)
	o.posts("1/x", "1/x", "1/x", "1/x")
	failures := 2
	o.do = func(_ context.Context, l agent.Letter) courier.Outcome {
		if l.ID == "ltr_2" && failures > 0 {
			failures--
			return courier.Outcome{What: courier.Failed, Why: "away"}
		}
		return courier.Outcome{What: courier.Delivered}
	}
	o.deliversAll(courier.Carried{Delivered: 4})
	if diff := cmp.Diff([]string{"ltr_1", "ltr_2", "ltr_2", "ltr_2", "ltr_3", "ltr_4"}, o.carried()); diff != "" {
		t.Errorf("carried (want -, got +):\n%s", diff)
	}
}

// What goes wrong with one letter does not concern those of other queues.
func TestOneBadLetter(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(ctx context.Context) courier.Outcome
		why  string
		rest time.Duration // after its time, which is short then
	}{
		{"its carrier panics", func(context.Context) courier.Outcome {
			panic("key sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-AA")
		}, "parked: its carrier panicked: key [REDACTED:", 0},
		{"its carrier waits for the end of its time", func(ctx context.Context) courier.Outcome {
			<-ctx.Done()
			return courier.Outcome{What: courier.Failed, Why: "too late"}
		}, "parked: too late", long},
		{"its carrier never ends", func(context.Context) courier.Outcome { select {} }, "parked: its carrier did not end in time", time.Millisecond},
		{"its carrier says what nobody knows", func(context.Context) courier.Outcome { return courier.Outcome{What: "lost", Why: "?"} }, "parked: ?", 0},
		{"it fails each time", func(context.Context) courier.Outcome { return courier.Outcome{What: courier.Failed, Why: "no"} }, "parked: no", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOutbox(t)
			if c.rest > 0 {
				o.courier.Limit, o.courier.Rest = 300*time.Millisecond, c.rest
			}
			o.do = func(ctx context.Context, l agent.Letter) courier.Outcome {
				if l.ID == "ltr_1" {
					return c.do(ctx)
				}
				return courier.Outcome{What: courier.Delivered}
			}
			o.posts("/x", "2/x", "3/y", "1/") // the first has no session, which would be read within Limit too
			o.deliversAll(courier.Carried{Delivered: 3, Parked: 1})
			if list := o.parked(); len(list) != 1 || list[0].ID != "ltr_1" || !strings.HasPrefix(list[0].Outcome, c.why) {
				t.Errorf("got %+v, want the first parked: %s", list, c.why)
			}
		})
	}
}

// While one listener keeps its carriers waiting, letters to others are carried.
func TestListenerThatHangs(t *testing.T) {
	o := newOutbox(t)
	const stuck = 40
	others, free := make(chan string, 10), make(chan struct{})
	o.do = func(_ context.Context, l agent.Letter) courier.Outcome {
		if l.To == "listener:stuck" {
			<-free
		} else {
			others <- l.ID
		}
		return courier.Outcome{What: courier.Delivered}
	}
	for i := range stuck {
		o.post(agent.Letter{ID: fmt.Sprintf("ltr_0%02d", i), SessionID: fmt.Sprint(i), To: "listener:stuck"})
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { o.courier.Run(ctx); close(over) }()
	for i := range 3 {
		o.post(agent.Letter{ID: fmt.Sprint("ltr_", i), SessionID: fmt.Sprint(i), To: []string{"", "listener:x", "listener:y"}[i]})
		select {
		case <-others:
		case <-time.After(long):
			t.Fatal("a listener that hangs holds up others")
		}
	}
	if n := len(o.carried()) - 3; n > 10 {
		t.Errorf("got %d letters carried to one listener at once, want few", n)
	}
	close(free)
	for end := time.Now().Add(long); ; time.Sleep(10 * time.Millisecond) {
		if n, err := o.store.WaitingLetters(ctx); err == nil && n == 0 {
			break
		} else if time.Now().After(end) {
			t.Fatalf("%d letters still wait (%v)", n, err)
		}
	}
	stop()
	<-over
}

func TestRunHearsOfLetters(t *testing.T) {
	o := newOutbox(t)
	carried := make(chan string, 1)
	o.do = func(_ context.Context, l agent.Letter) courier.Outcome {
		carried <- l.ID
		return courier.Outcome{What: courier.Delivered}
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { o.courier.Run(ctx); close(over) }()
	for end := time.Now().Add(long); !o.store.Attended(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody listens for letters")
		}
	}
	for _, id := range []string{"ltr_1", "ltr_2"} { // it does not look by itself before tomorrow
		o.post(agent.Letter{ID: id, SessionID: "1"})
		select {
		case got := <-carried:
			if got != id {
				t.Errorf("got %s, want %s", got, id)
			}
		case <-time.After(long):
			t.Fatal("the letter was not carried")
		}
	}
	o.post(agent.Letter{ID: "ltr_3", SessionID: "1", Due: piton.At(time.Now().Add(time.Second))})
	select {
	case <-carried:
	case <-time.After(long):
		t.Fatal("the letter that is due later was not carried")
	}
	stop()
	<-over
}

// A letter that is due later and was posted while one before it was carried is carried
// when it is due, not only when the courier looks by itself.
func TestPostedBehindALetterThatIsCarried(t *testing.T) {
	o := newOutbox(t)
	looked, later := make(chan struct{}), make(chan struct{})
	o.do = func(_ context.Context, l agent.Letter) courier.Outcome {
		switch l.ID {
		case "ltr_1":
			o.post(agent.Letter{ID: "ltr_2", SessionID: "1", Due: piton.At(time.Now().Add(2 * time.Second))})
			o.post(agent.Letter{ID: "ltr_3", SessionID: "2"})
			select {
			case <-looked:
			case <-time.After(long):
				t.Error("a letter to another was not carried meanwhile")
			}
		case "ltr_2":
			close(later)
		case "ltr_3":
			close(looked)
		}
		return courier.Outcome{What: courier.Delivered}
	}
	o.courier.Limit = 10 * long
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { o.courier.Run(ctx); close(over) }()
	o.post(agent.Letter{ID: "ltr_1", SessionID: "1"})
	select {
	case <-later:
	case <-time.After(long):
		t.Error("the letter that is due later was not carried")
	}
	stop()
	<-over
}

func TestLetterWaitsAsLongAsItTakes(t *testing.T) {
	o := newOutbox(t)
	now, tries := time.Now(), 0
	o.courier.Now = func() time.Time { return now }
	o.courier.Sleep = func(_ context.Context, d time.Duration) { now = now.Add(d) }
	o.do = func(context.Context, agent.Letter) courier.Outcome {
		if tries++; tries <= 5*agent.MaxAttempts {
			return courier.Outcome{What: courier.Waits, Why: "an approval prompt is open", Again: 3 * time.Second}
		}
		return courier.Outcome{What: courier.Delivered}
	}
	o.posts("1/")
	began := now
	o.deliversAll(courier.Carried{Delivered: 1})
	if took := now.Sub(began); took != 5*agent.MaxAttempts*3*time.Second {
		t.Errorf("got it delivered after %s, want each pause as long as was asked for", took)
	}
}

func TestPauseThatIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name            string
		again, at, want time.Duration
	}{
		{"longer than ours", 2 * time.Minute, 2 * time.Second, 2 * time.Minute},
		{"shorter than ours", time.Millisecond, 2 * time.Second, 2 * time.Second},
		{"longer than anybody may ask for", 100 * time.Hour, 2 * time.Second, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOutbox(t)
			now := time.Now().Truncate(time.Millisecond)
			o.courier.Now = func() time.Time { return now }
			o.courier.Pause = func(int) time.Duration { return c.at }
			o.do = func(context.Context, agent.Letter) courier.Outcome {
				return courier.Outcome{What: courier.Failed, Again: c.again}
			}
			o.posts("1/x")
			o.delivers(courier.Carried{Waiting: 1})
			list, err := o.store.Letters(t.Context(), piton.Time{}, 0)
			if err != nil || list[0].Due.Sub(now) != c.want {
				t.Errorf("got it due in %s (%v), want %s", list[0].Due.Sub(now), err, c.want)
			}
		})
	}
}

func TestExpired(t *testing.T) {
	o := newOutbox(t)
	now := time.Now()
	old, later := piton.At(now.Add(-time.Second)), piton.At(now.Add(time.Hour))
	for _, l := range []agent.Letter{
		{ID: "ltr_1", SessionID: "1", To: "listener:x", Expires: old},
		{ID: "ltr_2", SessionID: "1", To: "listener:x", Expires: later},
		{ID: "ltr_3", SessionID: "2", To: "listener:x", Due: later},
		{ID: "ltr_4", SessionID: "2", To: "listener:x", Expires: old}, // behind one that is not due
	} {
		o.post(l)
	}
	o.delivers(courier.Carried{Delivered: 1, Dropped: 2, Waiting: 1})
	if diff := cmp.Diff([]string{"ltr_2"}, o.carried()); diff != "" {
		t.Errorf("carried (want -, got +):\n%s", diff)
	}
}

// A letter that ends each courier that takes it.
func TestLetterThatKills(t *testing.T) {
	o := newOutbox(t)
	o.posts("1/x", "1/x")
	past := time.Now().Add(-time.Hour)
	for i := range agent.MaxAttempts {
		o.update(func(tx store.LocalTx) error {
			at := past.Add(time.Duration(i) * time.Second)
			if _, ok, err := tx.Claim(t.Context(), store.Claim{Session: "1", To: "x", At: piton.At(time.Now()), Until: piton.At(at)}); !ok {
				t.Errorf("claim %d: got %v (%v)", i, ok, err)
			}
			return nil
		})
	}
	o.delivers(courier.Carried{Delivered: 1, Parked: 1})
	if list := o.parked(); len(list) != 1 || list[0].ID != "ltr_1" || len(o.carried()) != 1 {
		t.Errorf("got %+v parked after %v, want the first, not carried again", list, o.carried())
	}
}

// What cannot be taken back is known to the next courier, whatever ended the
// first.
func TestSentAndNotSettled(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func() courier.Outcome
		sure bool
	}{
		{"a panic", func() courier.Outcome { panic("x") }, false},
		{"no end", func() courier.Outcome { select {} }, false},
		{"an outcome", func() courier.Outcome { return courier.Outcome{What: courier.Failed} }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOutbox(t)
			if c.name == "no end" {
				o.courier.Limit = 5 * time.Second // in which it notes that it was sent
			}
			var sent []bool
			o.do = func(ctx context.Context, l agent.Letter) courier.Outcome {
				if sent = append(sent, !l.SentAt.IsZero()); len(sent) > 1 {
					return courier.Outcome{What: courier.Delivered}
				}
				o.update(func(tx store.LocalTx) error {
					_, err := tx.Sending(ctx, l, piton.At(time.Now()))
					return err
				})
				return c.end()
			}
			o.posts("1/")
			o.deliversAll(courier.Carried{Delivered: 1})
			if diff := cmp.Diff([]bool{false, !c.sure}, sent); diff != "" {
				t.Errorf("known (want -, got +):\n%s", diff)
			}
		})
	}
}

// A letter stays its courier's as long as it is carried.
func TestLeaseIsRenewed(t *testing.T) {
	o := newOutbox(t)
	o.courier.Lease, o.courier.Limit = 3*time.Second, 10*long
	due := func() piton.Time {
		list, err := o.store.Letters(t.Context(), piton.Time{}, 0)
		if err != nil || len(list) != 1 {
			t.Errorf("got %v (%v), want the letter", list, err)
			return piton.Time{}
		}
		return list[0].Due
	}
	o.do = func(context.Context, agent.Letter) courier.Outcome {
		first := due()
		for end := time.Now().Add(long); due() == first; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Error("its time was not renewed")
				break
			}
		}
		return courier.Outcome{What: courier.Delivered}
	}
	o.posts("1/")
	o.delivers(courier.Carried{Delivered: 1})
}

// A courier that is stopped gives what it carries time to arrive, and what does
// not is carried again without counting.
func TestStopped(t *testing.T) {
	o := newOutbox(t)
	begun := make(chan struct{}, 2)
	o.do = func(ctx context.Context, l agent.Letter) courier.Outcome {
		begun <- struct{}{}
		if l.ID == "ltr_2" {
			<-ctx.Done()
			return courier.Outcome{What: courier.Failed, Why: "ended"}
		}
		time.Sleep(100 * time.Millisecond)
		return courier.Outcome{What: courier.Delivered}
	}
	o.posts("1/x", "2/x")
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { o.courier.Run(ctx); close(over) }()
	<-begun
	<-begun
	stop()
	<-over
	list, err := o.store.Letters(t.Context(), piton.At(time.Now()), 0)
	if err != nil || len(list) != 1 || list[0].ID != "ltr_2" || list[0].Attempts != 0 {
		t.Errorf("got %+v (%v), want the second due at once, its attempt not counted", list, err)
	}
	if o.store.Attended() {
		t.Error("somebody still listens")
	}
}

// A courier that waits for the last letter hears of those that are posted
// meanwhile, and carries what was left to it while it ended.
func TestPostedWhileACourierWaits(t *testing.T) {
	o := newOutbox(t)
	o.courier.Sleep = func(ctx context.Context, d time.Duration) {
		o.post(agent.Letter{ID: "ltr_2", SessionID: "2"})
		select {
		case <-ctx.Done(): // woken
		case <-time.After(long):
			t.Error("it was not woken by the letter")
		}
	}
	o.post(agent.Letter{ID: "ltr_1", SessionID: "1", Due: piton.At(time.Now().Add(time.Hour))})
	first := true
	o.do = func(_ context.Context, l agent.Letter) courier.Outcome {
		if first {
			first = false
			o.courier.Local.Update(t.Context(), func(tx store.LocalTx) error { // nobody waits for the first any more
				_, err := tx.Settle(t.Context(), redact.Value(agent.Letter{ID: "ltr_1", DoneAt: piton.At(time.Now())}))
				return err
			})
		}
		return courier.Outcome{What: courier.Delivered}
	}
	if got, err := o.courier.DeliverAll(t.Context(), 2*time.Hour); err != nil || got != (courier.Carried{Delivered: 1}) {
		t.Errorf("got %+v (%v), want the second delivered", got, err)
	}
	if diff := cmp.Diff([]string{"ltr_2"}, o.carried()); diff != "" {
		t.Errorf("carried (want -, got +):\n%s", diff)
	}
}
