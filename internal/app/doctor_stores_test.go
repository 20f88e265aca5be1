package app

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
)

// A store that opens and does not give back what was written to it has failed.
func TestWhatCannotBeReadBackIsAFailure(t *testing.T) {
	gone := piton.Errorf(piton.NotFound, "read the archive", "", "NoSuchKey")
	if c := verdict("archive", "s3://bucket", gone, "look"); c.OK || c.Hint != "look" || !strings.Contains(c.Detail, "NoSuchKey") {
		t.Errorf("got %+v, want a failure", c)
	}
	a := newCaller(t, caller.Options{}).Overview
	if c := a.checkStore(t.Context()); !c.OK || !strings.HasSuffix(c.Detail, noneSaved) {
		t.Errorf("got %+v before anything was saved, want no failure", c)
	}
}
