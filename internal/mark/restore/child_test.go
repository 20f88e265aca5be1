package restore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/mark/restore"
)

// childEnv names what a test's own binary is to do.
const childEnv = "PITON_TEST_CHILD"

// children are the works that are killed, or find the disk full, in a folder.
var children = map[string]func(ctx context.Context, at place) error{
	"capture": func(ctx context.Context, at place) error {
		return at.with(func(k keep.Taker) error { return at.take(ctx, k) })
	},
	"restore": func(ctx context.Context, at place) error {
		return at.with(func(k keep.Taker) error { return at.undo(ctx, k, mark.AtCommand) })
	},
	"undo of a restore": func(ctx context.Context, at place) error {
		return at.with(func(k keep.Taker) error { return at.undo(ctx, k, mark.AtRestore) })
	},
	"continue": func(ctx context.Context, at place) error { return at.settle(ctx, false) },
	"abort":    func(ctx context.Context, at place) error { return at.settle(ctx, true) },
}

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := children[name](context.Background(), place(os.Args[1])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// place is a folder with a home of Piton's and a tree without git.
type place string

func (p place) home() string { return filepath.Join(string(p), "home") }
func (p place) tree() string { return filepath.Join(string(p), "tree") }

func (p place) with(do func(keep.Taker) error) error {
	s, err := keep.Open(p.home(), time.Second, false)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Aside != "" {
		return errors.New("the store was put aside: " + s.Aside)
	}
	return do(keep.Taker{Store: s, Limits: keep.Limits{File: 20 << 20, Mark: 100 << 20, All: 1 << 30}})
}

// take takes a mark of all that is in the tree.
func (p place) take(ctx context.Context, k keep.Taker) error {
	_, err := p.mark(ctx, k, mark.AtCommand)
	return err
}

func (p place) mark(ctx context.Context, k keep.Taker, kind mark.Kind) (mark.Mark, error) {
	var paths []mark.File
	for name := range files(string(p.tree())) {
		paths = append(paths, mark.File{Path: name, Code: "??"})
	}
	return k.Take(ctx, mark.Mark{Root: p.tree(), Kind: kind}, paths)
}

// undo undoes the newest mark of a kind.
func (p place) undo(ctx context.Context, k keep.Taker, kind mark.Kind) error {
	all, err := k.List(ctx, keep.Query{Root: p.tree(), Kind: kind, Limit: 1})
	if err != nil || len(all) != 1 {
		return fmt.Errorf("got %d marks, %w", len(all), err)
	}
	tree, err := restore.Look(ctx, k, p.tree())
	if err != nil {
		return err
	}
	plan, err := tree.Plan(ctx, &all[0], mark.Wish{})
	if err != nil {
		return err
	}
	_, _, err = restore.Write(ctx, k, p.home(), p.tree(), all[0], plan)
	return err
}

// settle ends what was interrupted, where something was.
func (p place) settle(ctx context.Context, back bool) error {
	return p.with(func(k keep.Taker) error {
		m, there, err := restore.Interrupted(ctx, k.Store, p.tree())
		if err != nil || !there {
			return err
		}
		_, err = restore.Settle(ctx, k, p.home(), m, back)
		return err
	})
}

// file is one as it is.
type file struct {
	mode fs.FileMode
	text string
}

// files are all below a folder.
func files(root string) map[string]file {
	all := map[string]file{}
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		f := file{mode: info.Mode()}
		if f.mode.Type() == fs.ModeSymlink {
			f.text, err = os.Readlink(path)
		} else {
			b, errRead := os.ReadFile(path)
			f.text, err = string(b), errRead
		}
		rel, _ := filepath.Rel(root, path)
		all[filepath.ToSlash(rel)] = f
		return err
	})
	return all
}

// differences are the paths that differ.
func differences(a, b map[string]file) (names []string) {
	for _, all := range []map[string]file{a, b} {
		for name := range all {
			if a[name] != b[name] {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// begun is a place with files, and what is in it.
func begun(t *testing.T) (place, map[string]file) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place(dir)
	for name, text := range map[string]string{"a": "mine\n", "empty": "", "d/e/b": "mine too\n", "stays": "as it is\n", "big": strings.Repeat("mine, and much of it\n", 20_000)} {
		path := filepath.Join(p.tree(), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("a", filepath.Join(p.tree(), "link")), os.Chmod(filepath.Join(p.tree(), "a"), 0o755), os.MkdirAll(p.home(), 0o700)); err != nil {
		t.Fatal(err)
	}
	return p, files(p.tree())
}

// destroyed takes a mark, destroys, and looks at what is left.
func (p place) destroyed(t *testing.T) map[string]file {
	t.Helper()
	err := p.with(func(k keep.Taker) error {
		m, err := p.mark(t.Context(), k, mark.AtCommand)
		if err != nil {
			return err
		}
		err = errors.Join(os.RemoveAll(filepath.Join(p.tree(), "d")), os.Remove(filepath.Join(p.tree(), "link")), os.Remove(filepath.Join(p.tree(), "empty")),
			os.WriteFile(filepath.Join(p.tree(), "a"), []byte("gone\n"), 0o755), os.WriteFile(filepath.Join(p.tree(), "big"), nil, 0o640))
		if err == nil {
			_, err = k.See(t.Context(), m)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files(p.tree())
}

// copied puts a copy of a place at another one; it was not there, or goes.
func (p place) copied(t *testing.T, to place) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(string(to)), os.CopyFS(string(to), os.DirFS(string(p)))); err != nil {
		t.Fatal(err)
	}
	for name, f := range files(string(p)) { // CopyFS leaves modes to the umask
		if f.mode.IsRegular() {
			os.Chmod(filepath.Join(string(to), name), f.mode.Perm())
		}
	}
}

// sound fails where the store cannot be opened, names bytes that are not there, or takes no mark any more.
func (p place) sound(t *testing.T, want ...map[string]file) {
	t.Helper()
	err := p.with(func(k keep.Taker) error {
		if _, damaged, err := k.Verify(t.Context()); err != nil || len(damaged) > 0 {
			return fmt.Errorf("damaged: %v, %w", damaged, err)
		}
		all, err := k.List(t.Context(), keep.Query{})
		for _, m := range all {
			if m.Partial != "" {
				t.Errorf("%s: %s", m.ID, m.Partial)
			}
			for _, f := range m.Files {
				text, errBytes := k.Bytes(f)
				is := file{fs.FileMode(f.Mode), string(text)}
				known := slices.ContainsFunc(want, func(w map[string]file) bool { return w[f.Path] == is })
				if f.Kept() && (errBytes != nil || !known) {
					t.Errorf("%s of %s is %v, %v, want it as it was", f.Path, m.ID, is, errBytes)
				}
			}
		}
		return errors.Join(err, p.take(t.Context(), k))
	})
	if err != nil {
		t.Errorf("the store: %v", err)
	}
}

// between fails where a file is neither as in the one nor as in the other, or is one that neither has.
func (p place) between(t *testing.T, a, b map[string]file, temporary bool) {
	t.Helper()
	now := files(p.tree())
	for name := range a {
		if _, there := now[name]; !there {
			now[name] = file{}
		}
	}
	for name, f := range now {
		if temporary && strings.HasSuffix(name, ".tmp") && strings.HasPrefix(filepath.Base(name), ".mrk_") {
			continue
		}
		if f != a[name] && f != b[name] {
			t.Errorf("%s is %v %.40q, want it as before or as after", name, f.mode, f.text)
		}
	}
}
