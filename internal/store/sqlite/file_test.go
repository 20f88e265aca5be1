package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// mode is a file's permission bits.
func mode(t testing.TB, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestOnlyTheUserMayRead(t *testing.T) {
	home := filepath.Join(t.TempDir(), "state", "piton")
	path := filepath.Join(home, "piton.db")
	s := open(t, path, sqlite.Options{})
	add(t, s, `{"a":1}`)
	for path, want := range map[string]os.FileMode{
		filepath.Dir(home): 0o700, home: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600,
	} {
		if got := mode(t, path); got != want {
			t.Errorf("%s: got mode %o, want %o", path, got, want)
		}
	}
}

func TestExistingFolderKeepsItsMode(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	open(t, filepath.Join(dir, "piton.db"), sqlite.Options{})
	if got := mode(t, dir); got != 0o750 {
		t.Errorf("got mode %o, want 750", got)
	}
}

func TestAnyPath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{
		"plain.db", "with space.db", "what?.db", "what?mode=ro", "a#b.db", "100%.db", "%41.db", "a%2Fb", "größe 🧗.db", "a&b=c;d.db", "'quoted\".db",
		"file:x.db", ":memory:", "a+b.db", "back\\slash.db", "line\nfeed.db", "no extension", "-dash", "~tilde.db", "dir?/sub #1/x.db",
	} {
		for kind, path := range map[string]string{"whole": filepath.Join(dir, "whole", name), "two slashes": "//" + filepath.Join(dir, "slashes", name), "relative": name} {
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				t.Errorf("%q (%s): got %v, want no error", name, kind, err)
				continue
			}
			c := add(t, s, `{"a":1}`)
			if err := s.Close(); err != nil {
				t.Errorf("%q (%s): close: %v", name, kind, err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Size() == 0 {
				t.Errorf("%q (%s): got no file there (%v), want one", name, kind, err)
			}
			wantState(t, open(t, path, sqlite.Options{Existing: true}), c.ID, `{"a":1}`)
		}
	}
}

func TestRelativePathSurvivesAChangeOfFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, "piton.db", sqlite.Options{})
	t.Chdir(t.TempDir())
	c := add(t, s, `{"a":1}`)
	wantState(t, s, c.ID, `{"a":1}`)
	if _, err := os.Stat("piton.db"); !os.IsNotExist(err) {
		t.Errorf("in the new folder: got %v, want no file", err)
	}
}

func TestLinkToAFile(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.db"), filepath.Join(dir, "link.db")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	c := add(t, open(t, link, sqlite.Options{}), `{"a":1}`)
	wantState(t, open(t, real, sqlite.Options{}), c.ID, `{"a":1}`)
}

func TestEmptyPathIsInvalid(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := sqlite.Open(t.Context(), "", sqlite.Options{})
	wantError(t, err, piton.Invalid)
	if names, _ := os.ReadDir("."); len(names) > 0 {
		t.Errorf("got the file %s, want none", names[0].Name())
	}
}

func TestExistingOpensOnlyWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "piton.db")
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{Existing: true})
	wantError(t, err, piton.NotFound)
	if names, _ := os.ReadDir(dir); len(names) > 0 {
		t.Errorf("got %s made, want nothing", names[0].Name())
	}
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), empty, sqlite.Options{Existing: true})
	wantError(t, err, piton.NotFound)
	c := add(t, open(t, path, sqlite.Options{}), `{"a":1}`)
	wantState(t, open(t, path, sqlite.Options{Existing: true}), c.ID, `{"a":1}`)
}

func TestEmptyFileBecomesAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, sqlite.Options{})
	wantState(t, s, add(t, s, `{"a":1}`).ID, `{"a":1}`)
}

func TestFolderInsteadOfAFile(t *testing.T) {
	_, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	wantError(t, err, piton.Invalid)
}

func TestFileInsteadOfAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "piton.db"), filepath.Join(file, "sub", "piton.db")} {
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		wantError(t, err, piton.Unavailable)
	}
}
