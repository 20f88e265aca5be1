package main

import (
	"bytes"
	"os"
	"testing"
)

// The tables in the tree are those that the data makes.
func TestTablesAreUpToDate(t *testing.T) {
	tables, err := Tables("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range tables {
		if got, err := os.ReadFile("../" + name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the data makes (%v): run go generate ./internal/judge/debrief", name, err)
		}
	}
}

// What is misspelt in the data is an error, not silence.
func TestDataIsStrict(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown list":     "litters: [x]\n",
		"an unknown key":      "after:\n  - name: x\n    includes: [x]\n",
		"a text for a number": "after:\n  - name: x\n    precedence: high\n",
	} {
		t.Run(name, func(t *testing.T) {
			if err := builtin(&bytes.Buffer{}, []byte(text)); err == nil {
				t.Errorf("%q was read", text)
			}
		})
	}
	for name, text := range map[string]string{
		"an expression":    "[X: x]\n(\n",
		"no section":       "x\n",
		"a section's name": "[x]\nx\n",
	} {
		t.Run(name, func(t *testing.T) {
			if err := phrases(&bytes.Buffer{}, []byte(text)); err == nil {
				t.Errorf("%q was read", text)
			}
		})
	}
}
