package filestore

import (
	"fmt"
	"os"
	"path/filepath"
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

// TestForgedIndex puts values into an index that no folder has. Whatever is asked and
// done then, nothing panics, and no state is a wrong one.
func TestForgedIndex(t *testing.T) {
	for _, forged := range []string{
		`DELETE FROM workflows`, `DELETE FROM branches`, `DELETE FROM checkpoints`, `DELETE FROM files WHERE id <> ''`, `UPDATE files SET ordinal = -1, alias = 'x', loose = 1`,
		`UPDATE workflows SET seq = -5, head_id = 'x', closed = 7`, `UPDATE branches SET head_id = '` + chkA + `', from_id = 'x'`, `UPDATE checkpoints SET seq = -1, parent_id = id`,
		`UPDATE checkpoints SET rest = REPLACE(rest, 'checkpoints/', '../')`, `UPDATE checkpoints SET rest = 'x'`, `UPDATE checkpoints SET sum = x'00'`, `UPDATE counters SET value = 0 WHERE name = 'ordinal'`,
	} {
		dir, _ := one(t)
		s := reopened(t, dir)
		db, err := s.opened(t.Context())
		if err == nil {
			_, err = db.DB.ExecContext(t.Context(), forged)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{chkA, chkB, chkC, chkA[:8]} {
			c, _ := s.Checkpoint(t.Context(), id)
			if state, err := s.State(t.Context(), id); err == nil && !sums(state, c.SHA256) {
				t.Errorf("%s: got the state %q of %s", forged, state, id)
			}
			s.Children(t.Context(), id)
		}
		s.List(t.Context(), piton.Query{Open: true, Limit: 2})
		s.Branches(t.Context(), oldFlow)
		s.Head(t.Context(), oldFlow, "")
		s.CountOpen(t.Context(), "")
		s.Save(t.Context(), func(tx store.Tx) error { return tx.Complete(t.Context(), chkC, piton.At(when)) })
		s.Save(t.Context(), func(tx store.Tx) error { _, err := tx.Delete(t.Context(), []string{chkA}); return err })
		if got, err := anew(t, dir).State(t.Context(), chkB); err != nil || string(got) != someState {
			t.Errorf("%s: got %q, %v, want the state", forged, got, err)
		}
	}
}
