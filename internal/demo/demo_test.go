package demo

import (
	"regexp"
	"strings"
	"testing"
)

// The recording shall not name the machine it was made on.
func TestRecording(t *testing.T) {
	text, err := files.ReadFile("session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 100_000 {
		t.Errorf("got %d bytes, want at most 100,000", len(text))
	}
	if found := regexp.MustCompile(`"/[a-z]|/(tmp|root|home|Users)/|sk-ant|\d{4}-\d\d-\d\dT\d\d:`).Find(text); found != nil {
		t.Errorf("the recording has %q in it", found)
	}
}

// TestOutputFits: what a command has printed is no wider than the terminal, and whole elsewhere.
func TestOutputFits(t *testing.T) {
	var out strings.Builder
	same := func(s string) string { return s }
	x := &teller{out: &out, paint: Paint{Green: same, Fit: func(s string) string { return s[:4] }}}
	x.shell("piton list", "ID  Workflow\nchk_1  w\n")
	if got, want := out.String(), "   $ piton list\n   ID  \n   chk_\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
