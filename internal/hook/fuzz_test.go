package hook_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

// TestMutatedPayloads changes what the real client sent: values of other
// types, members gone, doubled, of other events.
func TestMutatedPayloads(t *testing.T) {
	h := build(t)
	var real []map[string]any
	for _, p := range payloads(t) {
		var m map[string]any
		if err := json.Unmarshal(p, &m); err != nil {
			t.Fatal(err)
		}
		real = append(real, m)
	}
	dir := t.TempDir()
	odd := []any{nil, true, -1, 1e300, "", "x", "\x00", "../../x", dir, "/dev/zero", "/proc/self/mem", filepath.Join(dir, "none"), strings.Repeat("y", 5000), []any{}, []any{map[string]any{"id": 1}}, map[string]any{"a": []any{}}}
	draw.Check(t, func(rt *rapid.T) {
		m := map[string]any{}
		for range rapid.IntRange(1, 2).Draw(rt, "events") {
			for k, v := range rapid.SampledFrom(real).Draw(rt, "event") {
				m[k] = v
			}
		}
		m["cwd"] = dir
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(slices.Sorted(maps.Keys(m))), 0, 4).Draw(rt, "keys") {
			if rapid.Bool().Draw(rt, "gone") {
				delete(m, k)
				continue
			}
			m[k] = rapid.SampledFrom(odd).Draw(rt, "value")
		}
		b, err := json.Marshal(m)
		if err != nil {
			rt.Fatal(err)
		}
		h.serves(t, bytes.NewReader(b))
	})
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("got %v (%v) in the client's folder, want nothing written", entries, err)
	}
}

func FuzzServe(f *testing.F) {
	for _, p := range payloads(f) {
		f.Add(p)
	}
	for _, s := range []string{"", "{", "[]", "null", "{}", `{"session_id":"a","hook_event_name":"Stop","transcript_path":"/dev/zero"}`} {
		f.Add([]byte(s))
	}
	h := build(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		h.serves(t, bytes.NewReader(b))
		h.log.take()
	})
}
