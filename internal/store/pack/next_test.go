package pack

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

// plainNext is next as docs/format.md says it, one byte after the other.
func plainNext(state []byte, from int, inside bool) (p piece, in bool) {
	p = piece{from: from, inside: inside}
	in = inside
	var h uint64
	escaped, woken := false, 0
	for i := from; i < len(state); i++ {
		c := state[i]
		h = h<<1 + gear[c]
		comma := false
		switch {
		case escaped:
			escaped = false
		case c == '"':
			in = !in
		case c == '\\':
			escaped = in
		case c == ',':
			comma = !in
		}
		if i < from+pieceMin || escaped {
			continue
		}
		if woken == 0 && h>>(64-cutBits) == 0 {
			woken = i
			p.major = h<<cutBits>>(64-majorBits) == 0
		}
		if woken > 0 && (comma || i-woken >= patience) || i >= from+pieceMax {
			p.to = i + 1
			return p, in
		}
	}
	p.to, p.major = len(state), false
	return p, in
}

// sameCuts compares the pieces of a state with the plain way's.
func sameCuts(t interface{ Fatalf(string, ...any) }, state []byte) {
	pieces, _ := split(state, nil)
	at, in := 0, false
	for i, got := range pieces {
		var want piece
		if want, in = plainNext(state, at, in); got != want {
			t.Fatalf("piece %d: got %+v, want %+v", i, got, want)
		}
		at = want.to
	}
	if at != len(state) {
		t.Fatalf("got pieces up to %d, want %d", at, len(state))
	}
}

// TestCutsStayWhereTheyAre: what is stored is shared only as long as the cuts of its
// content stay the same.
func TestCutsStayWhereTheyAre(t *testing.T) {
	draw.Check(t, func(r *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{`"`, `\`, `\\`, `\"`, `,`, `","`, `{"a":[1,2],"b":"c"},`, strings.Repeat(`\`, 301)}),
			rapid.StringMatching(`[a-z ,"\\]{0,40}`), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 400), func(b []byte) string { return string(b) })), 1, 30).Draw(r, "parts")
		sameCuts(r, bytes.Repeat([]byte(strings.Join(parts, "")), rapid.IntRange(1, 40).Draw(r, "times")))
	})
}

func FuzzCuts(f *testing.F) {
	f.Add([]byte(`{"a":"b\"c,d\\","e":[1,2,3]}`), 100)
	f.Add([]byte(`\",`), 9000)
	f.Fuzz(func(t *testing.T, part []byte, times int) {
		sameCuts(t, bytes.Repeat(part, min(max(times, 1), 100_000/(len(part)+1)+1)))
	})
}

// TestCutsOfLongStates: what the cuts look for comes seldom, so only long states have it all.
func TestCutsOfLongStates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, one := range map[string]func() string{
		"records":          func() string { return fmt.Sprintf(`{"id":%d,"text":"a, b \"%x\" c\\"},`, r.IntN(1e6), r.Uint64()) },
		"numbers":          func() string { return fmt.Sprintf("%d,", r.IntN(100)) },
		"without a comma":  func() string { return fmt.Sprintf(`["%x" `, r.Uint64()) },
		"long strings":     func() string { return `"` + strings.Repeat(fmt.Sprintf(`%x, \n \\`, r.Uint64()), r.IntN(200)) + `",` },
		"any bytes":        func() string { return string([]byte{byte(r.Uint32()), byte(r.Uint32()), `",\x`[r.IntN(4)]}) },
		"nothing but ends": func() string { return strings.Repeat(`\`, r.IntN(4)) + `"` },
	} {
		var state bytes.Buffer
		for state.Len() < 200_000 {
			state.WriteString(one())
		}
		t.Run(name, func(t *testing.T) { sameCuts(t, state.Bytes()) })
	}
}
