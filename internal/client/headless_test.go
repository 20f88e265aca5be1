package client

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTaskPrompt(t *testing.T) {
	t.Parallel()
	if got := (Task{}).Prompt("work"); got != "work" {
		t.Errorf("without more: got %q", got)
	}
	if got := (Task{System: "Be short."}).Prompt("work"); got != "Be short.\n\nwork" {
		t.Errorf("with a text for the system prompt: got %q", got)
	}
}

// TestFollowing: each line tells its own news only, and what is no object tells none.
func TestFollowing(t *testing.T) {
	t.Parallel()
	var p Progress
	follow := Following(&p, func(line []byte) {
		p.Said(" \n")
		p.Said(string(line))
		p.Called("Bash", " ls\n -l ")
		p.Called("Stop", " ")
	})
	got := []Progress{follow([]byte(` {"a":1}`)), follow([]byte("warning: x"))}
	want := []Progress{
		{Text: ` {"a":1}`, News: []News{{Text: ` {"a":1}`}, {Call: true, Text: "Bash: ls -l"}, {Call: true, Text: "Stop"}}},
		{Text: ` {"a":1}`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestSafeID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"a-B_9": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
		"": false, "-a": false, "a/b": false, "a*": false, "a b": false,
	} {
		if got := SafeID(id); got != want {
			t.Errorf("%q: got %t, want %t", id, got, want)
		}
	}
}
