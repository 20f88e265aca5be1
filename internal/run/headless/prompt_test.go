package headless

import (
	"errors"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/run/action"
)

// TestWhatTheNextAttemptIsTold: the agent is told why the attempt before came to no
// end, and nothing that is not so.
func TestWhatTheNextAttemptIsTold(t *testing.T) {
	for _, x := range []struct {
		name, client string
		told         string
	}{
		{"it said that it could not", "ends 'PITON: could not: no network'", "ended with the words that it could not be done: no network\nIt is to be tried again"},
		{"the client failed", "init; echo 'no such model' >&2; exit 3", "ended before it was done: claude: it ended with status 3 before its work was done: no such model."},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newStage(t)
			s.client("claude", "if [ $n = 1 ]; then\n"+x.client+"\nexit\nfi\nif [ $n = 2 ]; then kill -9 $$; fi\nends 'Done.'\n")
			c := s.call(prompt("build it"))
			_, err := s.do(c)
			var no *action.CouldNot
			var failed *action.Failed
			var noted action.Note
			switch {
			case errors.As(err, &no):
				noted = no.Result.Note
			case errors.As(err, &failed):
				noted = failed.Result.Note
			default:
				t.Fatalf("got %v", err)
			}
			if _, err := s.do(next(c, noted)); err == nil {
				t.Fatal("got no error of a client that was killed")
			}
			if got := s.was("prompt", 2); !strings.Contains(got, x.told) || strings.Contains(got, "broken off") {
				t.Errorf("got the prompt %q, want %q", got, x.told)
			}
			if _, err := s.do(next(c, s.notes[len(s.notes)-1])); err != nil { // as after a crash
				t.Fatal(err)
			}
			if got := s.was("prompt", 3); !strings.Contains(got, "was broken off") || strings.Contains(got, x.told) {
				t.Errorf("got the prompt %q, want that it was broken off", got)
			}
		})
	}
}
