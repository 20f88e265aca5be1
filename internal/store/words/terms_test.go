package words

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		" ,.-_()\x00":      "",
		"Parser parser,":   "parser",
		"fooBar":           "bar foo foobar",
		"HTTPServer":       "http httpserver server",
		"a/foo_bar.go":     "a afoobar afoobargo bar bargo foo foobar foobargo go",
		"保存する":             "る する 保 保存する 存 存する す",
		"Ünï Straße Ærø ﬁ": "aero strasse uni ﬁ",
		"e\u0301te":        "ete",
		"v2.10":            "10 v2 v210",
		"🚀x":               "x 🚀 🚀x",
	} {
		got := Terms(text)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%q: got %q, want %q", text, got, wanted)
		}
	}
}

// What a text holds is found by it: each word, its beginning where it is the
// last, and all of them.
func TestTextIsFoundByItsWords(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9_./-]{1,80}`), rapid.String(), rapid.StringMatching(`[äöÜßéŁŻ保存 ]{1,12}`)), 1, 8).Draw(t, "words")
		text := strings.Join(words, " ")
		have := Terms(text)
		if !slices.IsSorted(have) || slices.Contains(have, "") {
			t.Fatalf("got %q, want sorted terms", have)
		}
		for _, x := range have {
			if len(x) > termLength || !utf8.ValidString(x) || strings.ContainsAny(x, ` "'*:&|!<>()\`) {
				t.Fatalf("got the term %q, want letters and digits only", x)
			}
		}
		for _, w := range words {
			if !Fits(Question(w), have) {
				t.Fatalf("%q: %+v is not found in %q", w, Question(w), have)
			}
		}
		if !Fits(Question(text), have) {
			t.Fatalf("%q is not found by itself", text)
		}
	})
}

func TestTermsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"one long word": strings.Repeat("x", 1<<16), "many parts": strings.Repeat("aB/", 1<<14), "many signs": strings.Repeat("保存変更", 1<<12),
	} {
		total := 0
		for _, x := range Terms(text) {
			total += len(x)
		}
		if total > termsTotal+termLength*termLength {
			t.Errorf("%s: got %d bytes, want at most %d", name, total, termsTotal)
		}
	}
}
