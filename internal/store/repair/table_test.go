package repair

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// TestFits: which values can be a row of a table, and how a bit between bytes and a text
// is set right.
func TestFits(t *testing.T) {
	t.Parallel()
	id := piton.NewID(piton.WorkflowPrefix)
	x := table{name: "workflows", keyed: true, columns: []column{
		{name: "rowid", kind: "INTEGER", null: true}, {name: "id", kind: "TEXT"}, {name: "n", kind: "INTEGER", null: true}, {name: "data", kind: "BLOB", fallback: true}, {name: "late", kind: "TEXT", fallback: true},
	}}
	for _, c := range []struct {
		values []any
		want   bool
	}{
		{[]any{nil, id, int64(1), []byte{}, "x"}, true}, {[]any{nil, id, nil, []byte{1}}, true}, {[]any{nil, id}, true}, {[]any{nil}, false}, {nil, false},
		{[]any{nil, id, nil, []byte{}, "x", nil}, false}, {[]any{int64(1), id}, false}, {[]any{nil, "nope"}, false}, {[]any{nil, nil}, false}, {[]any{nil, id, "1"}, false}, {[]any{nil, id, nil, "x"}, false},
		{[]any{nil, id, nil, []byte{}, nil}, false}, {[]any{nil, id, nil, []byte{}, []byte{}}, false}, {[]any{nil, id, 1.5}, false}, {[]any{nil, int64(1)}, false},
	} {
		if got := x.fits(c.values); got != c.want {
			t.Errorf("%v: got %t", c.values, got)
		}
	}
	if plain := (table{name: "counters", columns: []column{{name: "id", kind: "TEXT"}, {name: "value", kind: "INTEGER"}}}); !plain.fits([]any{"any", int64(1)}) || plain.fits([]any{"any"}) {
		t.Error("a table without ids of its own wants one, or takes a row that is too short")
	}
	values := []any{nil, []byte("a"), int64(1), "b", []byte{0xff}, "more"}
	if x.retype(values); fmt.Sprintf("%T %T %T %T", values[1], values[2], values[3], values[4]) != "string int64 []uint8 []uint8" || values[5] != "more" {
		t.Errorf("got %#v", values)
	}
}

// TestFiles: a copy takes nothing's place, a name is free, and the old store is kept with
// its log.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text := func(name string) string {
		b, err := os.ReadFile(at(name))
		if err != nil {
			return "none"
		}
		return string(b)
	}
	for name, s := range map[string]string{"a": "old", "a-wal": "log", "b": "new", "c": "c", "c-2": "c"} {
		if err := os.WriteFile(at(name), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := [2]string{free(at("d")), free(at("c"))}; got != [2]string{at("d"), at("c-3")} {
		t.Errorf("got %q", got)
	}
	if err := copyFile(at("a"), at("b")); err == nil || text("b") != "new" {
		t.Errorf("got %v and %q, want no file replaced", err, text("b"))
	}
	if err := copyFile(at("a"), at("e")); err != nil || text("e") != "old" {
		t.Errorf("got %v and %q", err, text("e"))
	}
	if copyFile(at("none"), at("f")) == nil || text("f") != "none" {
		t.Error("a file that is not there was copied")
	}
	was := state(at("a"))
	if was != state(at("a")) || was == state(at("c")) || state(at("none")) != "none;none;" {
		t.Errorf("got %s", was)
	}
	if err := os.WriteFile(at("a-wal"), []byte("longer"), 0o600); err != nil || state(at("a")) == was {
		t.Errorf("a log that grew is no change (%v)", err)
	}
	if err := replace(at("a"), at("b"), at("kept")); err != nil || text("a") != "new" || text("a-wal") != "none" || text("b") != "none" || text("kept") != "old" || text("kept-wal") != "longer" {
		t.Errorf("got %v, %q, %q, %q, %q", err, text("a"), text("a-wal"), text("kept"), text("kept-wal"))
	}
	if err := replace(at("gone"), at("c"), at("kept2")); err != nil || text("gone") != "c" {
		t.Errorf("got %v, want the new file where there was none", err)
	}
	if replace(at("a"), at("none"), at("kept3")) == nil || text("kept3") != "new" {
		t.Error("a store was replaced by nothing")
	}
	inner := errors.New("x")
	if cause(&piton.Error{Op: "o", Err: inner}) != inner || cause(inner) != inner {
		t.Error("got another cause")
	}
	for _, c := range []struct {
		r    Report
		want bool
	}{
		{Report{}, true}, {Report{Saved: []Saved{{Rows: 3}}}, true}, {Report{Saved: []Saved{{}, {Damaged: 1}}}, false}, {Report{Saved: []Saved{{Pages: 1}}}, false},
		{Report{Lost: []Lost{{}}}, false}, {Report{Notes: []string{"x"}}, false}, {Report{Damaged: make([]history.Damage, 1)}, false},
	} {
		if got := c.r.Whole(); got != c.want {
			t.Errorf("%+v: got %t", c.r, got)
		}
	}
}
