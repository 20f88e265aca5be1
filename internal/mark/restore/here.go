// Package restore brings the files of a mark back into a work tree. It never touches git's index,
// references or stash, and writes over nothing that is not kept first.
package restore

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Tree is a work tree, or a folder without git, as it is now.
type Tree struct {
	Root   string
	keep   keep.Taker
	last   mark.Mark // the newest that has all that was dirty
	status git.Status
	listed map[string]bool // by path: what git lists; nil without git
	good   map[string]bool // by its sum: whether a copy was read
}

// underWay are the files in a git folder that show that something of git's is under way.
var underWay = []struct{ file, what string }{
	{"MERGE_HEAD", "a merge"}, {"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase"}, {"CHERRY_PICK_HEAD", "a cherry-pick"},
	{"REVERT_HEAD", "a revert"}, {"index.lock", "another git command"},
}

// Refused is the error of a tree in which nothing is restored; nil for any other. home is PITON_HOME.
func Refused(root, home string) error {
	refuse := func(hint, format string, args ...any) error {
		return piton.Errorf(piton.Conflict, "restore files", hint, format, args...)
	}
	if own, err := os.UserHomeDir(); err == nil && keep.Folder(own) == root || filepath.Dir(root) == root {
		return refuse("name a folder for the files with 'restore CHK --to DIR'", "%s is your home folder or the whole disk", root)
	}
	if rel, err := filepath.Rel(root, keep.Folder(home)); err == nil && filepath.IsLocal(rel) {
		return refuse("name a folder for the files with 'restore CHK --to DIR'", "%s holds Piton's own files", root)
	}
	_, dir, ok := git.Find(root)
	for _, u := range underWay {
		if _, err := os.Lstat(filepath.Join(dir, u.file)); ok && err == nil {
			return refuse("end it first; if none runs, remove "+filepath.Join(dir, u.file), "%s is under way here", u.what)
		}
	}
	return nil
}

// Look looks at a tree.
func Look(ctx context.Context, k keep.Taker, root string) (t *Tree, err error) {
	t = &Tree{Root: root, keep: k, good: map[string]bool{}}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, piton.Errorf(piton.Conflict, "look at the files", "make it again, and undo then: mkdir "+root, "the folder %s is gone", root)
	}
	if t.last, err = k.Last(ctx, root); err != nil {
		return nil, err
	}
	if own, _, _ := git.Find(root); own != root { // without git, or its own is gone and it lies in another tree
		return t, nil
	}
	st, err := git.Repo{Dir: root}.Status(ctx)
	if err != nil {
		return nil, piton.Errorf(piton.Unavailable, "look at the files", "see that 'git status' works here", "git cannot say what is changed: %w", err)
	}
	t.status, t.listed = st, map[string]bool{}
	for _, e := range st.Entries {
		t.listed[e.Path] = true
	}
	return t, nil
}

// Plan is what a restore of a mark does here. What it would write is read, and the mark says which copies are damaged.
func (t *Tree) Plan(ctx context.Context, m *mark.Mark, w mark.Wish) ([]mark.Verdict, error) {
	committed, err := t.committed(ctx, *m)
	if err != nil {
		return nil, err
	}
	at := t.At(*m)
	return t.checked(m, m.Plan(func(f mark.File) mark.Current {
		c := at(f)
		c.Committed = committed[f.Path]
		c.Clean = c.Clean && !c.Committed
		return c
	}, w)), nil
}

// checked leaves what has a damaged copy, of which each is read once; the mark says so too.
func (t *Tree) checked(m *mark.Mark, plan []mark.Verdict) []mark.Verdict {
	m.Files = slices.Clone(m.Files)
	for i, v := range plan {
		if v.Action != mark.BringBack {
			continue
		}
		good, known := t.good[v.File.Sum]
		if !known {
			_, err := t.keep.Bytes(v.File)
			good = err == nil
			t.good[v.File.Sum] = good
		}
		if good {
			continue
		}
		plan[i].LeaveFor(mark.LacksDamaged)
		m.Files[slices.IndexFunc(m.Files, func(f mark.File) bool { return f.Path == v.File.Path })].Lacks = mark.LacksDamaged
	}
	return plan
}

// committed are the paths that commits since a mark have.
func (t *Tree) committed(ctx context.Context, m mark.Mark) (map[string]bool, error) {
	if t.listed == nil || m.Head == "" || t.status.Head == m.Head {
		return nil, nil
	}
	since, err := git.Repo{Dir: t.Root}.Compare(ctx, t.status, &git.Baseline{Head: m.Head, Taken: m.At})
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, f := range since.Files {
		all[f.Path] = f.Committed
	}
	return all, nil
}

// At tells of a file of a mark what is there now; what is committed is not looked up.
func (t *Tree) At(m mark.Mark) func(mark.File) mark.Current {
	return func(f mark.File) mark.Current {
		seen, text := keep.Now(t.Root, f.Path, max(t.keep.Limits.File, f.Size))
		c := mark.Current{Seen: seen, Clean: t.listed != nil && f.Tracked() && !seen.Missing && !t.listed[f.Path], Unsafe: unsafe(t.Root, f.Path)}
		c.Odd = m.Head == t.status.Head && !keep.AsInHead(f.InHead, text)
		if seen.Missing {
			to, moved := t.last.Moved(f, m)
			is, _ := keep.Now(t.Root, to.Path, to.Size)
			c.Moved = moved && is.Sum == f.Sum
		}
		return c
	}
}

// unsafe says why a path may not be written; "" where it may.
func unsafe(root, name string) string {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "it lies outside of the tree"
	}
	if slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }) {
		return "it is git's own"
	}
	at := root
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		switch {
		case err != nil:
			continue
		case info.Mode().Type() == fs.ModeSymlink:
			return "it lies behind a symbolic link"
		case !info.IsDir():
			return "a file is where its folder was"
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil && part != "." {
			return "it lies in a repository of its own"
		}
	}
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
	switch {
	case err != nil, info.Mode().Type() == fs.ModeSymlink:
	case info.IsDir():
		return "a folder is there now"
	case !info.Mode().IsRegular():
		return "something that is no file is there now"
	case localfs.Names(info) > 1:
		return "it has other names (hard links)"
	}
	return ""
}
