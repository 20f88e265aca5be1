//go:build unix

package action

import (
	"io"
	"os"
	"testing"
)

// TestShellIsTold: a command reads in its environment why a person has sent its step
// back; what a step around the run was told is not handed on.
func TestShellIsTold(t *testing.T) {
	for words, want := range map[string]any{"": "unset", "wrong version": "wrong version"} {
		c := Call{
			Run: "run_1", Step: "s", Attempt: 1, Key: key(t), Words: words, Dir: t.TempDir(), Log: io.Discard,
			Env:        []string{"PATH=" + os.Getenv("PATH"), "PITON_WORDS=of another step"},
			Parameters: map[string]any{"command": `echo "${PITON_WORDS-unset}"`},
		}
		r, err := Shell{}.Do(t.Context(), c)
		if err != nil || r.Output != want {
			t.Errorf("got %v (%v), want %v", r.Output, err, want)
		}
	}
}
