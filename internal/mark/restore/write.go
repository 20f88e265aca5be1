package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/store/localfs"
)

// locked takes the lock of restores, of which there is one at a time; where the file system has no locks, none.
func locked(home string) (unlock func(), err error) {
	unlock, err = localfs.TryLock(filepath.Join(home, "restore.lock"))
	switch {
	case errors.Is(err, localfs.ErrNoLocks):
		return func() {}, nil
	case err != nil:
		return nil, piton.Errorf(piton.Conflict, "restore files", "wait until it has ended", "another restore is under way")
	}
	return unlock, nil
}

// Write does what verdicts of a mark say, and gives them back as they came out: what has changed
// meanwhile is left, with the reason. Before the first byte a mark of all that is written over is taken,
// which is the journal too: id names it, and an undo of that mark undoes this.
func Write(ctx context.Context, k keep.Taker, home, root string, m mark.Mark, verdicts []mark.Verdict) (id string, out []mark.Verdict, err error) {
	unlock, err := locked(home)
	if err != nil {
		return "", verdicts, err
	}
	defer unlock()
	out = append(out, verdicts...)
	var paths []mark.File
	for _, v := range out {
		if v.Writes() {
			paths = append(paths, mark.File{Path: v.File.Path, Code: v.File.Code})
		}
	}
	if len(paths) == 0 {
		return "", out, nil
	}
	before := mark.Mark{ID: piton.NewID(mark.Prefix), Root: root, Kind: mark.AtRestore, Head: m.Head, Branch: m.Branch, Origin: mark.Origin{Undoes: m.ID}}
	if before, err = k.Take(ctx, before, paths); err != nil {
		return "", out, err
	}
	for i, v := range out {
		if why := held(before, v); v.Writes() && why != "" {
			out[i].LeaveFor(why)
		}
	}
	before.LookedAt, before.Left = time.Time{}, meant(out)
	if err := k.Look(before); err != nil { // the journal: what is going to be left
		return "", out, err
	}
	if err := apply(ctx, k, root, before, out); err != nil {
		return before.ID, out, err
	}
	before.LookedAt, before.Left = time.Now(), meant(out)
	return before.ID, out, k.Look(before)
}

// meant is what verdicts leave where they write.
func meant(out []mark.Verdict) map[string]mark.Left {
	all := map[string]mark.Left{}
	for _, v := range out {
		if v.Writes() {
			all[v.File.Path] = mark.Left{Seen: v.File.Seen}
		}
	}
	return all
}

// held says why a file is not written after all; "" where it is: what is there is what was looked at, and is kept.
func held(before mark.Mark, v mark.Verdict) string {
	f, _ := before.Find(v.File.Path)
	switch {
	case f.Lacks != "":
		return "what is there now could not be kept: " + f.Lacks
	case f.Seen != v.Now:
		return "it changed while this was asked"
	}
	return ""
}

// apply writes each file. A failure of one leaves it, and says so; one of the disk as a whole ends it.
func apply(ctx context.Context, k keep.Taker, root string, journal mark.Mark, out []mark.Verdict) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return interrupted(err)
	}
	defer r.Close()
	for i := range out {
		v := &out[i]
		if !v.Writes() {
			continue
		}
		if !stands(r, root) {
			return interrupted(errors.New("the folder was moved, or is a symbolic link"))
		}
		if why := unsafe(root, v.File.Path); why != "" {
			v.LeaveFor(why)
			continue
		}
		if err := ctx.Err(); err != nil {
			return interrupted(err)
		}
		err := one(k, r, root, temporary(journal.ID, v.File.Path), *v)
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			return interrupted(err)
		}
		if err != nil {
			v.LeaveFor(plain(err))
		}
	}
	return nil
}

// stands tells whether an open folder is still what its path names, without a symbolic link.
func stands(r *os.Root, root string) bool {
	opened, err := r.Stat(".")
	if err != nil || keep.Folder(root) != filepath.Clean(root) {
		return false
	}
	named, err := os.Lstat(root)
	return err == nil && os.SameFile(opened, named)
}

func interrupted(err error) error {
	return &piton.Error{Code: piton.Unavailable, Op: "restore files", Hint: "'undo --continue' goes on, 'undo --abort' takes back what was written; what went to a folder of its own is written anew to another", Err: fmt.Errorf("not all was written: %w", err)}
}

// plain is an error without the names that Piton has given to files of its own.
func plain(err error) string {
	var own *piton.Error
	var system syscall.Errno
	switch {
	case errors.As(err, &own):
		return own.Err.Error()
	case errors.As(err, &system):
		return system.Error()
	}
	return err.Error()
}

// temporary is the name under which a file is written first, in its own folder; one after the other.
func temporary(journal, file string) string {
	return filepath.Join(filepath.FromSlash(path.Dir(file)), "."+journal+".tmp")
}

var errChanged = errors.New("it changed at this very moment")

