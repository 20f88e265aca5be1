package piton_test

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

// TestTrackedFiles fails on a file in the repository that no person wrote: a
// binary outside testdata, or one whose name a program may have taken from its
// arguments.
func TestTrackedFiles(t *testing.T) {
	out, err := exec.Command(need.Program(t, "git"), "ls-files", "-z").Output()
	if err != nil {
		need.Missing(t, "this is not a git checkout")
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(files) < 100 {
		t.Fatalf("got %d tracked files, want those of the whole repository", len(files))
	}
	for _, file := range files {
		if strings.HasPrefix(path.Base(file), "-") {
			t.Errorf("%s: the name looks like a flag", file)
		}
		if strings.Contains("/"+file, "/testdata/") || path.Dir(file) == "docs/pictures" {
			continue
		}
		text, err := os.ReadFile(filepath.FromSlash(file))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			t.Errorf("%s is a binary file outside testdata", file)
		}
	}
}
