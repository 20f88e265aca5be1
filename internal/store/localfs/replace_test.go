package localfs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	is := func(what, want string, mode os.FileMode) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil || string(text) != want {
			t.Errorf("%s: got %q and %v, want %q", what, text, err, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: got %v and %v, want the mode %o", what, info, err, mode)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%s: got %v in the folder, want the file alone", what, left)
		}
	}
	if err := Replace(path, []byte("new"), 0o640, nil); err != nil {
		t.Fatal(err)
	}
	is("a new file", "new", 0o640)
	if err := Replace(path, []byte("newer"), 0o600, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	is("another text", "newer", 0o600)
	no := errors.New("it has changed")
	if err := Replace(path, []byte("newest"), 0o600, func() error { return no }); !errors.Is(err, no) {
		t.Errorf("got %v, want what the check said", err)
	}
	is("refused", "newer", 0o600)
	if err := Replace(filepath.Join(path, "b"), nil, 0o600, nil); err == nil {
		t.Error("got no error for a file below a file")
	}
}
