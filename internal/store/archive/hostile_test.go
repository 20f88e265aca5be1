//go:build unix

package archive_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

// TestHostileArchive: others may write to an archive's folder, and to the rows
// that name its files.
func TestHostileArchive(t *testing.T) {
	const name = "piton-20260102-0123456789abcdef.jsonl.zst"
	outside := filepath.Join(t.TempDir(), name)
	for kind, put := range map[string]func(file string) error{
		"a pipe":           func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"a link outside":   func(file string) error { return os.Symlink(outside, file) },
		"a dangling link":  func(file string) error { return os.Symlink(outside+"-new", file) },
		"a link to itself": func(file string) error { return os.Symlink(name, file) },
		"a device":         func(file string) error { return os.Symlink("/dev/zero", file) },
		"a folder":         func(file string) error { return os.MkdirAll(filepath.Join(file, "x"), 0o700) },
		"a giant": func(file string) error {
			if err := os.WriteFile(file, []byte(`{"format":"piton-archive",`), 0o600); err != nil {
				return err
			}
			return os.Truncate(file, 1<<40)
		},
		"nothing in it": func(file string) error { return os.WriteFile(file, nil, 0o600) },
	} {
		// What lies outside is a whole archive: it is still not this one's.
		if err := os.WriteFile(outside, encoded(t, archive.Encode, some()), 0o600); err != nil {
			t.Fatal(err)
		}
		a := archive.Folder{Dir: t.TempDir()}
		if err := put(filepath.Join(a.Dir, name)); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if e, err := a.Entry(t.Context(), name, some()[0].Checkpoint.ID); piton.CodeOf(err) != piton.Corrupt {
				t.Errorf("%s: got %+v, %v, want corrupt", kind, e.Checkpoint, err)
			}
			if got, err := collect(a.Entries(t.Context(), name)); piton.CodeOf(err) != piton.Corrupt || len(got) > 0 {
				t.Errorf("%s: got %d entries, %v, want corrupt", kind, len(got), err)
			}
			a.Files(t.Context())
			if _, _, err := a.Write(t.Context(), sequence(some())); err != nil {
				t.Errorf("%s: write: %v", kind, err)
			}
			a.Remove(t.Context(), name)
		}()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: it still waits", kind)
		}
		if got, err := collect(archive.Folder{Dir: filepath.Dir(outside)}.Entries(t.Context(), name)); err != nil || len(got) != len(some()) {
			t.Errorf("%s: the file outside has %d entries, %v", kind, len(got), err)
		}
	}
	for _, bad := range []string{"../" + name, "/" + name, "x/" + name, name + "/", name + "\n", "", ".", "..", "../../x", "piton-20260102-0123456789abcdef.jsonl.zst/../../x", `..\` + name} {
		for what, a := range map[string]store.Archive{"folder": archive.Folder{Dir: t.TempDir()}, "bucket": &archive.S3{Bucket: "b-b-b", Prefix: "p", Endpoint: "127.0.0.1:1", Insecure: true}} {
			_, err := a.Entry(t.Context(), bad, some()[0].Checkpoint.ID)
			if piton.CodeOf(err) != piton.Invalid || piton.CodeOf(a.Remove(t.Context(), bad)) != piton.Invalid {
				t.Errorf("%q of a %s: got %v, want it refused", bad, what, err)
			}
		}
	}
}
