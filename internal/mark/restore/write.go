package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/store/localfs"
)

// reasonNow is why a file is left whose present bytes could not be kept.
const reasonNow = "what is there now could not be kept: "

// lock is the name, in PITON_HOME, of the lock of restores: one at a time.
const lock = "restore.lock"

// Write does what verdicts of a mark say, and gives them back as they came out: what has changed
// meanwhile is left, with the reason. Before the first byte a mark of all that is written over is taken,
// which is the journal too: id names it, and an undo of that mark undoes this.
func Write(ctx context.Context, k keep.Taker, home, root string, m mark.Mark, verdicts []mark.Verdict) (id string, out []mark.Verdict, err error) {
	unlock, err := localfs.TryLock(filepath.Join(home, lock))
	if err != nil && !errors.Is(err, localfs.ErrNoLocks) {
		return "", verdicts, piton.Errorf(piton.Conflict, "restore files", "wait until it has ended", "another restore is under way")
	}
	if err == nil {
		defer unlock()
	}
	out = append(out, verdicts...)
	var paths []keep.Path
	for _, v := range out {
		if writes(v) {
			paths = append(paths, keep.Path{Path: v.File.Path, Code: v.File.Code})
		}
	}
	if len(paths) == 0 {
		return "", out, nil
	}
	before := mark.Mark{ID: piton.NewID(mark.Prefix), Root: root, Kind: mark.AtRestore, Head: m.Head, Branch: m.Branch, Origin: mark.Origin{Undoes: m.ID}}
	if before, err = k.Take(ctx, before, paths); err != nil {
		return "", out, err
	}
	before.Left = map[string]mark.Left{}
	for i := range out {
		if v := &out[i]; writes(*v) {
			if why := held(before, *v); why != "" {
				v.Action, v.Reason = mark.Leave, why
				continue
			}
			before.Left[v.File.Path] = mark.Left{Seen: v.File.Seen}
		}
	}
	before.LookedAt = time.Time{}
	if err := k.Look(before); err != nil { // the journal: what is going to be left
		return "", out, err
	}
	err = interrupted(apply(ctx, k, root, before, out))
	for _, v := range out {
		if !writes(v) {
			delete(before.Left, v.File.Path)
		}
	}
	if err == nil {
		before.LookedAt = time.Now()
		err = k.Look(before)
	}
	return before.ID, out, err
}

func writes(v mark.Verdict) bool { return v.Action == mark.BringBack || v.Action == mark.Remove }

// held says why a file is not written after all; "" where it is: what is there is what was looked at, and is kept.
func held(before mark.Mark, v mark.Verdict) string {
	f, _ := before.Find(v.File.Path)
	switch {
	case f.Lacks != "":
		return reasonNow + f.Lacks
	case f.Seen != v.Now:
		return "it changed while this was asked"
	}
	return ""
}

// apply writes each file. A failure of one leaves it, and says so; one of the disk as a whole ends it.
func apply(ctx context.Context, k keep.Taker, root string, journal mark.Mark, out []mark.Verdict) error {
	tree := &Tree{Root: root}
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer r.Close()
	for i := range out {
		v := &out[i]
		if !writes(*v) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		why := tree.unsafe(v.File.Path)
		if why == "" {
			err := one(k, r, root, temporary(journal.ID, i), *v)
			if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
				return err
			}
			if err != nil {
				why = plain(err)
			}
		}
		if why != "" {
			v.Action, v.Reason = mark.Leave, why
		}
	}
	return nil
}

func interrupted(err error) error {
	if err == nil {
		return nil
	}
	return &piton.Error{Code: piton.Unavailable, Op: "restore files", Hint: "'undo --continue' goes on, 'undo --abort' takes back what was written", Err: fmt.Errorf("not all was written: %w", err)}
}

