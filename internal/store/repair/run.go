package repair

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Options say what a repair does beside making the new store.
type Options struct {
	Output  string // the new store; empty: beside the damaged one
	Replace bool   // put it in the damaged one's place, which is kept
	Now     func() time.Time
	// Archive is where states lie that have left the store; nil: they are not
	// looked at.
	Archive  store.Archive
	Progress func(done, total int64)
}

// lockWait is how long a repair waits for those who are writing.
const lockWait = 30 * time.Second

// Run rebuilds the store at path, checks every sum of the new one, and puts it
// in the old one's place if that is wanted.
func Run(ctx context.Context, path string, o Options) (Report, error) {
	op := "repair the store " + path
	if o.Now == nil {
		o.Now = time.Now
	}
	stamp := o.Now().UTC().Format("20060102-150405")
	to := o.Output
	if to == "" {
		to = free(path + ".repaired-" + stamp)
	}
	before := state(path)
	r, err := o.rebuild(ctx, path, to)
	if err != nil {
		return r, err
	}
	unlock, err := localfs.Lock(ctx, path+".lock", lockWait)
	if errors.Is(err, localfs.ErrNoLocks) {
		unlock, err = func() {}, nil
	}
	if err != nil {
		return r, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "try again when no agent is at work", Err: err}
	}
	defer unlock()
	if state(path) != before { // somebody has saved meanwhile
		os.Remove(to)
		if r, err = o.rebuild(ctx, path, to); err != nil {
			return r, err
		}
	}
	if r.Whole() && o.Output == "" {
		r.File = path
		return r, os.Remove(to)
	}
	if !o.Replace {
		return r, nil
	}
	r.Kept = free(path + ".damaged-" + stamp)
	if err := replace(path, to, r.Kept); err != nil {
		return r, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "the new store is " + to + ": see that the folder can be written, and try again", Err: err}
	}
	r.File = path
	if r.Older != "" {
		return r, nil // the mark goes on saying so
	}
	s, err := sqlite.Open(ctx, path, sqlite.Options{Existing: true})
	if err != nil {
		return r, err
	}
	defer s.Close()
	return r, sqlite.Accept(ctx, path, s)
}

// free is a name that nothing has.
func free(name string) string {
	for n, x := 2, name; ; n++ {
		if _, err := os.Lstat(x); err != nil {
			return x
		}
		x = fmt.Sprint(name, "-", n)
	}
}

// rebuild makes the new store and reads all of it again.
func (o Options) rebuild(ctx context.Context, from, to string) (r Report, err error) {
	if r, err = Rebuild(ctx, from, to, o.Progress); err != nil {
		return r, err
	}
	s, err := sqlite.Open(ctx, to, sqlite.Options{Existing: true})
	if err != nil {
		return r, err
	}
	defer func() {
		err = errors.Join(err, s.Close())
		for _, suffix := range []string{".lock", ".mark"} { // they belong to a store in use
			os.Remove(to + suffix)
		}
	}()
	v, err := history.Keeper{Store: s, Local: s.Local(), Archive: o.Archive}.Verify(ctx, history.VerifyOptions{})
	if err != nil {
		return r, err
	}
	r.Checked, r.Intact, r.Damaged = v.Checked, v.Intact, v.Damaged
	r.Older = older(ctx, from, s, r)
	r.Notes = append(r.Notes, v.Store...)
	if r.Whole() {
		r.Notes = faults(ctx, from, to)
	}
	return r, nil
}

// older is what the mark of the old store says of the new one, if that is without
// what was acknowledged last. An event that is missing because its page was damaged
// says nothing, where its checkpoint is there or is named as lost.
func older(ctx context.Context, from string, s *sqlstore.Store, r Report) string {
	m, ok := sqlite.Acknowledged(from)
	var behind *piton.Error
	if !ok || !errors.As(sqlite.Behind(ctx, from, s), &behind) || behind.Code != piton.Corrupt {
		return ""
	}
	for _, x := range r.Saved {
		if x.Table != "events" || x.Damaged+x.Pages == 0 || m.Checkpoint == "" {
			continue
		}
		_, err := s.Checkpoint(ctx, m.Checkpoint)
		if err == nil || slices.ContainsFunc(r.Lost, func(l Lost) bool { return l.ID == m.Checkpoint }) {
			return ""
		}
	}
	return behind.Err.Error()
}

// maxFaults bounds how many faults of the old store are shown.
const maxFaults = 3

// faults is what SQLite says of a copy of the old store whose rows are all
// there: an index or the lists of pages may be damaged.
func faults(ctx context.Context, from, to string) []string {
	copied := to + ".check"
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
			os.Remove(copied + suffix)
		}
	}()
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(from+suffix, copied+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return []string{"the old store could not be looked at: " + err.Error()}
		}
	}
	s, err := sqlite.Open(ctx, copied, sqlite.Options{Existing: true})
	if err != nil {
		return []string{"the old store cannot be opened: " + strings.ReplaceAll(cause(err).Error(), copied, from)}
	}
	defer s.Close()
	list, err := s.Check(ctx)
	if err != nil {
		list = append(list, cause(err).Error())
	}
	if more := len(list) - maxFaults; more > 0 {
		list = append(list[:maxFaults], fmt.Sprint("and ", more, " more"))
	}
	for i := range list {
		list[i] = "in the old store: " + strings.ReplaceAll(list[i], copied, from)
	}
	return append([]string{}, list...)
}

// cause is an error without what was tried: that names the copy.
func cause(err error) error {
	var e *piton.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err
	}
	return err
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// state reports whether a store's files have changed.
func state(path string) string {
	text := ""
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			text += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), ";")
		} else {
			text += "none;"
		}
	}
	return text
}

// replace replaces a store's file with a new one and keeps the old one with its
// log. The log goes first: beside the new file SQLite would apply it.
func replace(path, with, keep string) error {
	linked := os.Link(path, keep) == nil
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, keep+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if !linked {
		if err := os.Rename(path, keep); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(with, path); err != nil {
		return err
	}
	return localfs.SyncDir(filepath.Dir(path))
}
