package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

func TestShorten(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		pieces := []string{"a", `"`, `\`, "\n", "é", "😀", "\x00", `\u0041`, "\u2028"}
		long := strings.Repeat("x", maxString-rapid.IntRange(0, 20).Draw(t, "room")) + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "end"), "")
		was := map[string]string{"before": strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "before"), ""), "long": long, "z": "behind it"}
		text, err := json.Marshal(was)
		if err != nil {
			t.Fatal(err)
		}
		in := iotest.HalfReader(bytes.NewReader(text))
		if rapid.Bool().Draw(t, "at once") {
			in = bytes.NewReader(text)
		}
		out, n, err := shorten(in, MaxPayload)
		if err != nil || n != int64(len(text)) {
			t.Fatalf("got %d bytes read (%v), want %d", n, err, len(text))
		}
		var got map[string]string
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("got no JSON: %v: …%q", err, out[len(out)-100:])
		}
		if got["before"] != was["before"] || got["z"] != was["z"] || !strings.HasPrefix(long, strings.TrimRight(got["long"], "\uFFFD")) || len(got["long"]) < maxString-32 {
			t.Fatalf("got %q, %q and %d bytes that are cut", got["before"], got["z"], len(got["long"]))
		}
	})
}

// TestShortenSearches: what is left out is searched for its end, not read byte by byte.
func TestShortenSearches(t *testing.T) {
	text := bytes.Repeat([]byte(`a line\n`), 4<<20)
	fastest := func(work func()) (least time.Duration) {
		for i := range 3 {
			began := time.Now()
			work()
			if took := time.Since(began); i == 0 || took < least {
				least = took
			}
		}
		return least
	}
	quotes := 0
	byBytes := fastest(func() {
		for _, b := range text {
			if b == '"' {
				quotes++
			}
		}
	})
	got := fastest(func() {
		_, _, _ = shorten(io.MultiReader(strings.NewReader(`{"a":"`), bytes.NewReader(text)), MaxPayload)
	})
	if got > 3*byBytes+5*time.Millisecond {
		t.Errorf("%d bytes (%d quotes) took %v; to read each of them takes %v", len(text), quotes, got, byBytes)
	}
}

// TestPipeHeldOpen: a payload ends with its object, and nothing more is waited for.
func TestPipeHeldOpen(t *testing.T) {
	for _, text := range []string{`{}`, `{"a":[{"b":1}]}`, `{"prompt":"write }] and \"}\" there","n":1}`, `{"dir":"C:\\"}`} {
		open := iotest.ErrReader(errors.New("it reads on"))
		got, err := io.ReadAll(&whole{in: io.MultiReader(iotest.OneByteReader(strings.NewReader(text)), open)})
		if err != nil || string(got) != text {
			t.Errorf("got %s (%v), want %s", got, err, text)
		}
	}
}