func plain(err error) string {
	var e *piton.Error
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

// temporary is the name under which a file is written first, in its own folder.
func temporary(journal string, i int) string { return fmt.Sprintf(".%s-%d.tmp", journal, i) }

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
	if err := r.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp = filepath.Join(dir, temp)
	defer r.Remove(temp)
	if fs.FileMode(v.File.Mode).Type() == fs.ModeSymlink {
		err = r.Symlink(string(text), temp)
	} else {
		err = write(r, temp, text, fs.FileMode(v.File.Mode))
	}
	if err != nil {
		return err
	}
	switch seen, _ := keep.Now(root, v.File.Path, v.Now.Size); {
	case seen != v.Now:
		return errChanged
	case v.Now.Missing: // a link is not made where something has come
		if err = r.Link(temp, name); errors.Is(err, fs.ErrExist) {
			return errChanged
		}
		if err != nil { // no hard links on this file system
			err = r.Rename(temp, name)
		}
	default:
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
	whole, err := s.List(ctx, keep.Query{ID: all[i].ID})
	if err != nil || len(whole) == 0 {
		return mark.Mark{}, false, err
	}
	return whole[0], true, nil
}

// Settle ends a restore that was interrupted: it writes the rest, or takes back what was written. What
// is neither as before nor as it was to be is left, with the reason.
func Settle(ctx context.Context, k keep.Taker, home string, journal mark.Mark, back bool) (out []mark.Verdict, err error) {
	unlock, err := localfs.TryLock(filepath.Join(home, lock))
	if err != nil && !errors.Is(err, localfs.ErrNoLocks) {
		return nil, piton.Errorf(piton.Conflict, "restore files", "wait until it has ended", "the restore is still under way")
	}
	if err == nil {
		defer unlock()
	}
	sweep(journal)
	tree := &Tree{Root: journal.Root}
	for _, f := range journal.Files {
		target, meant := journal.Left[f.Path]
		if !meant {
			continue
		}
		before, after := f, f
		after.Seen = target.Seen
		now, _ := keep.Now(journal.Root, f.Path, max(f.Size, target.Size))
		to, from := after, before
		if back {
			to, from = before, after
		}
		v := mark.Verdict{File: to, Now: now, Action: mark.BringBack}
		switch {
		case now == to.Seen:
			v.Action = mark.Same
		case now != from.Seen:
			v.Action, v.Reason = mark.Leave, "it holds something else since"
		case tree.unsafe(f.Path) != "":
			v.Action, v.Reason = mark.Leave, tree.unsafe(f.Path)
		case to.Missing:
			v.Action = mark.Remove
		}
		out = append(out, v)
	}
	if err := interrupted(apply(ctx, k, journal.Root, journal, out)); err != nil {
		return out, err
	}
	journal.LookedAt = time.Now()
	if back {
		journal.Left = nil
	}
	return out, k.Look(journal)
}

// sweep removes the temporary files of a restore that was killed.
func sweep(journal mark.Mark) {
	r, err := os.OpenRoot(journal.Root)
	if err != nil {
		return
	}
	defer r.Close()
	for _, f := range journal.Files {
		dir := path.Dir(f.Path)
		d, err := r.Open(filepath.FromSlash(dir))
		if err != nil {
			continue
		}
		names, _ := d.Readdirnames(-1)
		d.Close()
		for _, name := range names {
			if strings.HasPrefix(name, "."+journal.ID+"-") {
				r.Remove(filepath.Join(filepath.FromSlash(dir), name))
			}
		}
	}
}

// Copies is what To does with the files of a mark.
func Copies(m mark.Mark, w mark.Wish) (all []mark.Verdict) {
	for _, f := range m.Files {
		v := mark.Verdict{File: f, Action: mark.BringBack, Now: mark.Seen{Missing: true}}
		switch {
		case !w.Takes(f.Path), f.Missing:
			continue
		case f.Lacks != "":
			v.Action, v.Reason = mark.Leave, "its bytes were not kept: "+f.Lacks
		}
		all = append(all, v)
	}
	return all
}

// To writes the files of verdicts into a folder that is not there yet or is empty, and gives the verdicts as they came out.
func To(ctx context.Context, s *keep.Store, verdicts []mark.Verdict, dir string) ([]mark.Verdict, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return verdicts, piton.Errorf(piton.Conflict, "restore files", "name a folder that is empty, or not there yet", "%s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return verdicts, err
	}
	out := slices.Clone(verdicts)
	return out, apply(ctx, keep.Taker{Store: s}, dir, mark.Mark{ID: "restore"}, out)
}
