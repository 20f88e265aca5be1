package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

func TestOnFullDisk(t *testing.T) {
	cause := errors.New("no space left on device")
	if err := onFullDisk("cannot prune", localfs.NoRoom("update", cause)); !strings.Contains(err.Error(), "cannot prune: disk full") || AsError(err).Hint == "" || !errors.Is(err, cause) {
		t.Errorf("got %v, want that nothing can be pruned, what to do, and the cause", err)
	}
	other := error(&piton.Error{Code: piton.Unavailable, Op: "update", Err: cause})
	if err := onFullDisk("cannot prune", other); err != other {
		t.Errorf("got %v, want another error as it is", err)
	}
}
