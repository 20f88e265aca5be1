package postgres_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
	"github.com/piton-project/piton/pgtest"
	"github.com/piton-project/piton/postgres"
	"github.com/piton-project/piton/sqlstore"
)

// Kills of the full run and of -short; every killsPerStore a new database
// begins, so that a first open is among what is killed.
const (
	kills         = 200
	shortKills    = 20
	killsPerStore = 20
)

// openChild opens each address it reads, saves once and closes again.
func openChild(ctx context.Context, _ []string) error {
	return lines(func(dsn string) string {
		s, err := postgres.Open(ctx, dsn, postgres.Options{})
		if err != nil {
			return err.Error()
		}
		defer s.Close()
		if _, err := (history.Keeper{Store: s}).Save(ctx, history.Draft{Workflow: "first", State: []byte(`{}`)}); err != nil {
			return err.Error()
		}
		return "ok"
	})
}

func TestFiveProcessesMakeTheStoreAtOnce(t *testing.T) {
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	var all []*child
	for range 5 {
		all = append(all, start(t, "open"))
	}
	for range rounds {
		dsn := pgtest.DSN(t)
		for _, c := range all {
			c.tell(t, dsn)
		}
		for _, c := range all {
			if got := c.hear(t); got != "ok" {
				t.Errorf("got %q, want ok", got)
			}
		}
		s := open(t, dsn)
		page, err := s.List(t.Context(), piton.Query{})
		if err != nil {
			t.Fatal(err)
		}
		var seqs []int64
		for _, c := range page.Checkpoints {
			seqs = append(seqs, c.Seq)
		}
		if len(seqs) != len(all) {
			t.Errorf("got %d checkpoints, want %d", len(seqs), len(all))
		}
		wantNumbers(t, "first", seqs)
	}
}

// saveChild saves to several workflows until it is killed, and says each id
// with the sum of the state it made as soon as it is acknowledged.
func saveChild(ctx context.Context, args []string) error {
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	s, err := postgres.Open(ctx, args[0], postgres.Options{})
	if err != nil {
		return err
	}
	k, rnd := history.Keeper{Store: s}, rand.New(rand.NewPCG(seed, 11))
	for i := uint64(0); ; i++ {
		size := 100 << rnd.IntN(12)
		state := words(seed<<32|i, size/2+rnd.IntN(size/2))
		c, err := k.Save(ctx, history.Draft{Workflow: fmt.Sprint("flow ", rnd.IntN(3)), State: state})
		if err != nil {
			return err
		}
		sum := sha256.Sum256(state)
		if got := hex.EncodeToString(sum[:]); got != c.SHA256 {
			return fmt.Errorf("%s: got the sum %s, want %s", c.ID, c.SHA256, got)
		}
		fmt.Println(c.ID, c.SHA256, c.Seq, c.WorkflowID)
	}
}

// acknowledged reads one line of saveChild's; a torn last one was not said.
func acknowledged(line string) (c piton.Checkpoint, ok bool) {
	_, err := fmt.Sscan(line, &c.ID, &c.SHA256, &c.Seq, &c.WorkflowID)
	return c, err == nil
}

// every fails unless each acknowledged checkpoint is there, whole, and the
// numbers are without gaps.
func every(t *testing.T, s *sqlstore.Store, saved []piton.Checkpoint) {
	t.Helper()
	for _, want := range saved {
		c, err := s.Checkpoint(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if c.SHA256 != want.SHA256 || c.Seq != want.Seq || c.WorkflowID != want.WorkflowID {
			t.Fatalf("got %+v, want %+v", c, want)
		}
		state, err := s.State(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(state); hex.EncodeToString(sum[:]) != want.SHA256 {
			t.Fatalf("%s: got another state than the acknowledged", want.ID)
		}
	}
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil {
		t.Fatal(err)
	}
	seqs := map[string][]int64{}
	for _, c := range page.Checkpoints {
		seqs[c.WorkflowID] = append(seqs[c.WorkflowID], c.Seq)
	}
	for flow, numbers := range seqs {
		wantNumbers(t, flow, numbers)
		w, err := s.Workflow(t.Context(), flow, "")
		if err != nil || w.Seq != int64(len(numbers)) {
			t.Errorf("%s: got the last number %d, %v, want %d", flow, w.Seq, err, len(numbers))
		}
	}
}

// TestNothingAcknowledgedIsLostByKill kills a saving process at random moments
// and looks for everything it had acknowledged.
func TestNothingAcknowledgedIsLostByKill(t *testing.T) {
	n := kills
	if testing.Short() {
		n = shortKills
	}
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	var s *sqlstore.Store
	var dsn string
	var saved []piton.Checkpoint
	total, mute := 0, 0
	for kill := range n {
		if kill%killsPerStore == 0 {
			dsn, s, saved = pgtest.DSN(t), nil, nil
		}
		c := start(t, "save", dsn, fmt.Sprint(kill))
		before := len(saved)
		// Some are killed while they open, the others some time after one of
		// their first saves.
		moment := time.Duration(rnd.IntN(60000)) * time.Microsecond
		if kill%5 != 0 {
			for range 1 + rnd.IntN(8) {
				x, ok := acknowledged(c.hear(t))
				if !ok {
					t.Fatalf("got %q, want an acknowledged checkpoint", c.out.Text())
				}
				saved = append(saved, x)
			}
			moment /= 10
		}
		<-time.After(moment)
		c.Process.Kill()
		for c.out.Scan() {
			if x, ok := acknowledged(c.out.Text()); ok {
				saved = append(saved, x)
			}
		}
		c.wait()
		if c.stderr.Len() > 0 {
			t.Fatalf("kill %d: the child failed by itself: %s", kill, &c.stderr)
		}
		if len(saved) == before {
			mute++
		}
		total += len(saved) - before
		if s == nil {
			s = open(t, dsn)
		}
		every(t, s, saved[before:])
		if kill%killsPerStore == killsPerStore-1 {
			every(t, s, saved)
			wantSound(t, s)
		}
	}
	t.Logf("%d kills, %d of them before a first save, %d checkpoints acknowledged, all there", n, mute, total)
}
