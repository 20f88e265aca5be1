package proc

import (
	"os"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

func TestAncestors(t *testing.T) {
	list := Ancestors()
	if len(list) == 0 {
		need.Missing(t, "no processes to be seen here")
	}
	if list[0].PID != os.Getppid() || list[0].Name == "" {
		t.Errorf("got %+v first, want our parent %d", list[0], os.Getppid())
	}
}

func TestAncestorsEnd(t *testing.T) {
	cycle := func(pid int) (process, bool) { return process{parent: pid%2 + 1, name: "x"}, true }
	if got := len(ancestors(1, cycle)); got != maxAncestors {
		t.Errorf("in a cycle: got %d, want %d", got, maxAncestors)
	}
	if got := ancestors(7, func(int) (process, bool) { return process{}, false }); len(got) != 0 {
		t.Errorf("nobody to be seen: got %+v, want none", got)
	}
}
