package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/piton-project/piton/internal/judge/tools"
)

// The tables in the tree are those that the data makes.
func TestTablesAreUpToDate(t *testing.T) {
	tables, err := Tables("../data")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range tables {
		if got, err := os.ReadFile("../" + name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what data makes (%v): run go generate ./internal/judge/tools", name, err)
		}
	}
}

// A row has the fields of its type, and names what the package has.
func TestRowsAreStrict(t *testing.T) {
	for name, row := range map[string]map[string]any{
		"a key":         {"name": "go"},
		"a function":    {"inner": "noSuchFunction"},
		"a set":         {"does": "tests nothings"},
		"rows of picks": {"picks": []any{map[string]any{"subs": "test"}}},
		"a kind":        {"subs": "test"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &rows{names: map[string]bool{"Tests": true}}
			if err := w.list("x", reflect.TypeFor[tools.Tool](), []any{row}); err == nil {
				t.Errorf("%v was written: %s", row, w)
			}
		})
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
