package restore_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/mark/restore"
	"github.com/piton-project/piton/internal/store/localfs"
)

// planned is what an undo of the newest command does, and does not do yet.
func (p place) planned(t *testing.T, k keep.Taker) (mark.Mark, []mark.Verdict) {
	t.Helper()
	all, err := k.List(t.Context(), keep.Query{Root: p.tree(), Kind: mark.AtCommand, Limit: 1})
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d marks, %v", len(all), err)
	}
	tree, err := restore.Look(t.Context(), k, p.tree())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := tree.Plan(t.Context(), &all[0], mark.Wish{})
	if err != nil {
		t.Fatal(err)
	}
	return all[0], plan
}

// TestChangedWhileAsked: what has changed between the plan and the writing is left, and said.
func TestChangedWhileAsked(t *testing.T) {
	write := func(name string) func(p place) error {
		return func(p place) error {
			path := filepath.Join(p.tree(), name)
			os.MkdirAll(filepath.Dir(path), 0o755)
			return os.WriteFile(path, []byte("of a person\n"), 0o644)
		}
	}
	for _, x := range []struct {
		name, path, reason string
		change             func(p place) error
	}{
		{"a file has come", "link", "it changed while this was asked", write("link")},
		{"a file has come in a folder", "d/e/b", "it changed while this was asked", write("d/e/b")},
		{"another content", "a", "it changed while this was asked", write("a")},
		{"another mode", "a", "it changed while this was asked", func(p place) error { return os.Chmod(filepath.Join(p.tree(), "a"), 0o600) }},
		{"it has gone", "big", "it changed while this was asked", func(p place) error { return os.Remove(filepath.Join(p.tree(), "big")) }},
		{"a link is its folder", "d/e/b", "it lies behind a symbolic link", func(p place) error { return os.Symlink(p.home(), filepath.Join(p.tree(), "d")) }},
		{"a file is its folder", "d/e/b", "a file is where its folder was", write("d")},
		{"a folder is there", "link", "what is there now could not be kept: neither a file nor a symbolic link", func(p place) error { return os.Mkdir(filepath.Join(p.tree(), "link"), 0o755) }},
		{"a repository around it", "d/e/b", "it lies in a repository of its own", write("d/.git/HEAD")},
	} {
		t.Run(x.name, func(t *testing.T) {
			p, mine := begun(t)
			p.destroyed(t)
			err := p.with(func(k keep.Taker) error {
				m, plan := p.planned(t, k)
				if err := x.change(p); err != nil {
					return err
				}
				was := files(string(p))
				id, out, err := restore.Write(t.Context(), k, p.home(), p.tree(), m, plan)
				if err != nil || id == "" {
					return err
				}
				now := files(string(p))
				for _, v := range out {
					name := "tree/" + v.File.Path
					switch {
					case v.File.Path == x.path && (v.Action != mark.Leave || v.Reason != x.reason):
						t.Errorf("%s: got %s, %q, want it left: %s", v.File.Path, v.Action, v.Reason, x.reason)
					case v.File.Path == x.path && now[name] != was[name]:
						t.Errorf("%s was left, and is %v", v.File.Path, now[name])
					case v.File.Path != x.path && (v.Action != mark.BringBack || now[name] != mine[v.File.Path]):
						t.Errorf("%s: got %s, %q, want it back", v.File.Path, v.Action, v.Reason)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestSettleLeavesWhatAPersonWrote into the files of a restore that was interrupted.
func TestSettleLeavesWhatAPersonWrote(t *testing.T) {
	for _, back := range []bool{false, true} {
		p, _ := begun(t)
		gone := p.destroyed(t)
		err := p.with(func(k keep.Taker) error {
			m, plan := p.planned(t, k)
			id, _, err := restore.Write(t.Context(), k, p.home(), p.tree(), m, plan)
			if err != nil {
				return err
			}
			all, err := k.List(t.Context(), keep.Query{ID: id})
			if err != nil {
				return err
			}
			all[0].LookedAt = time.Time{} // as if it had been killed at its end
			if err := k.Look(all[0]); err != nil {
				return err
			}
			for name, text := range map[string]string{"a": "of a person\n", "." + id + ".tmp": "half", "d/e/." + id + ".tmp": "half", ".mrk_other.tmp": "not ours\n"} {
				if err := os.WriteFile(filepath.Join(p.tree(), name), []byte(text), 0o644); err != nil {
					return err
				}
			}
			want := files(p.tree())
			delete(want, "."+id+".tmp")
			delete(want, "d/e/."+id+".tmp")
			if back {
				for _, name := range []string{"big", "d/e/b", "empty", "link"} {
					if want[name] = gone[name]; gone[name] == (file{}) {
						delete(want, name)
					}
				}
			}
			journal, there, err := restore.Interrupted(t.Context(), k.Store, p.tree())
			if err != nil || !there || journal.ID != id {
				t.Fatalf("got %s, %t, %v, want %s interrupted", journal.ID, there, err, id)
			}
			out, err := restore.Settle(t.Context(), k, p.home(), journal, back)
			for _, v := range out {
				if v.File.Path == "a" && (v.Action != mark.Leave || v.Reason != "it holds something else since") {
					t.Errorf("back %t: a: got %s, %q, want it left", back, v.Action, v.Reason)
				}
			}
			if now := files(p.tree()); !maps.Equal(now, want) {
				t.Errorf("back %t: %q", back, differences(now, want))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOneAtATime: a restore waits for no other.
func TestOneAtATime(t *testing.T) {
	p, _ := begun(t)
	gone := p.destroyed(t)
	unlock, err := localfs.TryLock(filepath.Join(p.home(), "restore.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	err = p.with(func(k keep.Taker) error {
		m, plan := p.planned(t, k)
		if _, _, err := restore.Write(t.Context(), k, p.home(), p.tree(), m, plan); piton.CodeOf(err) != piton.Conflict {
			t.Errorf("write: got %v, want a conflict", err)
		}
		_, err := restore.Settle(t.Context(), k, p.home(), m, false)
		if piton.CodeOf(err) != piton.Conflict {
			t.Errorf("settle: got %v, want a conflict", err)
		}
		return nil
	})
	if err != nil || !maps.Equal(files(p.tree()), gone) {
		t.Errorf("got %v, %q", err, differences(files(p.tree()), gone))
	}
}

// TestADamagedCopy costs its own file only, and so does one that was dropped.
func TestADamagedCopy(t *testing.T) {
	damage := func(k keep.Taker, p place) error {
		db, err := sqlite3.Open("file:" + filepath.Join(p.home(), keep.File))
		if err != nil {
			return err
		}
		defer db.Close()
		sum := sha256.Sum256([]byte("mine too\n"))
		return db.Exec(fmt.Sprintf("update blob set data=x'0041' where sum='%x'", sum))
	}
	drop := func(k keep.Taker, _ place) error {
		_, err := k.Drop(t.Context(), func(text []byte) bool { return string(text) == "mine too\n" }, false)
		return err
	}
	for name, lose := range map[string]func(keep.Taker, place) error{"damaged": damage, "dropped": drop} {
		p, mine := begun(t)
		p.destroyed(t)
		err := p.with(func(k keep.Taker) error {
			if err := lose(k, p); err != nil {
				return err
			}
			m, plan := p.planned(t, k)
			_, out, err := restore.Write(t.Context(), k, p.home(), p.tree(), m, plan)
			for _, v := range plan {
				if v.File.Path == "d/e/b" && (v.Action != mark.Leave || !strings.HasSuffix(v.Reason, mark.LacksDamaged)) {
					t.Errorf("%s: got %s, %q, want it left", name, v.Action, v.Reason)
				}
			}
			if len(m.Lacking()) != 1 || !slices.Equal(plan, out) {
				t.Errorf("%s: the mark lacks %v; planned was %v, and done was %v", name, m.Lacking(), plan, out)
			}
			return err
		})
		want := maps.Clone(mine)
		delete(want, "d/e/b")
		if now := files(p.tree()); err != nil || !maps.Equal(now, want) {
			t.Errorf("%s: got %v, %q", name, err, differences(now, want))
		}
	}
}

func TestTo(t *testing.T) {
	p, mine := begun(t)
	p.destroyed(t)
	err := p.with(func(k keep.Taker) error {
		m, _ := p.planned(t, k)
		to := filepath.Join(string(p), "new", "folder")
		if _, err := restore.To(t.Context(), k, restore.Copies(k, &m, mark.Wish{}), to); err != nil {
			return err
		}
		if got := files(to); !maps.Equal(got, mine) {
			t.Errorf("got %q", differences(got, mine))
		}
		if _, err := restore.To(t.Context(), k, restore.Copies(k, &m, mark.Wish{}), to); piton.CodeOf(err) != piton.Conflict {
			t.Errorf("got %v into a folder that is not empty, want a conflict", err)
		}
		other := filepath.Join(string(p), "other")
		if _, err := restore.To(t.Context(), k, restore.Copies(k, &m, mark.Wish{Paths: []string{"d"}}), other); err != nil {
			return err
		}
		if got := files(other); len(got) != 1 || got["d/e/b"] != mine["d/e/b"] {
			t.Errorf("got %v, want what was asked for", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
