// Package hidden reads the table of commands that hide how tests went.
package hidden

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Form is a way to run the tests of a project whose changed file is File.
type Form struct {
	File, Line string
	Red, Green string // what it prints
	Sees       bool   // the red run can be seen, and holds
}

// Forms reads the table, a JSON object per line.
func Forms(t testing.TB, path string) (list []Form) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var f Form
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		list = append(list, f)
	}
	return list
}