// one writes or removes one file below the root.
func one(k keep.Taker, r *os.Root, root, temp string, v mark.Verdict) error {
	name := filepath.FromSlash(v.File.Path)
	dir := filepath.Dir(name)
	if v.Action == mark.Remove {
		if seen, _ := keep.Now(root, v.File.Path, v.Now.Size); seen != v.Now {
			return errChanged
		}
		return errors.Join(r.Remove(name), localfs.SyncIn(r, dir))
	}
	text, err := k.Bytes(v.File)
	if err != nil {
		return err
	}
	if err := r.MkdirAll(dir, fs.FileMode(v.File.Folder)|0o700); err != nil {
		return err
	}
	defer r.Remove(temp)
	if fs.FileMode(v.File.Mode).Type() == fs.ModeSymlink {
		err = r.Symlink(string(text), temp)
	} else {
		err = write(r, temp, text, fs.FileMode(v.File.Mode))
	}
	if err != nil {
		return err
	}
	if seen, _ := keep.Now(root, v.File.Path, v.Now.Size); seen != v.Now {
		return errChanged
	}
	err = fs.ErrInvalid
	if v.Now.Missing { // a link is not made where something has come
		err = r.Link(temp, name)
	}
	if errors.Is(err, fs.ErrExist) {
		return errChanged
	}
	if err != nil { // it is there, or the file system has no hard links
		err = r.Rename(temp, name)
	}
	return errors.Join(err, localfs.SyncIn(r, dir))
}

func write(r *os.Root, name string, text []byte, mode fs.FileMode) error {
	f, err := r.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

// Interrupted is the newest restore in a tree that did not come to its end; false where there is none.
// One that was killed before it had its journal has written nothing.
func Interrupted(ctx context.Context, s *keep.Store, root string) (mark.Mark, bool, error) {
	all, err := s.List(ctx, keep.Query{Root: root, Kind: mark.AtRestore, Open: true, Bare: true})
	i := slices.IndexFunc(all, func(m mark.Mark) bool { return len(m.Left) > 0 })
	if err != nil || i < 0 {
		return mark.Mark{}, false, err
	}
	m, err := s.Filled(ctx, all[i])
	return m, err == nil, err
}

// Settle ends a restore that was interrupted: it writes the rest, or takes back what was written. What
// is neither as before nor as it was to be is left, with the reason.
func Settle(ctx context.Context, k keep.Taker, home string, journal mark.Mark, back bool) (out []mark.Verdict, err error) {
	unlock, err := locked(home)
	if err != nil {
		return nil, err
	}
	defer unlock()
	sweep(journal)
	journal.LookedAt = time.Now()
	from := journal
	if !back {
		from = reversed(journal)
	}
	k.Limits.File = math.MaxInt64 - 1 // whatever is there
	tree := &Tree{Root: journal.Root, keep: k, good: map[string]bool{}}
	out = tree.checked(&from, from.Plan(tree.At(from), mark.Wish{}))
	if err := apply(ctx, k, journal.Root, journal, out); err != nil {
		return out, err
	}
	if back {
		journal.Left = nil
	}
	return out, k.Look(journal)
}

// reversed is the mark that was to be left, with what it has as what was left of that.
func reversed(was mark.Mark) mark.Mark {
	m := was
	m.Files, m.Left = nil, map[string]mark.Left{}
	for _, f := range was.Files {
		if left, meant := was.Left[f.Path]; meant {
			m.Left[f.Path] = mark.Left{Seen: f.Seen}
			f.Seen, f.Lacks = left.Seen, ""
			m.Files = append(m.Files, f)
		}
	}
	return m
}

// sweep removes the temporary files of a restore that was killed.
func sweep(journal mark.Mark) {
	r, err := os.OpenRoot(journal.Root)
	if err != nil {
		return
	}
	defer r.Close()
	for _, f := range journal.Files {
		r.Remove(temporary(journal.ID, f.Path))
	}
}

// Copies is what To does with the files of a mark. The mark says which copies are damaged.
func Copies(k keep.Taker, m *mark.Mark, w mark.Wish) []mark.Verdict {
	m.LookedAt, m.Left = time.Time{}, nil
	gone := func(mark.File) mark.Current { return mark.Current{Seen: mark.Seen{Missing: true}} }
	all := (&Tree{keep: k, good: map[string]bool{}}).checked(m, m.Plan(gone, w))
	for i := range all {
		all[i].Loss = mark.Nothing // nothing happened to it there
	}
	return all
}

// To writes the files of verdicts into a folder that is not there yet or is empty, and gives the verdicts as they came out.
func To(ctx context.Context, k keep.Taker, verdicts []mark.Verdict, dir string) ([]mark.Verdict, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return verdicts, piton.Errorf(piton.Conflict, "restore files", "name a folder that is empty, or not there yet", "%s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return verdicts, err
	}
	out := slices.Clone(verdicts)
	return out, apply(ctx, k, keep.Folder(dir), mark.Mark{ID: piton.NewID(mark.Prefix)}, out)
}
