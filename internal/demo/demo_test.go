package demo

import (
	"regexp"
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
