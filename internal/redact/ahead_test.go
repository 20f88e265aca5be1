package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

// slowly is Rules.Find of a document that is gone through from its beginning to its
// end, as a small one is.
func slowly(r *Rules, doc []byte) (out []byte, paths []string, err error) {
	d := document{src: doc, reader: newReader(r), find: true}
	if err = d.walk(); err == nil && len(d.edits) > 0 {
		doc = d.apply()
	}
	for _, e := range d.edits {
		for range e.found {
			paths = append(paths, e.path)
		}
	}
	return doc, paths, err
}

// TestLookingAheadChangesNothing: a large document loses the same secrets, at the same
// places, as it does on one core.
func TestLookingAheadChangesNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const filling = "the build is green and nothing else is to be said of it "
	long := func(text string) string { return strings.Repeat(filling, 12) + text + "\n" + filling }
	texts := []string{"", "short", "see the log", "DB_PASSWORD=hunter2xyz9", "AKIAIOSFODNN7EXAMPLQ", "ghp_" + strings.Repeat("a1B2", 9), "curl -u bob:Zx81kqpL0 https://example.com",
		"a \\ b \" c", "\x01\u2028é😀", "[REDACTED:password]", "-p", "mysql", "Authorization: Bearer abcdef0123456789abcdef"}
	keys := []string{"a", "content", "name", "value", "args", "command", "password", "db_password", "key", "title", "env", "token", "set-cookie", "header", long("x")}
	draw.Check(t, func(r *rapid.T) {
		var value func(depth int) any
		value = func(depth int) any {
			kind := rapid.IntRange(0, 6).Draw(r, "kind")
			text := rapid.SampledFrom(texts).Draw(r, "text")
			switch {
			case kind < 2:
				return text
			case kind < 4 || depth == 0:
				return long(text)
			case kind == 4:
				return 123456
			case kind == 5:
				var list []any
				for range rapid.IntRange(0, 4).Draw(r, "elements") {
					list = append(list, value(depth-1))
				}
				return list
			}
			m := map[string]any{}
			for range rapid.IntRange(0, 4).Draw(r, "members") {
				m[rapid.SampledFrom(keys).Draw(r, "key")] = value(depth - 1)
			}
			return m
		}
		doc, err := json.Marshal([]any{value(4), strings.Repeat(filling, aheadFrom/len(filling)+1), value(4), long("")})
		if err != nil {
			r.Fatal(err)
		}
		if rapid.IntRange(0, 4).Draw(r, "damage") == 0 {
			doc[rapid.IntRange(0, len(doc)-1).Draw(r, "at")] = rapid.SampledFrom([]byte(`"\{}[],x`+"\xff")).Draw(r, "byte")
		}
		rules := rapid.SampledFrom([]*Rules{nil, {Names: []string{"db_*"}, Patterns: []string{"hunter*"}}}).Draw(r, "rules")
		want, wantPaths, wantErr := slowly(rules, doc)
		got, paths, err := rules.Find(slices.Clone(doc))
		if !bytes.Equal(got.Get(), want) || !slices.Equal(paths, wantPaths) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			r.Fatalf("got %d bytes, %v, %v, want %d, %v, %v", len(got.Get()), paths, err, len(want), wantPaths, wantErr)
		}
	})
}
