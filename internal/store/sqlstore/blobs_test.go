package sqlstore_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// message is one element of about 2 KB as agents keep them: text, some of it
// hard to compress.
func message(r *rand.Rand, i int) string {
	words := strings.Fields("the state of a build is kept with its tests and their failures file function error retry branch merge cache agent prompt result checks line number parse value return config server request user token count update delete insert select index column migration schema review comment approve deploy release version package module import export type struct interface method")
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%d,"role":"assistant","at":"2026-03-04T05:%02d:%02d.%03dZ","commit":"%016x%016x","text":"`, i, i/60%60, i%60, r.IntN(1000), r.Uint64(), r.Uint64())
	for b.Len() < 1700 {
		if r.IntN(9) == 0 {
			fmt.Fprintf(&b, "%x ", r.Uint32())
		}
		b.WriteString(words[r.IntN(len(words))] + " ")
	}
	b.WriteString(`","files":[{"path":"a.go","lines":1}`)
	for b.Len() < 2020 {
		fmt.Fprintf(&b, `,{"path":"src/%s/%s_%d.go","lines":%d}`, words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(100), r.IntN(1000))
	}
	return b.String() + "]}"
}

// growing returns the states of a list that grows by a message a save, deep in
// the state.
func growing(n int) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		var list []string
		for i := range n {
			list = append(list, message(r, i))
			if !yield(i, fmt.Sprintf(`{"task":"build","run":{"counters":{"step":%d},"agents":[{"name":"a","log":{"messages":[%s]}},{"name":"b"}]},"end":"here"}`, i, strings.Join(list, ","))) {
				return
			}
		}
	}
}

// ready appends a state that was made ready before.
func ready(t testing.TB, s *sqlstore.Store, workflow, state string) (c piton.Checkpoint) {
	t.Helper()
	p, err := s.Prepare(t.Context(), prepared(workflow, state))
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx store.LocalTx) (err error) {
		c, err = tx.Append(t.Context(), redact.Value(p))
		return err
	})
	return c
}

// TestGrowingListIsStoredInLittle is the bar for 1,000 saves that add 2 KB
// each: 10 MB on disk in all. In a short run there are fewer saves.
func TestGrowingListIsStoredInLittle(t *testing.T) {
	saves, most := 1000, int64(10<<20)
	if testing.Short() {
		saves, most = 256, 2<<20
	}
	path := filepath.Join(t.TempDir(), "piton.db")
	s := storeAt(t, path)
	w := workflow(t, s)
	last := map[string]string{}
	for i, state := range growing(saves) {
		c := ready(t, s, w, state)
		if i%100 == 0 || i == saves-1 {
			last[c.ID] = state
		}
	}
	for id, state := range last {
		wantState(t, s, id, state)
	}
	run(t, s, `PRAGMA wal_checkpoint(TRUNCATE)`)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d saves: %d bytes", saves, info.Size()); info.Size() > most {
		t.Errorf("%d saves of 2 KB: got %d bytes, want at most %d", saves, info.Size(), most)
	}
}

// TestAppendLooksAgain makes a state ready and lets something happen before it
// is appended.
func TestAppendLooksAgain(t *testing.T) {
	first, second, third := noise(1, 200<<10), noise(1, 205<<10), noise(1, 210<<10)
	for name, between := range map[string]func(*testing.T, *sqlstore.Store, string, piton.Checkpoint){
		"nothing":              func(*testing.T, *sqlstore.Store, string, piton.Checkpoint) {},
		"another save":         func(t *testing.T, s *sqlstore.Store, w string, _ piton.Checkpoint) { add(t, s, w, third) },
		"the head was deleted": func(t *testing.T, s *sqlstore.Store, _ string, c piton.Checkpoint) { remove(t, s, c.ID) },
		"the state went away": func(t *testing.T, s *sqlstore.Store, _ string, c piton.Checkpoint) {
			run(t, s, `DELETE FROM manifests WHERE checkpoint = $1`, c.Ordinal)
			run(t, s, `DELETE FROM blobs`)
		},
		"the epoch ended": func(t *testing.T, s *sqlstore.Store, w string, _ piton.Checkpoint) {
			run(t, s, `UPDATE branches SET appended = $1 WHERE workflow_id = $2`, epoch, w)
		},
	} {
		for _, process := range []string{"the same process", "another process"} {
			t.Run(name+"/"+process, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "piton.db")
				s := storeAt(t, path)
				w := workflow(t, s)
				add(t, s, w, `{"a":1}`)
				c := ready(t, s, w, first)
				other := s
				if process == "another process" {
					other = storeAt(t, path)
				}
				p, err := s.Prepare(t.Context(), prepared(w, second))
				if err != nil {
					t.Fatal(err)
				}
				between(t, other, w, c)
				var got piton.Checkpoint
				update(t, s, func(tx store.LocalTx) (err error) {
					got, err = tx.Append(t.Context(), redact.Value(p))
					return err
				})
				wantState(t, s, got.ID, second)
				wantState(t, s, ready(t, s, w, third).ID, third)
				if shared := got.StoredBytes < 50<<10; shared != (name == "nothing" || name == "another save") {
					t.Errorf("got %d bytes stored", got.StoredBytes)
				}
			})
		}
	}
}

