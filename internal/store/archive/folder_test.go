package archive_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

func TestFolder(t *testing.T) {
	contract(t, archive.Folder{Dir: filepath.Join(t.TempDir(), "a", "b")})
}

// contract is what piton.Archive promises; a is empty.
func contract(t *testing.T, a store.Archive) {
	ctx := t.Context()
	want := some()
	if names, err := a.Files(ctx); err != nil || len(names) != 0 {
		t.Fatalf("got %v (%v) of an empty archive, want nothing", names, err)
	}
	name, size, err := a.Write(ctx, sequence(want))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^piton-20260102-[0-9a-f]{16}\.jsonl\.zst$`).MatchString(name) {
		t.Errorf("got the name %s, want the newest checkpoint's day and a sum", name)
	}
	again, size2, err := a.Write(ctx, sequence(want))
	if err != nil || again != name || size2 != size {
		t.Errorf("written again: got %s, %d bytes (%v), want %s, %d bytes", again, size2, err, name, size)
	}
	second, _, err := a.Write(ctx, sequence(want[:2]))
	if err != nil || second == name {
		t.Errorf("got %s (%v) for other entries, want another name", second, err)
	}
	if names, err := a.Files(ctx); err != nil || len(names) != 2 || names[0] >= names[1] || !strings.Contains(strings.Join(names, " "), name) {
		t.Errorf("got the files %v (%v), want both, in order", names, err)
	}

	for _, e := range want {
		got, err := a.Entry(ctx, name, e.Checkpoint.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, e.Checkpoint.ID, []store.Entry{got}, []store.Entry{e})
	}
	r, err := a.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	file, err := io.ReadAll(r)
	if err != nil || int64(len(file)) != size {
		t.Errorf("got %d bytes (%v), want the %d that were written", len(file), err, size)
	}
	got, err := collect(archive.Decode(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the whole file", got, want)

	missing := "piton-20250101-0123456789abcdef.jsonl.zst"
	code := func(name string, want piton.Code, err error) {
		t.Helper()
		if piton.CodeOf(err) != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		} else if e, ok := err.(*piton.Error); ok && (e.Hint == "" || e.Op == "") {
			t.Errorf("%s: got %+v, want what was tried and a hint", name, e)
		}
	}
	_, err = a.Entry(ctx, missing, want[0].Checkpoint.ID)
	code("an entry of a file that is missing", piton.NotFound, err)
	_, err = a.Entry(ctx, second, want[3].Checkpoint.ID)
	code("an entry the file does not hold", piton.NotFound, err)
	_, err = a.Open(ctx, missing)
	code("a file that is missing", piton.NotFound, err)
	code("removing what is not there", "", a.Remove(ctx, missing))
	for _, bad := range []string{"", ".", "..", "../" + name, "/" + name, "./" + name, name + "/", `..\` + name, "notes.txt", name + "\x00", strings.ToUpper(name)} {
		_, err := a.Open(ctx, bad)
		code("open "+bad, piton.Invalid, err)
		_, err = a.Entry(ctx, bad, want[0].Checkpoint.ID)
		code("entry of "+bad, piton.Invalid, err)
		code("remove "+bad, piton.Invalid, a.Remove(ctx, bad))
	}
	_, _, err = a.Write(ctx, sequence(nil))
	code("nothing to write", piton.Invalid, err)
	own := piton.Errorf(piton.Conflict, "read", "wait", "moved")
	_, _, err = a.Write(ctx, func(yield func(redact.Clean[store.Entry], error) bool) {
		_ = yield(redact.Unchecked(want[0]), nil) && yield(redact.Unchecked(want[1]), nil) && yield(redact.Clean[store.Entry]{}, own)
	})
	code("entries that fail", piton.Conflict, err)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err = a.Write(ended, sequence(want[2:]))
	code("a context that has ended", piton.Unavailable, err)
	_, err = a.Entry(ended, name, want[0].Checkpoint.ID)
	code("a context that has ended", piton.Unavailable, err)
	if names, err := a.Files(ctx); err != nil || len(names) != 2 {
		t.Errorf("got the files %v (%v), want nothing of what failed", names, err)
	}

	if own, err := a.Owns(ctx, name); err != nil || own {
		t.Errorf("whose it is: got %t (%v) of an archive without an owner, want nobody's", own, err)
	}
	code("remove", "", a.Remove(ctx, second))
	code("remove again", "", a.Remove(ctx, second))
	if names, err := a.Files(ctx); err != nil || len(names) != 1 || names[0] != name {
		t.Errorf("got the files %v (%v), want %s", names, err, name)
	}

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got, _, err := a.Write(ctx, sequence(want[1:])); err != nil || got == name {
				t.Errorf("one of four at once: got %s (%v), want another name", got, err)
			}
		})
	}
	wg.Wait()
	if names, err := a.Files(ctx); err != nil || len(names) != 2 {
		t.Errorf("got the files %v (%v), want one more", names, err)
	}
}

func TestFolderIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	name, _, err := archive.Folder{Dir: dir}.Write(t.Context(), sequence(some()))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return // rights are not bits there
	}
	for path, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, filepath.Join(dir, name): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: got %v (%v), want %v", path, info.Mode(), err, want)
		}
	}
}

// A file whose bytes have rotted is not what a Write may rely on.
func TestFolderMendsWhatItWritesAgain(t *testing.T) {
	f := archive.Folder{Dir: t.TempDir()}
	name, _, err := f.Write(t.Context(), sequence(some()))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.Dir, name)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(file)
	bad[len(bad)/2] ^= 1
	for _, rotten := range [][]byte{bad, file[:len(file)/2], []byte("rotten"), nil} {
		if err := os.WriteFile(path, rotten, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Entry(t.Context(), name, some()[3].Checkpoint.ID); piton.CodeOf(err) != piton.Corrupt || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v of a damaged file, want corrupt with its name", err)
		}
		if again, _, err := f.Write(t.Context(), sequence(some())); err != nil || again != name {
			t.Fatalf("got %s (%v), want %s", again, err, name)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, file) {
			t.Errorf("got other bytes (%v), want the file mended", err)
		}
	}
}

func TestFolderSweepsOnlyItsOwnOldFiles(t *testing.T) {
	f := archive.Folder{Dir: t.TempDir()}
	old := time.Now().Add(-25 * time.Hour)
	for name, kept := range map[string]bool{
		".piton-archive-1.tmp": false, ".piton-archive-2.tmp": true, "piton-archive-3.tmp": true, ".other.tmp": true, "notes.txt": true,
	} {
		path := filepath.Join(f.Dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != ".piton-archive-2.tmp" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		defer func() {
			if _, err := os.Stat(path); (err == nil) != kept {
				t.Errorf("%s: got %v, want it kept: %v", name, err, kept)
			}
		}()
	}
	if _, _, err := f.Write(t.Context(), sequence(some())); err != nil {
		t.Fatal(err)
	}
	if names, err := f.Files(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("got the files %v (%v), want only the archive's", names, err)
	}
}

func TestFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := archive.Folder{Dir: filepath.Join(file, "archive")}
	if _, _, err := f.Write(t.Context(), sequence(some())); piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("write: got %v, want unavailable", err)
	}
	if _, err := f.Files(t.Context()); piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("files: got %v, want unavailable", err)
	}
}

// slow is entries enough to be killed in the middle of.
func slow(n int) store.CleanEntries {
	return func(yield func(redact.Clean[store.Entry], error) bool) {
		for i := range n {
			if !yield(redact.Unchecked(entry(workflowA, i+1, fmt.Sprintf(`{"n":%d,"log":%q}`, i, strings.Repeat(sum(fmt.Sprint(i)), 40)))), nil) {
				return
			}
		}
	}
}

// Two stores with the same checkpoints share a place; one of them removes what
// is its own.
func TestFilesHaveOneOwner(t *testing.T) {
	dir := t.TempDir()
	entries := some()
	one, _, err := archive.Folder{Dir: dir, Owner: "one"}.Write(t.Context(), sequence(entries))
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := archive.Folder{Dir: dir, Owner: "two"}.Write(t.Context(), sequence(entries))
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := archive.Folder{Dir: dir, Owner: "two"}.Write(t.Context(), sequence(entries))
	if err != nil || one == two || again != two {
		t.Fatalf("got %s, %s and %s, %v, want a file each", one, two, again, err)
	}
	if err := (archive.Folder{Dir: dir}).Remove(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if _, err := (archive.Folder{Dir: dir}).Entry(t.Context(), two, entries[0].Checkpoint.ID); err != nil {
		t.Errorf("the other's file: got %v, want no error", err)
	}
}

// A file is its owner's alone, and nobody's where it cannot be read to its end.
func TestOwns(t *testing.T) {
	dir := t.TempDir()
	mine, theirs, none := archive.Folder{Dir: dir, Owner: "mine/"}, archive.Folder{Dir: dir, Owner: "theirs/"}, archive.Folder{Dir: dir}
	moved := archive.Both{Archive: archive.Folder{Dir: filepath.Join(dir, "new"), Owner: "mine/"}, Before: mine}
	name, _, err := mine.Write(t.Context(), sequence(some()))
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := theirs.Write(t.Context(), sequence(some()))
	if err != nil || other == name {
		t.Fatalf("got %s twice (%v), want a name for each owner", other, err)
	}
	for what, x := range map[string]struct {
		a    store.Archive
		name string
		want bool
		code piton.Code
	}{
		"its owner's":                  {mine, name, true, ""},
		"another owner's":              {mine, other, false, ""},
		"read by the other":            {theirs, name, false, ""},
		"without an owner":             {none, name, false, ""},
		"in the place before":          {moved, name, true, ""},
		"another's in the old place":   {moved, other, false, ""},
		"not there":                    {mine, "piton-20260102-0123456789abcdef.jsonl.zst", false, piton.NotFound},
		"in neither place":             {moved, "piton-20260102-0123456789abcdef.jsonl.zst", false, piton.NotFound},
		"no name of an archive's file": {mine, "notes.txt", false, piton.Invalid},
	} {
		if own, err := x.a.Owns(t.Context(), x.name); own != x.want || piton.CodeOf(err) != x.code {
			t.Errorf("%s: got %t, %v, want %t, %q", what, own, err, x.want, x.code)
		}
	}
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), whole[:len(whole)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	for what, a := range map[string]store.Archive{"one place": mine, "two places": moved} {
		if own, err := a.Owns(t.Context(), name); own || piton.CodeOf(err) != piton.Corrupt {
			t.Errorf("cut off, %s: got %t, %v, want corrupt", what, own, err)
		}
	}
}

// An archive that has moved is one archive: what it held before is found and removed too.
func TestBoth(t *testing.T) {
	dir := t.TempDir()
	fresh, before := archive.Folder{Dir: filepath.Join(dir, "new")}, archive.Folder{Dir: filepath.Join(dir, "old")}
	moved := archive.Both{Archive: fresh, Before: before}
	contract(t, moved)
	if names, err := before.Files(t.Context()); err != nil || len(names) != 0 {
		t.Fatalf("got %v (%v) in the place before, want all in the new one", names, err)
	}
	here, _ := fresh.Files(t.Context())
	want := some()
	for _, name := range here {
		if err := os.Remove(filepath.Join(dir, "new", name)); err != nil {
			t.Fatal(err)
		}
	}
	old, _, err := before.Write(t.Context(), sequence(want))
	if err != nil {
		t.Fatal(err)
	}
	both, _, err := before.Write(t.Context(), sequence(want[:2]))
	if err == nil {
		_, _, err = fresh.Write(t.Context(), sequence(want[:2]))
	}
	if names, err2 := moved.Files(t.Context()); err != nil || err2 != nil || len(names) != 2 || names[0] >= names[1] {
		t.Errorf("got the files %v (%v, %v), want each once, in order", names, err, err2)
	}
	got, err := collect(moved.Entries(t.Context(), old))
	if err != nil {
		t.Error(err)
	}
	same(t, "entries of the place before", got, want)
	if e, err := moved.Entry(t.Context(), old, want[0].Checkpoint.ID); err != nil || e.Checkpoint.ID != want[0].Checkpoint.ID {
		t.Errorf("an entry of the place before: got %v, %v", e.Checkpoint.ID, err)
	}
	if r, err := moved.Open(t.Context(), old); err != nil {
		t.Errorf("a file of the place before: got %v", err)
	} else {
		r.Close()
	}
	for _, name := range []string{old, both} {
		if err := moved.Remove(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if names, err := moved.Files(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("got %v (%v) left, want nothing in both", names, err)
	}
	if _, err := moved.Open(t.Context(), old); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("in neither place: got %v", err)
	}
	if _, err := moved.Entry(t.Context(), old, want[0].Checkpoint.ID); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("an entry in neither place: got %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := archive.Folder{Dir: filepath.Join(file, "x")}
	for name, a := range map[string]archive.Both{"the place before": {Archive: fresh, Before: broken}, "the new place": {Archive: broken, Before: before}} {
		if _, err := a.Files(t.Context()); piton.CodeOf(err) != piton.Unavailable {
			t.Errorf("%s cannot be read: got %v", name, err)
		}
		if _, err := a.Open(t.Context(), old); err == nil || name == "the place before" && piton.CodeOf(err) == piton.NotFound {
			t.Errorf("%s cannot be read, a file: got %v, want what says more", name, err)
		}
		if err := a.Remove(t.Context(), old); err == nil && name == "the new place" {
			t.Errorf("%s cannot be written: got no error", name)
		}
	}
}
