package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/screen"
)

// TestFailSaysWhatWasDone ends a command, by Ctrl-C and by an error, that has
// done something.
func TestFailSaysWhatWasDone(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		json   bool
		status int
		want   string
	}{
		{"interrupted", ended, false, 130, "piton import: interrupted\nhint: 3 were imported\n"},
		{"interrupted, JSON", ended, true, 130, `{"error":{"code":"unavailable","op":"piton import","message":"interrupted","hint":"3 were imported"}}` + "\n"},
		{"failed", t.Context(), false, 5, "piton: import x: torn\nhint: look; 3 were imported\n"},
		{"failed, JSON", t.Context(), true, 5, `{"error":{"code":"corrupt","op":"import x","message":"torn","hint":"look; 3 were imported"}}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said strings.Builder
			con := &Console{Screen: screen.Screen{Err: &said, JSON: c.json}, SoFar: "3 were imported"}
			if got := con.Fail(c.ctx, "piton import", piton.Errorf(piton.Corrupt, "import x", "look", "torn")); got != c.status || said.String() != c.want {
				t.Errorf("got %d and %q, want %d and %q", got, said.String(), c.status, c.want)
			}
		})
	}
}
