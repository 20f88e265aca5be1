//go:build unix

package localfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/piton-project/piton"
)

// TestWhoOpensWhat: what of each kind is opened for whom, and that nothing stays open.
func TestWhoOpensWhat(t *testing.T) {
	dir, _ := odd(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.Link(filepath.Join(dir, "file"), filepath.Join(dir, "second name")); err != nil {
		t.Fatal(err)
	}
	one := func(f *os.File, _ fs.FileInfo, err error) (*os.File, error) { return f, err }
	ways := []struct {
		name string
		open func(name string) (*os.File, error)
	}{
		{"plain", func(name string) (*os.File, error) { return one(OpenPlain(filepath.Join(dir, name), false)) }},
		{"followed", func(name string) (*os.File, error) { return one(OpenPlain(filepath.Join(dir, name), true)) }},
		{"found", func(name string) (*os.File, error) { return one(OpenIn(root, name)) }},
		{"appended", func(name string) (*os.File, error) { return AppendIn(root, name) }},
		{"own, read", func(name string) (*os.File, error) { return OpenOwn(filepath.Join(dir, name), false) }},
		{"own, written", func(name string) (*os.File, error) { return OpenOwn(filepath.Join(dir, name), true) }},
		{"locked", func(name string) (*os.File, error) {
			unlock, err := TryLock(filepath.Join(dir, name))
			if err == nil {
				unlock()
			}
			return nil, err
		}},
	}
	all := map[string]string{ // the ways in which it is opened, "-" before those in which it is not there
		"file": "plain followed found appended own, read", "second name": "plain followed found appended own, read",
		"link": "followed", "link out": "followed", "dangling link": "-followed", "pipe": "", "socket": "", "folder": "", "link to a device": "",
		"none": "-plain -followed -found -own, read",
	}
	each := func() {
		for name, opened := range all {
			for _, w := range ways {
				f, err := w.open(name)
				missing, ok := strings.Contains(opened, "-"+w.name), strings.Contains(opened, w.name)
				switch {
				case missing && !errors.Is(err, fs.ErrNotExist):
					t.Errorf("%s, %s: got %v, want it not found", name, w.name, err)
				case !missing && !ok && name != "none" && !errors.Is(err, ErrIrregular):
					t.Errorf("%s, %s: got %v, want it refused", name, w.name, err)
				case (ok && !missing || name == "none" && !missing) && err != nil:
					t.Errorf("%s, %s: got %v, want it opened", name, w.name, err)
				}
				f.Close()
				if name == "none" {
					if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.Mode() != 0o600 {
						t.Errorf("%s: got a file made with %v", w.name, info.Mode())
					}
					os.Remove(filepath.Join(dir, name))
				}
			}
			is, err := FolderIn(root, name)
			if is != (name == "folder") || errors.Is(err, fs.ErrNotExist) != (name == "none") {
				t.Errorf("%s: got a folder %t, %v", name, is, err)
			}
			if name == "pipe" || name == "folder" { // there was a file a moment ago
				if f, _, err := OpenFound(root, name); f != nil || !errors.Is(err, ErrIrregular) {
					t.Errorf("%s, found: got %v, want it refused", name, err)
				}
			}
			_, _ = ReadPlain(filepath.Join(dir, name), 100)
			_, _ = ReadIn(root, name, 100)
			if Held(filepath.Join(dir, name)) {
				t.Errorf("%s is held", name)
			}
			if is {
				_ = errors.Join(SyncDir(filepath.Join(dir, name)), SyncIn(root, name))
			}
		}
	}
	each()
	if before := openFiles(); before > 0 {
		if each(); openFiles() > before {
			t.Errorf("got %d files open, want %d", openFiles(), before)
		}
	}
}

// openFiles is how many files this process has open; 0 where the system does not say.
func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

func TestReadWithinBounds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		path  string
		limit int64
		want  string
		err   error
	}{{file, 5, "ours", nil}, {file, 4, "ours", nil}, {file, 3, "", ErrTooLarge}, {filepath.Join(dir, "none"), 9, "", fs.ErrNotExist}, {dir, 9, "", ErrIrregular}} {
		if got, err := ReadPlain(x.path, x.limit); string(got) != x.want || !errors.Is(err, x.err) {
			t.Errorf("%s, %d: got %q, %v, want %q, %v", x.path, x.limit, got, err, x.want, x.err)
		}
	}
	const larger = "/proc/self/status" // than it says
	if info, err := os.Stat(larger); err == nil && info.Size() == 0 {
		if _, err := ReadPlain(larger, 10); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: got %v, want it too large", larger, err)
		}
		if got, err := ReadPlain(larger, 1<<20); err != nil || len(got) < 11 {
			t.Errorf("%s: got %d bytes, %v", larger, len(got), err)
		}
	}
	for size, want := range map[int64]string{2: "ab", 3: "abc", 9: "abc"} { // it has grown, or been cut, since
		if got, err := ReadAll(strings.NewReader("abc"), size, 9); string(got) != want || err != nil {
			t.Errorf("%d bytes of 3: got %q, %v", size, got, err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for range 2 {
		f, err := AppendIn(root, "log")
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(f, "line\n")
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := ReadIn(root, "log", 10); string(got) != "line\nline\n" || err != nil {
		t.Errorf("appended twice: got %q, %v", got, err)
	}
}

func TestOfAFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	info := func(path string) fs.FileInfo {
		t.Helper()
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for mode, want := range map[fs.FileMode]bool{0o600: true, 0o700: true, 0o400: true, 0o640: false, 0o604: false, 0o601: false} {
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		if got := info(path); !Own(got) || Private(got) != want {
			t.Errorf("%v: got own %t, private %t", mode, Own(got), Private(got))
		}
	}
	before := info(path)
	if err := os.Link(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	after := info(path)
	if Names(before) != 1 || Names(after) != 2 || Inode(before) == 0 || Inode(after) != Inode(info(path+"2")) || Inode(after) == Inode(info(dir)) {
		t.Errorf("got %d and %d names, the number %d", Names(before), Names(after), Inode(after))
	}
	if got := time.Unix(0, ChangeTime(after)); time.Since(got).Abs() > time.Hour {
		t.Errorf("got it changed at %v", got)
	}
	if os.Getuid() == 0 {
		if err := os.Lchown(path, 1234, 1234); err != nil {
			t.Fatal(err)
		}
		if got := info(path); Own(got) || Private(got) {
			t.Error("got another user's file as our own")
		}
	}
	unknown, err := fstest.MapFS{"file": {Mode: 0o600}}.Stat("file")
	if err != nil || Own(unknown) || Private(unknown) || Names(unknown) != 1 || Inode(unknown) != 0 || ChangeTime(unknown) != 0 {
		t.Errorf("of what the system does not tell: got own %t, %d names, number %d, change %d", Own(unknown), Names(unknown), Inode(unknown), ChangeTime(unknown))
	}
}

func TestOfAFolder(t *testing.T) {
	dir := t.TempDir()
	none, file, deep := filepath.Join(dir, "none"), filepath.Join(dir, "file"), filepath.Join(dir, "a", "b", "c")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := MakeDir(deep + "/"); err != nil {
			t.Fatal(err)
		}
	}
	for at := deep; at != dir; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err != nil || info.Mode() != fs.ModeDir|0o700 {
			t.Errorf("%s: got %v, %v, want a folder for this user alone", at, info.Mode(), err)
		}
	}
	if err := MakeDir(filepath.Join(file, "x")); err == nil {
		t.Error("a folder in a file: got no error")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]bool{".": true, "a/b": true, "none": false, "file": false} {
		if err := SyncIn(root, name); (err == nil) != want {
			t.Errorf("sync of %s: got %v", name, err)
		}
	}
	if SyncDir(dir) != nil || SyncDir(none) == nil {
		t.Errorf("sync: got %v for a folder, %v for none", SyncDir(dir), SyncDir(none))
	}
	kind, err := Kind(dir)
	if _, missing := Kind(none); err != nil || kind == 0 || missing == nil {
		t.Errorf("got the kind %d (%v), of no folder: %v", kind, err, missing)
	}
	if Remote(0x6969) != "NFS" || Remote(kind) != "" {
		t.Errorf("got %q for NFS, %q for a local folder", Remote(0x6969), Remote(kind))
	}
	if got := Free(dir); got < 1<<20 || got > 1<<60 || Free(none) != math.MaxUint64 {
		t.Errorf("got %d bytes free, %d where there is no folder", got, Free(none))
	}
}

func TestUnusable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	denied := &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}
	for _, x := range []struct {
		path string
		err  error
		want string
	}{
		{file, denied, file + " cannot be used: permission denied"},
		{dir, denied, dir + " cannot be used: permission denied"},
		{filepath.Join(file, "x", "y"), denied, file + " is a file, not a folder"},
		{filepath.Join(dir, "x", "y"), denied, "the folder " + dir + " cannot be used: permission denied"},
		{file, errors.New("the database is odd"), "the database is odd"},
	} {
		var e *piton.Error
		if err := Unusable("cannot open", x.path, x.err); !errors.As(err, &e) || e.Code != piton.Unavailable || e.Op != "cannot open" || e.Hint != elsewhere || e.Err.Error() != x.want {
			t.Errorf("%s: got %v, want %s", x.path, err, x.want)
		}
	}
	err := NoRoom("writing", syscall.ENOSPC)
	if !IsFull(err) || IsFull(syscall.ENOSPC) || !errors.Is(err, syscall.ENOSPC) || piton.CodeOf(err) != piton.Unavailable || !strings.Contains(err.Error(), "disk full (writing)") {
		t.Errorf("got %v", err)
	}
}

func TestLockThatIsTaken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	release, err := LockIn(t.Context(), root, "lock", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want it busy", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, path, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the context", err)
	}
	go func() {
		time.Sleep(20 * time.Millisecond)
		release()
	}()
	again, err := Lock(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	again()
	if _, err := LockIn(t.Context(), root, "none/lock", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no folder: got %v", err)
	}
	if _, err := Lock(t.Context(), filepath.Join(dir, "none", "lock"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no folder, by its path: got %v", err)
	}
	if _, _, err := Listen(filepath.Join(dir, "none", "bell")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a bell in no folder: got %v", err)
	}
}