func TestAppendThatFailedIsNotRelied(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		first, second := noise(1, 200<<10), noise(1, 205<<10)
		ready(t, s, w, first)
		p, err := s.Prepare(t.Context(), prepared(w, second))
		if err != nil {
			t.Fatal(err)
		}
		failed := fmt.Errorf("changed my mind")
		if err := s.Update(t.Context(), func(tx store.LocalTx) error {
			if _, err := tx.Append(t.Context(), redact.Value(p)); err != nil {
				return err
			}
			return failed
		}); err != failed {
			t.Fatalf("got %v, want %v", err, failed)
		}
		wantState(t, s, ready(t, s, w, noise(2, 205<<10)).ID, noise(2, 205<<10))
		var c piton.Checkpoint
		update(t, s, func(tx store.LocalTx) (err error) {
			c, err = tx.Append(t.Context(), redact.Value(p))
			return err
		})
		wantState(t, s, c.ID, second)
	})
}

// TestManyInOneTransaction appends each state on the one before, in a
// transaction that also takes away what it leans on.
func TestManyInOneTransaction(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		var cs []piton.Checkpoint
		update(t, s, func(tx store.LocalTx) error {
			for i := range 4 {
				c, err := tx.Append(t.Context(), redact.Value(prepared(w, noise(1, (200+i)<<10))))
				if err != nil {
					return err
				}
				cs = append(cs, c)
			}
			if _, err := tx.Delete(t.Context(), []string{cs[2].ID, cs[3].ID}); err != nil {
				return err
			}
			c, err := tx.Append(t.Context(), redact.Value(prepared(w, noise(1, 203<<10))))
			cs[3] = c
			return err
		})
		for _, i := range []int{0, 1, 3} {
			wantState(t, s, cs[i].ID, noise(1, (200+i)<<10))
		}
		if cs[1].StoredBytes > 50<<10 || cs[3].StoredBytes > 50<<10 {
			t.Errorf("got %d and %d bytes stored, want little", cs[1].StoredBytes, cs[3].StoredBytes)
		}
	})
}

func TestOneDamagedBlobOfMany(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w, state := workflow(t, s), noise(1, 600<<10)
		c := ready(t, s, w, state)
		if whole, err := s.Raw(t.Context(), c.ID); err != nil || len(whole) != 1 || string(whole[0]) != state {
			t.Errorf("raw of a sound state: got %d fragments, %v, want it whole", len(whole), err)
		}
		run(t, s, `UPDATE blobs SET data = $1 WHERE n = 3`, []byte{0, 'x'})
		if _, err := s.State(t.Context(), c.ID); piton.CodeOf(err) != piton.Corrupt || !strings.Contains(err.Error(), "blob 3") {
			t.Errorf("got %v, want corrupt, and the blob's number", err)
		}
		parts, err := s.Raw(t.Context(), c.ID)
		if err != nil || len(parts) != 3 || parts[1] != nil || !strings.HasPrefix(state, string(parts[0])) || !strings.HasSuffix(state, string(parts[2])) {
			t.Fatalf("raw: got %d fragments, %v, want the state with one gap", len(parts), err)
		}
		if got := len(bytes.Join(parts, nil)); got < 100<<10 || got >= len(state) {
			t.Errorf("raw: got %d bytes, want most of %d", got, len(state))
		}
		// A save of the same content mends it, whoever makes it.
		for _, on := range []*sqlstore.Store{storeCopy(s), s} {
			wantState(t, s, ready(t, on, w, state).ID, state)
			wantState(t, s, c.ID, state)
			run(t, s, `UPDATE blobs SET data = $1 WHERE n = 3`, []byte{0, 'x'})
		}
	})
}

// storeCopy is the store as another process sees it, which remembers nothing.
func storeCopy(s *sqlstore.Store) *sqlstore.Store { return sqlstore.New(s.DB, s.D) }

