package filestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/testkit/need"
)

// TestFileAddedUnseen: another program adds a file in such a moment that the
// folder's time does not show it. The next process finds it, whatever it asks, and
// so does the one that was at work.
func TestFileAddedUnseen(t *testing.T) {
	session := derived(piton.WorkflowPrefix, "s1")
	second := func(t *testing.T, dir string) {
		theirs(t, dir, "ckpt-2.json", "second", "s1", "Build", "3", "2026-02-01T12:00:02Z", "false")
	}
	for name, add := range map[string]func(t *testing.T, s *Store, dir string){
		"while a transaction runs": func(t *testing.T, s *Store, dir string) {
			do(t, s, func(tx store.Tx) error {
				second(t, dir)
				_, err := tx.Append(t.Context(), redact.Value(prepared(chkC, oldFlow, `{}`)))
				return err
			})
		},
		"while a later process's transaction runs": func(t *testing.T, _ *Store, dir string) {
			do(t, reopened(t, dir), func(tx store.Tx) error {
				second(t, dir)
				_, err := tx.Append(t.Context(), redact.Value(prepared(chkC, oldFlow, `{}`)))
				return err
			})
		},
		"in the same moment as the last change": func(t *testing.T, _ *Store, dir string) {
			info, err := os.Stat(filepath.Join(dir, checkpoints))
			if err != nil {
				t.Fatal(err)
			}
			second(t, dir)
			if err := os.Chtimes(filepath.Join(dir, checkpoints), info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for verb, ask := range map[string]func(s *Store) (string, error){
			"head": func(s *Store) (string, error) {
				c, err := s.Head(t.Context(), session, "")
				return c.File, err
			},
			"workflow": func(s *Store) (string, error) {
				w, err := s.Workflow(t.Context(), "s1", "")
				return fmt.Sprint(w.Seq), err
			},
			"branches": func(s *Store) (string, error) {
				list, err := s.Branches(t.Context(), session)
				return fmt.Sprint(len(list), list[0].Count), err
			},
			"a transaction": func(s *Store) (file string, err error) {
				err = s.Save(t.Context(), func(tx store.Tx) error {
					c, err := tx.Head(t.Context(), session, "")
					file = c.File
					return err
				})
				return file, err
			},
		} {
			t.Run(name+"/"+verb, func(t *testing.T) {
				s := fresh(t)
				dir := s.disk.dir
				flow(t, s, oldFlow, "flow")
				theirs(t, dir, "ckpt-1.json", "first", "s1", "Build", "3", "2026-02-01T12:00:00Z", "false")
				put(t, s, prepared(chkA, oldFlow, `{}`))
				settled()
				if _, err := reopened(t, dir).List(t.Context(), piton.Query{}); err != nil {
					t.Fatal(err)
				}
				add(t, s, dir)
				settled()
				want, err := ask(anew(t, dir))
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // the first may have noted what is wrong
					if got, err := ask(reopened(t, dir)); err != nil || got != want {
						t.Errorf("got %q, %v, want %q as who reads anew", got, err, want)
					}
				}
				if name == "while a transaction runs" {
					if got, err := ask(s); err != nil || got != want {
						t.Errorf("who was at work: got %q, %v, want %q", got, err, want)
					}
				}
			})
		}
	}
}

// TestSameSizeSameTime: a file gets another record of the same length in its place,
// and its time back. A list is that of who reads anew.
func TestSameSizeSameTime(t *testing.T) {
	dir, file := one(t)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if localfs.ChangeTime(info) == 0 {
		need.Missing(t, "the change time of files is not known on this system")
	}
	settled()
	if _, err := reopened(t, dir).List(t.Context(), piton.Query{}); err != nil {
		t.Fatal(err)
	}
	if err := spoilFile(dir, func(text string) string { return strings.Replace(text, `"trigger"`, `"trigges"`, 1) }); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	for _, q := range []piton.Query{{}, {Workflow: oldFlow}} {
		want, err1 := anew(t, dir).List(t.Context(), q)
		got, err2 := reopened(t, dir).List(t.Context(), q)
		if diff := cmp.Diff(want, got); err1 != nil || err2 != nil || diff != "" {
			t.Errorf("who has a cache sees +, who reads anew -, %v, %v\n%s", err1, err2, diff)
		}
	}
}

// forge writes the first block of a cache with the sum that fits.
func forge(t testing.TB, path string, raw []byte) {
	t.Helper()
	size := binary.LittleEndian.Uint32(raw)
	binary.LittleEndian.PutUint32(raw[4:], crc32.Checksum(raw[blockHead:blockHead+size], castagnoli))
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestForgedCache changes a cache by chance, its sums fit. Whatever is asked and
// done then, nothing panics.
func TestForgedCache(t *testing.T) {
	start := func() (dir, path string) {
		dir = crowd(t, 40)
		put(t, reopened(t, dir), prepared(chkA, derived(piton.WorkflowPrefix, "1"), `{}`))
		return dir, place(cacheOf(t), dir)
	}
	dir, path := start()
	tries := 400
	if testing.Short() {
		tries = 120
	}
	rnd, forged := rand.New(rand.NewPCG(7, 1)), 0
	for n := range tries {
		if n%40 == 39 { // what was saved on a forged cache may have left nothing to cache
			dir, path = start()
		}
		page, err := anew(t, dir).List(t.Context(), piton.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 { // of which the first may meet what was forged before, and drop it
			if _, err := reopened(t, dir).List(t.Context(), piton.Query{}); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			dir, path = start()
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		forged++
		size := int(binary.LittleEndian.Uint32(raw))
		for range 1 + rnd.IntN(8) {
			at := blockHead + rnd.IntN(size)
			switch rnd.IntN(3) {
			case 0:
				raw[at] = byte(rnd.Uint32())
			case 1:
				raw[at] ^= 1 << rnd.IntN(8)
			case 2:
				for i := at; i < min(at+rnd.IntN(64), blockHead+size); i++ {
					raw[i] = byte(rnd.Uint32())
				}
			}
		}
		raw = raw[:blockHead+size]
		c := page.Checkpoints[rnd.IntN(len(page.Checkpoints))]
		for what := range 6 {
			forge(t, path, raw)
			s := reopened(t, dir)
			switch what {
			case 0:
				s.List(t.Context(), piton.Query{Open: true, Limit: 2})
				s.List(t.Context(), piton.Query{Open: true})
			case 1:
				for _, c := range page.Checkpoints {
					s.Checkpoint(t.Context(), c.ID)
					s.Workflow(t.Context(), c.WorkflowID, "")
					s.Head(t.Context(), c.WorkflowID, "")
					s.Branches(t.Context(), c.WorkflowID)
					s.State(t.Context(), c.ID)
				}
			case 2:
				s.CountOpen(t.Context(), "")
				s.Children(t.Context(), c.ID)
			case 3:
				s.Checkpoint(t.Context(), c.ID[:8])
			default:
				if n%10 != what {
					continue
				}
				s.Save(t.Context(), func(tx store.Tx) error {
					_, err := chance(t.Context(), rnd, tx, c.ID, n)
					return err
				})
			}
		}
	}
	if forged < tries*3/4 {
		t.Errorf("got %d caches forged of %d, want most", forged, tries)
	}
}

// TestRecordsThatDoNotFit: in a cache whose sum fits, records are missing or cannot
// be. It is thrown away, and the answers are those of the files.
func TestRecordsThatDoNotFit(t *testing.T) {
	for name, spoil := range map[string]func(x *index) (files []*entry, flows []string){
		"a workflow is missing":       func(x *index) ([]*entry, []string) { return x.order, nil },
		"the checkpoints are missing": func(x *index) ([]*entry, []string) { return nil, []string{oldFlow} },
		"a name that leads elsewhere": func(x *index) ([]*entry, []string) {
			var files []*entry
			for _, e := range x.order {
				other := *e
				other.name = "../" + storeFile
				files = append(files, &other)
			}
			return files, []string{oldFlow}
		},
		"a number that cannot be": func(x *index) ([]*entry, []string) {
			other := *x.workflows[oldFlow]
			other.Seq = -5
			x.workflows[oldFlow] = &other
			return x.order, []string{oldFlow}
		},
		"the same id twice": func(x *index) ([]*entry, []string) {
			var files []*entry
			for i, e := range x.order {
				other := *e
				other.name, other.c.Ordinal = fmt.Sprintf("x-%d.json", i), e.c.Ordinal+100
				files = append(files, e, &other)
			}
			return files, []string{oldFlow}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := one(t)
			s := reopened(t, dir)
			x, err := s.reader.all(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			y := x.clone()
			files, flows := spoil(y)
			k := &cache{path: place(cacheOf(t), dir), dir: dir}
			for what, verb := range map[string]func(s *Store) error{
				"ask": func(s *Store) error {
					if name == "the same id twice" {
						return nil // each of them can be
					}
					if diff := cmp.Diff(told(t, anew(t, dir), chkC), told(t, s, chkC)); diff != "" {
						return fmt.Errorf("who has a cache is told +, who reads anew -\n%s", diff)
					}
					return nil
				},
				"complete": func(s *Store) error {
					return s.Save(t.Context(), func(tx store.Tx) error { return tx.Complete(t.Context(), chkC, piton.At(when)) })
				},
			} {
				var list = func(yield func(string) bool) {
					for _, id := range flows {
						if !yield(id) {
							return
						}
					}
				}
				if err := k.replace(k.block(s.disk.root, y, files, list)); err != nil {
					t.Fatal(err)
				}
				if err := verb(reopened(t, dir)); err != nil && name != "the same id twice" {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

// TestLargeCacheIsNotRead: a file that cannot be the cache of a small folder is not
// taken into memory.
func TestLargeCacheIsNotRead(t *testing.T) {
	for name, size := range map[string]int64{"as it began": 1<<30 - 1, "of another kind": 15 << 20} {
		t.Run(name, func(t *testing.T) {
			dir, _ := one(t)
			path := place(cacheOf(t), dir)
			if size == 15<<20 {
				if err := os.Truncate(path, 0); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
			s := reopened(t, dir)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c, err := s.Checkpoint(t.Context(), chkB)
			runtime.ReadMemStats(&after)
			if err != nil || c.ID != chkB {
				t.Errorf("got %q, %v, want %q", c.ID, err, chkB)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
				t.Errorf("got %d bytes allocated, want few", n)
			}
		})
	}
}
