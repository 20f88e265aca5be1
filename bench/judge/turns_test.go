package main

import "testing"

// disputed are turns that the judge decides otherwise than their label, with the
// client, and why that is left so.
var disputed = map[string]string{
	"failure-at-the-end-of-a-long-output/claude": "its log keeps the beginning of a long output and no status, because tee hides it: nobody saw how the tests went",
}

// TestLabelledTurns holds the judge to the labels.
func TestLabelledTurns(t *testing.T) {
	turns, err := load("turns")
	if err != nil {
		t.Fatal(err)
	}
	if len(turns) < 60 {
		t.Errorf("got %d turns, want 60 at least", len(turns))
	}
	for _, x := range turns {
		t.Run(x.name+"/"+x.client, func(t *testing.T) {
			hold, said, err := piton(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if right := hold == x.hold; right == (disputed[x.name+"/"+x.client] != "") {
				t.Errorf("held %v, want %v because %s; it says: %s", hold, x.hold, x.why, said)
			}
		})
	}
}