func TestRawOfWhatIsLost(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		for _, manifest := range [][]byte{nil, {9}, {1, 0xff}} {
			c := add(t, s, w, `{"a":1}`)
			run(t, s, `UPDATE manifests SET data = $1 WHERE checkpoint = $2`, append([]byte{}, manifest...), c.Ordinal)
			if got, err := s.Raw(t.Context(), c.ID); err != nil || len(got) != 1 || got[0] != nil {
				t.Errorf("manifest %x: got %q, %v, want one gap", manifest, got, err)
			}
		}
		if _, err := s.Raw(t.Context(), "chk_0000000000000000"); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("got %v, want not found", err)
		}
		c := add(t, s, w, `{"b":1}`)
		run(t, s, `DELETE FROM manifests WHERE checkpoint = $1`, c.Ordinal)
		run(t, s, `UPDATE checkpoints SET archive = 'a.piton' WHERE ordinal = $1`, c.Ordinal)
		for name, ask := range map[string]func() error{
			"raw":   func() error { _, err := s.Raw(t.Context(), c.ID); return err },
			"state": func() error { _, err := s.State(t.Context(), c.ID); return err },
		} {
			var e *piton.Error
			if err := ask(); !errors.As(err, &e) || e.Code != piton.NotFound || !strings.Contains(e.Hint, "a.piton") {
				t.Errorf("%s of an archived state: got %v, want not found and the file", name, err)
			}
		}
	})
}

// TestAnotherEncodingStays saves what lies there compressed otherwise, as an older
// program or another level of compression has left it: it is named again and not
// written again.
func TestAnotherEncodingStays(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w, state := workflow(t, s), `{"a":"`+strings.Repeat("a", 3000)+`"}`
		first := add(t, s, w, state)
		enc, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		other := enc.EncodeAll([]byte(state), []byte{1})
		run(t, s, `UPDATE blobs SET data = $1`, other)
		again := add(t, s, w, state)
		for _, c := range []piton.Checkpoint{first, again} {
			wantState(t, s, c.ID, state)
		}
		if n, same := number(t, s, `SELECT COUNT(*) FROM blobs`), number(t, s, `SELECT COUNT(*) FROM blobs WHERE data = $1`, other); n != 1 || same != 1 {
			t.Errorf("got %d blobs, %d of them as they were, want the one that was there", n, same)
		}
	})
}

func TestAStateThatIsThereIsStoredOnce(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		state := `{"text":"` + strings.Repeat("words ", 400) + `"}`
		first := ready(t, s, w, state)
		for _, x := range []struct {
			name  string
			spoil string
		}{{"as it is", ""}, {"and is damaged", `UPDATE blobs SET data = SUBSTR(data, 1, 5)`}} {
			t.Run(x.name, func(t *testing.T) {
				if x.spoil != "" {
					if _, err := s.DB.ExecContext(t.Context(), x.spoil); err != nil {
						t.Fatal(err)
					}
				}
				again := ready(t, storeCopy(s), w, state)
				if again.StoredBytes >= first.StoredBytes {
					t.Errorf("got %d bytes more, want fewer than the %d of the first", again.StoredBytes, first.StoredBytes)
				}
				for _, id := range []string{first.ID, again.ID} {
					if got, err := s.State(t.Context(), id); err != nil || string(got) != state {
						t.Errorf("%s: got %.40q, %v", id, got, err)
					}
				}
				var blobs int
				if err := s.DB.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM blobs`).Scan(&blobs); err != nil || blobs != 1 {
					t.Errorf("got %d blobs, %v, want 1", blobs, err)
				}
			})
		}
	})
}

// TestASmallStateOfAnOlderProgram is one blob, under the state's own sum.
func TestASmallStateOfAnOlderProgram(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w, state := workflow(t, s), `{"a":1}`
		c := add(t, s, w, state)
		sum := sha256.Sum256([]byte(state))
		run(t, s, `INSERT INTO epochs (branch, n, next_blob) SELECT branch, epoch, 1 FROM checkpoints`)
		run(t, s, `INSERT INTO blobs (branch, epoch, n, sum, data) SELECT branch, epoch, 0, $1, $2 FROM checkpoints`, sum[:], append([]byte{0}, state...))
		run(t, s, `UPDATE manifests SET data = $1`, []byte{1, 0})
		wantState(t, s, c.ID, state)
		wantState(t, s, add(t, s, w, state).ID, state)
		remove(t, s, c.ID)
		if n := number(t, s, `SELECT COUNT(*) FROM blobs`); n != 0 {
			t.Errorf("got %d blobs after the delete, want none", n)
		}
	})
}
