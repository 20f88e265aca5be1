package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The table in the tree is the one that the data makes.
func TestTableIsUpToDate(t *testing.T) {
	want, err := Table("../data/outputs")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../formats_table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("formats_table.go is not what data/outputs makes: run go generate ./internal/judge/tools")
	}
}

// What is misspelt in the data is an error, not silence.
func TestDataIsStrict(t *testing.T) {
	for name, text := range map[string]string{
		"a key":          "[[output]]\nname = 'x'\nline = []\n",
		"a key of lines": "[[output]]\nlines = [{ re = 'x', is = 'pass', state = 'y' }]\n",
		"what it says":   "[[output]]\nlines = [{ re = 'x', is = 'passes' }]\n",
		"a rank":         "[[output]]\nlines = [{ re = 'x', is = 'red', rank = 'high' }]\n",
		"an expression":  "[[output]]\nlines = [{ re = '(', is = 'red' }]\n",
		"another one":    "[[output]]\nlines = [{ re = 'x', not = '(', is = 'red' }]\n",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.toml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := read(file); err == nil {
				t.Errorf("%q was read", text)
			}
		})
	}
}
