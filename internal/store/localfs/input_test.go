package localfs_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/store/localfs"
)

// TestOpenInput: a file is read as it is, and a pipe until ctx ends.
func TestOpenInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := localfs.OpenInput(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || string(got) != "text" {
		t.Errorf("a file: got %q, %v", got, err)
	}
	if _, err := localfs.OpenInput(t.Context(), name+"-gone"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: got %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in := localfs.Interruptible(ctx, r)
	if _, err := w.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	half := make([]byte, 4)
	if _, err := io.ReadFull(in, half); err != nil || string(half) != "half" {
		t.Errorf("a pipe: got %q, %v", half, err)
	}
	cancel()
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("after ctx has ended: got %v", err)
	}
}
