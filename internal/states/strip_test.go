package states

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

// spaced is JSON as many programs write it.
func spaced(state string) string {
	var b strings.Builder
	in := false
	for i := range len(state) {
		b.WriteByte(state[i])
		if state[i] == '"' && (i < 1 || state[i-1] != '\\' || i > 1 && state[i-2] == '\\') {
			in = !in
		}
		if !in && (state[i] == ',' || state[i] == ':') {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func indented(state string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(state), "", "\t"); err != nil {
		panic(err)
	}
	return b.String()
}

// TestStripIsAsCompactIs: what strip takes on is sound after it if and only if
// it was before, and the same as Compact makes it.
func TestStripIsAsCompactIs(t *testing.T) {
	draw.Check(t, func(r *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{" ", "\n", "\t", "\r", "{", "}", "[", "]", ",", ":", `"a"`, `" b "`, `"\" "`, "1", "-2.5e+3", "true", "null", "\f", `"`}), 0, 12).Draw(r, "parts")
		text := []byte(`{"a":[` + strings.Join(parts, "") + `]}`)
		tight, ok := strip(text)
		if !ok {
			return
		}
		want, wantErr := Compact(text)
		got, err := Compact(tight)
		if (err == nil) != (wantErr == nil) || err == nil && (!bytes.Equal(got, want) || !bytes.Equal(tight, want)) {
			r.Fatalf("%q: got %q, %v, want %q, %v", text, tight, err, want, wantErr)
		}
	})
}
