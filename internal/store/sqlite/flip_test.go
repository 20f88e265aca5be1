package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/crashtest"
	"github.com/piton-project/piton/internal/testkit/need"
)

// A history of so many steps, each adding to a list, and so many places of its
// file to spoil.
const (
	flipPlaces = 20
	grownBytes = 200 << 10 // of the last state
	epoch      = 64        // checkpoints that share blobs
)

// grown is a closed store with a long history of one workflow.
type grown struct {
	file  []byte
	ids   []string
	sums  map[string]string
	table []string // by page: what it belongs to
}

func grow(t *testing.T, steps, size int) grown {
	t.Helper()
	path := filepath.Join(t.TempDir(), "piton.db")
	// What is damaged here is whole before; it need not survive a power cut.
	s := open(t, path, sqlite.Options{}.WithPragmas("synchronous(off)"))
	g := grown{sums: map[string]string{}}
	state := []byte(`{"todos":[]}`)
	for i := range steps {
		more := crashtest.State(uint64(i), size/steps)
		state = state[:len(state)-2]
		if i > 0 {
			state = append(state, ',')
		}
		state = append(append(state, more...), `]}`...)
		c, err := history.Keeper{Store: s}.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", StepName: fmt.Sprint("step ", i), State: state}})
		if err != nil {
			t.Fatal(err)
		}
		g.ids = append(g.ids, c.ID)
		g.sums[c.ID] = c.SHA256
	}
	var err error
	if _, err = s.DB.ExecContext(t.Context(), `PRAGMA wal_checkpoint(truncate)`); err != nil {
		t.Fatal(err)
	}
	if g.file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	g.table = owners(t, s, g.file)
	return g
}

// outcome is what can be read of a spoiled history.
type outcome struct {
	opened, listed error
	shown, marked  int // checkpoints in the list
	lost           int // that do not load
	tried, nearest int // a sample of these, and those with an intact ancestor
	wrong          []string
}

func (g grown) where(at int) string {
	if name := g.table[at/page+1]; name != "" {
		return name
	}
	return "free or map of pages"
}

// spoiled reads everything of the history with these bytes flipped.
func (g grown) spoiled(ctx context.Context, path string, at ...int) (o outcome) {
	bad := bytes.Clone(g.file)
	for _, i := range at {
		bad[i] ^= byte(1 + i%255)
	}
	wrong := func(format string, args ...any) { o.wrong = append(o.wrong, fmt.Sprintf(format, args...)) }
	defer func() {
		if r := recover(); r != nil {
			wrong("panic: %v", r)
		}
	}()
	coded := func(what string, err error) {
		if code := piton.CodeOf(err); code == piton.Internal || code == piton.Conflict {
			wrong("%s: got %s (%v), want the code of damage", what, code, err)
		}
	}
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		wrong("%v", err)
	}
	s, err := sqlite.Open(ctx, path, sqlite.Options{}.WithPragmas("synchronous(off)"))
	if err != nil {
		coded("open", err)
		o.opened, o.lost = err, len(g.ids)
		return o
	}
	defer s.Close()
	page, err := s.List(ctx, piton.Query{})
	coded("list", err)
	o.listed, o.shown = err, len(page.Checkpoints)
	for _, c := range page.Checkpoints {
		if c.Damaged != "" {
			o.marked++
		}
	}
	k := history.Keeper{Store: s}
	right := func(x history.Loaded) {
		got := sha256.Sum256(x.State)
		if want, known := g.sums[x.Checkpoint.ID]; hex.EncodeToString(got[:]) != want || !known {
			wrong("%s: got a wrong state", x.Checkpoint.ID)
		}
	}
	for i, id := range g.ids {
		c, err := s.Checkpoint(ctx, id)
		coded("find", err)
		if err == nil && c.ID != id {
			wrong("%s: got %s in its place", id, c.ID)
		}
		intact := err == nil && !c.BadRecord
		if intact {
			state, err := s.State(ctx, id)
			coded("read", err)
			if intact = err == nil; intact {
				right(history.Loaded{Checkpoint: c, State: state})
			}
		}
		// A load of what is lost looks for an ancestor: a sample is enough.
		if !intact {
			if o.lost++; o.lost > 4 && o.lost%8 > 0 {
				continue
			}
		} else if i%8 > 0 {
			continue
		}
		x, err := k.Load(ctx, history.Selector{ID: id}, false)
		coded("load", err)
		if (err == nil) != intact {
			wrong("load %s: got %v, and it is intact: %t", id, err, intact)
		}
		if intact {
			right(x)
			continue
		}
		o.tried++
		if x, err = k.Load(ctx, history.Selector{ID: id}, true); err != nil {
			coded("load the nearest", err)
			continue
		}
		right(x)
		o.nearest++
		if n := slices.Index(g.ids, x.Checkpoint.ID); n >= i || x.RecoveredFrom != id {
			wrong("%s: got %s (step %d) in place of step %d, want an older one that says so", id, x.Checkpoint.ID, n, i)
		}
	}
	x, err := k.Load(ctx, history.Selector{Workflow: "w"}, true)
	coded("load the head", err)
	if err == nil {
		right(x)
	}
	return o
}

