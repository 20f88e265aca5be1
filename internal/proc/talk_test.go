//go:build unix

package proc

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

func TestTalk(t *testing.T) {
	// It answers each line with the line, and would go on for ever.
	c := sh(`while read -r line; do echo "heard $line"; done; exec sleep 100`)
	c.Stdin = []byte("one\n")
	var heard []string
	err := Talk(t.Context(), c, func(line []byte) ([]byte, bool) {
		heard = append(heard, string(line))
		return []byte("two\n"), len(heard) == 2
	})
	if err != nil || len(heard) != 2 || heard[0] != "heard one" || heard[1] != "heard two" {
		t.Errorf("got %q, %v", heard, err)
	}
}

func TestTalkEnds(t *testing.T) {
	never := func([]byte) ([]byte, bool) { return nil, false }
	for _, tc := range []struct {
		name string
		c    Command
		is   error
	}{
		{"it says nothing", Command{Argv: []string{"sleep", "100"}, Timeout: 50 * time.Millisecond}, context.DeadlineExceeded},
		{"its child holds the streams", Command{Argv: []string{"sh", "-c", "sleep 100 & exec sleep 100"}, Timeout: 50 * time.Millisecond}, context.DeadlineExceeded},
		{"it does not heed the signal", Command{Argv: []string{"sh", "-c", "trap '' TERM; while :; do sleep 1; done"}, Timeout: 50 * time.Millisecond, Grace: 50 * time.Millisecond}, context.DeadlineExceeded},
		{"no such program", Command{Argv: []string{"/nowhere/program"}}, exec.ErrNotFound},
		{"it ends first", sh("echo no"), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Talk(t.Context(), tc.c, never)
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("got %v, want %v", err, tc.is)
			}
		})
	}
}
