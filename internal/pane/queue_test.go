package pane

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/courier"
)

// queued is the fake client with Codex's queue.
type queued struct{ played }

func (queued) QueueCommand(id, text string) []string {
	return codex.Client{}.QueueCommand(id, text)
}

// A client's own queue goes first. Where it may have taken the text, nothing is
// typed besides.
func TestQueueGoesFirst(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		want  courier.What
		typed bool
	}{
		{"it takes the text", nil, courier.Delivered, false},
		{"an option of a wrapper that it does not know", errors.New("codex ended with status 2: error: `codex queue` does not support `--x`"), courier.Delivered, true},
		{"an older version has none", errors.New("codex ended with status 2: error: unrecognized subcommand 'queue'"), courier.Delivered, true},
		{"the program is not in PATH", exec.ErrNotFound, courier.Delivered, true},
		{"it did not end in time", errors.New("codex did not end in 20s"), courier.Failed, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newStage(t, false)
			x.attach()
			var asked []string
			x.Client = func(string) (client.Client, bool) { return queued{played{dir: x.dir}}, true }
			x.Queue = func(_ context.Context, argv []string, _ string) error { asked = argv; return c.err }
			if out := x.Carry(t.Context(), x.letter(), x.now()); out.What != c.want {
				t.Errorf("got %+v, want %s", out, c.want)
			}
			if got := strings.Join(asked, " "); !strings.HasPrefix(got, "codex queue --thread 0192-abc --message [Piton") || (x.file("got") != "") != c.typed {
				t.Errorf("asked %q and typed %q, want it typed: %v", got, x.file("got"), c.typed)
			}
		})
	}
}