// TestFlippedBytesOfALongHistory flips one byte in each of many places, one
// after the other and all at once.
func TestFlippedBytesOfALongHistory(t *testing.T) {
	steps := need.Many(250, 1000)
	g := grow(t, steps, grownBytes)
	rnd := rand.New(rand.NewPCG(uint64(steps), 21))
	var places []int
	for range flipPlaces {
		places = append(places, rnd.IntN(len(g.file)))
	}
	slices.Sort(places)
	r := report{t: t, g: g, dir: t.TempDir()}
	tried := need.Share(t, 5)
	for i, at := range places {
		if !tried(i) {
			continue
		}
		o := r.spoil(at)
		if g.where(at) == "blobs" && o.lost > epoch {
			t.Errorf("byte %d, in a blob: got %d checkpoints lost, want at most %d", at, o.lost, epoch)
		}
	}
	r.spoil(places...)
	t.Log(r.String())
}

// TestFlippedBytesOfEveryTable flips bytes where the history is not its states:
// in records, indexes, the schema.
func TestFlippedBytesOfEveryTable(t *testing.T) {
	places := need.Many(4, 20)
	g := grow(t, 3*epoch/2, 10<<10)
	pages := map[string][]int{}
	for n, name := range g.table {
		for _, table := range []string{"sqlite_schema", "piton_schema", "counters", "workflows", "branches", "checkpoints", "manifests", "blobs"} {
			if strings.HasPrefix(strings.TrimPrefix(name, "sqlite_autoindex_"), table) {
				pages[name] = append(pages[name], n)
			}
		}
	}
	rnd := rand.New(rand.NewPCG(uint64(places), 22))
	r := report{t: t, g: g, dir: t.TempDir()}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		for i := 0; i < places; {
			at := (pages[name][rnd.IntN(len(pages[name]))]-1)*page + rnd.IntN(page)
			if g.file[at] != 0 { // most of what is zero is free
				r.spoil(at)
				i++
			}
		}
	}
	t.Log(r.String())
}

// report is a table of what came of flips.
type report struct {
	strings.Builder
	t   *testing.T
	g   grown
	dir string
	n   int
}

// spoil flips bytes and adds a row; a wrong state, an uncoded error or a panic
// fails the test.
func (r *report) spoil(at ...int) outcome {
	if r.n == 0 {
		fmt.Fprintf(r, "%d checkpoints in %d KB\n%10s  %-30s %-8s %-8s %6s %6s %6s  nearest\n", len(r.g.ids), len(r.g.file)>>10, "byte", "of", "opens", "list", "shown", "marked", "lost")
	}
	r.n++
	name, where := fmt.Sprint(at[0]), r.g.where(at[0])
	if len(at) > 1 {
		name, where = "all", "them"
	}
	path := filepath.Join(r.dir, fmt.Sprint(r.n, ".db"))
	o := r.g.spoiled(r.t.Context(), path, at...)
	os.Remove(path)
	say := func(err error) string {
		if err == nil {
			return "yes"
		}
		return string(piton.CodeOf(err))
	}
	fmt.Fprintf(r, "%10s  %-30s %-8s %-8s %6d %6d %6d %5d of %d\n", name, where, say(o.opened), say(errors.Join(o.opened, o.listed)), o.shown, o.marked, o.lost, o.nearest, o.tried)
	for _, w := range o.wrong {
		r.t.Errorf("byte %s of %s: %s", name, where, w)
	}
	return o
}
