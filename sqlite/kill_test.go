package sqlite_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
	"github.com/piton-project/piton/sqlite"
	"github.com/piton-project/piton/sqlstore"
)

// Kills of the full run and of -short; every killsPerStore a new store begins,
// so that a first open is among what is killed.
const (
	kills         = 200
	shortKills    = 20
	killsPerStore = 20
)

// lexicon holds nothing that looks like a secret.
var lexicon = strings.Fields("all work and no play makes a dull day over the hills far away where green rivers run to the sea")

// words is a JSON object of about n bytes, the same for the same seed.
func words(seed uint64, n int) []byte {
	rnd := rand.New(rand.NewPCG(seed, 7))
	b := fmt.Appendf(nil, `{"seed":%d,"todos":[`, seed)
	for len(b) < n {
		b = append(b, `{"content":"`...)
		for range 12 {
			b = append(append(b, lexicon[rnd.IntN(len(lexicon))]...), ' ')
		}
		b = append(b, `"},`...)
	}
	return append(b, `{}]}`...)
}

// saveChild saves to several workflows and says each id with the sum of the
// state it made, as soon as it is acknowledged: until it is killed, or for a
// time. It takes a path, a seed, how long to wait for locks, and the time.
func saveChild(ctx context.Context, args []string) error {
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	wait, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	long, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, args[0], sqlite.Options{Wait: wait})
	if err != nil {
		return err
	}
	defer s.Close()
	k := history.Keeper{Store: s}
	rnd := rand.New(rand.NewPCG(seed, 11))
	end := time.Now().Add(long)
	for i := uint64(0); time.Now().Before(end); i++ {
		// From 100 B to 200 KB, as many below 4 KB as above.
		size := 100 << rnd.IntN(12)
		state := words(seed<<32|i, size/2+rnd.IntN(size/2))
		begin := time.Now()
		c, err := k.Save(ctx, history.Draft{Workflow: fmt.Sprint("flow ", rnd.IntN(5)), State: state})
		if err != nil {
			return fmt.Errorf("after %v: %w", time.Since(begin), err)
		}
		sum := sha256.Sum256(state)
		if got := hex.EncodeToString(sum[:]); got != c.SHA256 {
			return fmt.Errorf("%s: got the sum %s, want %s", c.ID, c.SHA256, got)
		}
		fmt.Println(c.ID, c.SHA256, c.Seq, c.WorkflowID, time.Since(begin).Microseconds())
	}
	return nil
}

// acknowledged reads one line of saveChild's.
func acknowledged(line string) (c history.Saved, micros int, ok bool) {
	_, err := fmt.Sscan(line, &c.ID, &c.SHA256, &c.Seq, &c.WorkflowID, &micros)
	return c, micros, err == nil
}

// every fails unless each acknowledged checkpoint is there with its sum and
// number.
func every(ctx context.Context, s *sqlstore.Store, saved []history.Saved) error {
	for _, want := range saved {
		c, err := s.Checkpoint(ctx, want.ID)
		if err != nil {
			return err
		}
		if c.SHA256 != want.SHA256 || c.Seq != want.Seq || c.WorkflowID != want.WorkflowID {
			return fmt.Errorf("got %+v, want %+v", c, want)
		}
		state, err := s.State(ctx, want.ID)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(state); hex.EncodeToString(sum[:]) != want.SHA256 {
			return fmt.Errorf("%s: got another state than the acknowledged", want.ID)
		}
	}
	return nil
}

// sound fails unless every number is there, every state loads, heads are the
// newest, and SQLite finds the file whole and as it was made.
func sound(ctx context.Context, s *sqlstore.Store) error {
	page, err := s.List(ctx, piton.Query{})
	if err != nil {
		return err
	}
	next := map[string]int64{}
	for i, c := range slices.Backward(page.Checkpoints) {
		if want := int64(len(page.Checkpoints) - i); c.Ordinal != want {
			return fmt.Errorf("%s: got the ordinal %d, want %d", c.ID, c.Ordinal, want)
		}
		next[c.WorkflowID]++
		if c.Seq != next[c.WorkflowID] {
			return fmt.Errorf("%s: got the number %d, want %d", c.ID, c.Seq, next[c.WorkflowID])
		}
		if _, err := s.State(ctx, c.ID); err != nil {
			return err
		}
	}
	for id, last := range next {
		w, err := s.Workflow(ctx, id, "")
		if err != nil {
			return err
		}
		head, err := s.Head(ctx, id, piton.MainBranch)
		if err != nil {
			return err
		}
		if w.Seq != last || head.Seq != last || w.HeadID != head.ID {
			return fmt.Errorf("%s: got the number %d and the head %s with %d, want %d", id, w.Seq, head.ID, head.Seq, last)
		}
	}
	for pragma, want := range map[string]string{"integrity_check": "ok", "foreign_key_check": "", "auto_vacuum": "2", "journal_mode": "wal"} {
		var got string
		if err := s.DB.QueryRowContext(ctx, `PRAGMA `+pragma).Scan(&got); got != want {
			return fmt.Errorf("%s: got %q, %v, want %q", pragma, got, err, want)
		}
	}
	return nil
}

// TestNothingAcknowledgedIsLostByKill kills a saving process at random moments
// and looks for everything it had acknowledged.
func TestNothingAcknowledgedIsLostByKill(t *testing.T) {
	n := kills
	if testing.Short() {
		n = shortKills
	}
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	dir, total, silent := t.TempDir(), 0, 0
	var path string
	var saved []history.Saved
	for kill := range n {
		if kill%killsPerStore == 0 {
			path, saved = filepath.Join(dir, fmt.Sprint(kill), "piton.db"), nil
		}
		c := start(t, "save", path, fmt.Sprint(kill), "10s", "1h")
		before := len(saved)
		// Some are killed while they open, the others some time after one of
		// their first saves.
		if kill%5 != 0 {
			for range 1 + rnd.IntN(12) {
				line := c.hear(t)
				x, _, ok := acknowledged(line)
				if !ok {
					t.Fatalf("got %q, want an acknowledged checkpoint", line)
				}
				saved = append(saved, x)
			}
			time.Sleep(time.Duration(rnd.IntN(4000)) * time.Microsecond)
		} else {
			time.Sleep(time.Duration(rnd.IntN(60000)) * time.Microsecond)
		}
		c.Process.Kill()
		for c.out.Scan() {
			// A torn last line was not said.
			if x, _, ok := acknowledged(c.out.Text()); ok {
				saved = append(saved, x)
			}
		}
		c.wait()
		if c.stderr.Len() > 0 {
			t.Fatalf("kill %d: the child failed by itself: %s", kill, &c.stderr)
		}
		if len(saved) == before {
			silent++
		}
		total += len(saved) - before
		s := open(t, path, sqlite.Options{})
		if err := every(t.Context(), s, saved); err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		if err := sound(t.Context(), s); err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		s.Close()
	}
	t.Logf("%d kills, %d of them before a first save, %d checkpoints acknowledged, all there", n, silent, total)
}
