package filestore

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/need"
)

// platter is a disk as it may be after a power cut: file contents last once
// they are synced, names once their folder is.
type platter struct {
	names   map[string]*inode // as they would be after a cut
	live    map[string]*inode // as the running system sees them
	pending []nameChange
}

// inode is a file's content, and what of it has reached the disk.
type inode struct{ live, kept []byte }

// nameChange is a change of a folder that may be lost.
type nameChange struct {
	dir   string
	apply func(map[string]*inode)
}

// newPlatter takes a folder's files as lasting.
func newPlatter(t testing.TB, dir string) *platter {
	t.Helper()
	p := &platter{names: map[string]*inode{}}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		name, _ := filepath.Rel(dir, file)
		p.names[name] = &inode{b, b}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p.live = maps.Clone(p.names)
	return p
}

// do follows one operation of the store that was just done in dir.
func (p *platter) do(op, dir string) {
	words := strings.Fields(op)
	name := words[1]
	change := func(apply func(map[string]*inode)) {
		apply(p.live)
		p.pending = append(p.pending, nameChange{path.Dir(name), apply})
	}
	switch words[0] {
	case "write", "append":
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			panic(err)
		}
		i := p.live[name]
		if i == nil {
			i = &inode{}
			change(func(ns map[string]*inode) { ns[name] = i })
		}
		i.live = b
	case "sync":
		p.live[name].kept = p.live[name].live
	case "rename":
		i, to := p.live[name], words[2]
		change(func(ns map[string]*inode) {
			delete(ns, name)
			ns[to] = i
		})
	case "remove":
		change(func(ns map[string]*inode) { delete(ns, name) })
	case "syncdir":
		p.pending = slices.DeleteFunc(p.pending, func(c nameChange) bool {
			if c.dir == name {
				c.apply(p.names)
			}
			return c.dir == name
		})
	case "mkdir":
	default:
		panic("unknown operation " + op)
	}
}

// cut makes a folder of what a cut may leave. keep decides about each change
// of a name, and how much of a file's unsynced content arrives (0 to 2
// halves).
func (p *platter) cut(t testing.TB, keep func() bool, halves func() int) string {
	t.Helper()
	dir := t.TempDir()
	names := maps.Clone(p.names)
	for _, c := range p.pending {
		if keep() {
			c.apply(names)
		}
	}
	for _, sub := range []string{checkpoints, workflows, events} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		i := names[name]
		b := i.kept
		if !bytes.Equal(i.live, i.kept) {
			switch halves() {
			case 1:
				b = i.live[:(len(i.live)+len(i.kept))/2]
				if len(i.kept) > len(i.live) {
					b = i.live
				}
			case 2:
				b = i.live
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// cuts are the ways a cut may go: all that is unsynced is lost, all names
// arrive and no content, all arrives, or chance decides.
func cuts(seed uint64) []struct {
	keep   func() bool
	halves func() int
} {
	type way = struct {
		keep   func() bool
		halves func() int
	}
	no, yes := func() bool { return false }, func() bool { return true }
	none, half, all := func() int { return 0 }, func() int { return 1 }, func() int { return 2 }
	chance := func(draws uint64) way {
		rnd := rand.New(rand.NewPCG(seed, draws))
		return way{func() bool { return rnd.IntN(2) == 0 }, func() int { return rnd.IntN(3) }}
	}
	return []way{{no, none}, {yes, none}, {yes, half}, {yes, all}, {no, all}, chance(3), chance(4), chance(5)}
}

// powerCuts runs a kind of transaction and another behind it, cuts the power
// after each operation that without lets through, in the ways whose number is
// tried, and returns the first reading that is neither the world before nor the
// one after.
func powerCuts(t *testing.T, run func(context.Context, store.Tx) error, without func(op string) bool, tried func(n int) bool) error {
	t.Helper()
	dir := t.TempDir()
	before(t, dir)
	disk := newPlatter(t, dir)
	opened := reopened(t, dir)
	count := func(ctx context.Context, tx store.Tx) error {
		return tx.Count(ctx, piton.Time{}, "", store.Counted{Name: "last", N: 1})
	}
	// The first may have given lasting numbers to another program's file; the
	// worlds are read by who has not written.
	all := []world{seen(t, opened)}
	var fault error
	acked, n := 0, 0
	check := func(what string, after ...world) {
		for _, way := range cuts(uint64(n)) {
			if n++; !tried(n) {
				continue
			}
			s, err := Open(disk.cut(t, way.keep, way.halves), Options{})
			if err == nil {
				var got world
				if got, err = look(s); err == nil {
					err = oneOf(got, after)
				}
			}
			if err != nil && fault == nil {
				fault = fmt.Errorf("power cut after %s, %d acknowledged: %w", what, acked, err)
			}
		}
	}
	// The worlds after each are known from a run without a cut.
	second := t.TempDir()
	if err := os.CopyFS(second, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	txs := []func(context.Context, store.Tx) error{run, count}
	for _, fn := range txs {
		s := reopened(t, second)
		if err := s.Save(t.Context(), func(tx store.Tx) error { return fn(t.Context(), tx) }); err != nil {
			t.Fatal(err)
		}
		all = append(all, seen(t, s))
	}
	s, err := open(dir, Options{}, func(op string) error {
		if without(op) {
			return nil
		}
		disk.do(op, dir)
		if fault == nil {
			check(op, all[acked], all[acked+1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range txs {
		if err := s.Save(t.Context(), func(tx store.Tx) error { return fn(t.Context(), tx) }); err != nil {
			t.Fatal(err)
		}
		acked++
		check("the return", all[acked])
	}
	return fault
}

// oneOf fails unless a world is one of some.
func oneOf(got world, want []world) error {
	var diffs []string
	for _, w := range want {
		diff := differ(w, got)
		if diff == "" {
			return nil
		}
		diffs = append(diffs, diff)
	}
	return fmt.Errorf("got none of the worlds allowed:\n%s", strings.Join(diffs, "\nor\n"))
}

// TestPowerCut tries a ninth of all cuts a day. An operation is cut in eight ways, so
// that a day tries one of these for nearly every operation.
func TestPowerCut(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			if err := powerCuts(t, k.run, func(string) bool { return false }, need.Share(t, 9)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPowerCutFindsAMissingSync shows that the test above would notice each
// sync that was left out, whichever ninth of the cuts it tries.
func TestPowerCutFindsAMissingSync(t *testing.T) {
	everything := kinds[len(kinds)-1].run
	for _, left := range []string{
		"sync checkpoints/" + stagedPrefix, "sync " + stagedPrefix + journalFile, "sync workflows/", "sync events/", "sync " + stagedPrefix + seedFile,
		"syncdir checkpoints", "syncdir workflows", "syncdir .",
	} {
		t.Run(left, func(t *testing.T) {
			t.Parallel()
			if err := powerCuts(t, everything, func(op string) bool { return strings.HasPrefix(op, left) }, need.Share(t, 9)); err == nil {
				t.Errorf("without %q: got no fault, want one", left)
			} else {
				t.Log(strings.SplitN(err.Error(), "\n", 2)[0])
			}
		})
	}
}
