package cli

import (
	"io"
	"os"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

// TestStdinOfAProgramThatEndsMeanwhile: who writes has written and ended while it is
// asked who could write.
func TestStdinOfAProgramThatEndsMeanwhile(t *testing.T) {
	if os.PathSeparator != '/' {
		need.Missing(t, "a read of a pipe waits for its end on this system")
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	state, idle, err := pipeState(t.Context(), theirs, func(*os.File) bool {
		_, _ = io.WriteString(ours, `{"x":42}`)
		ours.Close()
		return false
	})
	if string(state) != `{"x":42}` || idle || err != nil {
		t.Errorf("got %q, idle %v, %v, want the state", state, idle, err)
	}
}

// TestStdinOfAProgramThatIsBeingStarted: between its start and its own program, a
// process has all that its parent has open, and looks as if it would write.
func TestStdinOfAProgramThatIsBeingStarted(t *testing.T) {
	if os.PathSeparator != '/' {
		need.Missing(t, "a read of a pipe waits for its end on this system")
	}
	for _, x := range []struct {
		name   string
		writes string
		idle   bool
	}{{"nothing was written", "", true}, {"what wrote has ended meanwhile", `{"x":42}`, false}} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			theirs, ours, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.Close()
			defer ours.Close()
			asked := 0
			state, idle, err := pipeState(t.Context(), theirs, func(*os.File) bool {
				if asked++; asked > 1 && x.writes != "" {
					_, _ = io.WriteString(ours, x.writes)
				}
				return asked == 1
			})
			if string(state) != x.writes || idle != x.idle || err != nil {
				t.Errorf("got %q, idle %v, %v, want %q, idle %v", state, idle, err, x.writes, x.idle)
			}
		})
	}
}
