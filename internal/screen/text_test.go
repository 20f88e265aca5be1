package screen

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton/internal/testkit/need"
)

// texts are what strangers may have written.
var texts = []string{"", "plain", "a\x1b[31mb", "\x1b]0;t\x07", "c1 \u009b31m", "raw \x9b31m", "bidi \u202eabc\u2066", "lines\na\tb\r\nc", "日本語 é 👩‍👩‍👧", "00👩\u200d👩0000000", "\xff\xfe", "\x7f\x00"}

func FuzzTexts(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	steering := func(s, except string) bool {
		return strings.ContainsFunc(s, func(r rune) bool {
			return (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) && !strings.ContainsRune(except, r)
		})
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := Line(s); steering(got, "") || !utf8.ValidString(got) {
			t.Errorf("line: %q", got)
		}
		if got := Clean(s); steering(got, "\n\t") || !utf8.ValidString(got) {
			t.Errorf("clean: %q", got)
		}
		if got := Short(s, 10); Columns(got) > 10 {
			t.Errorf("short: %q", got)
		}
		before, err := json.Marshal(map[string]string{s: s})
		if err != nil {
			t.Fatal(err)
		}
		after := CleanJSON(before)
		var x, y map[string]string
		if json.Unmarshal(before, &x) != nil || json.Unmarshal(after, &y) != nil {
			t.Fatalf("no JSON any more: %s", after)
		}
		for k, v := range x {
			if y[k] != v {
				t.Errorf("another value: %s, was %s", after, before)
			}
		}
		if steering(string(after), "") {
			t.Errorf("cleanJSON: %q", after)
		}
	})
}

// TestQuote: a shell reads back what was quoted.
func TestQuote(t *testing.T) {
	sh := need.Program(t, "sh")
	for _, s := range append([]string{"it's", `"$HOME" \ ` + "`x`", "-n", "a;b", "*", "~", "!x", "two\nlines\n"}, texts...) {
		if strings.Contains(s, "\x00") {
			continue
		}
		out, err := exec.Command(sh, "-c", "printf %s "+Quote(s)).Output()
		if err != nil || !bytes.Equal(out, []byte(s)) {
			t.Errorf("%q: got %q, %v", s, out, err)
		}
	}
}

func TestActionsAreShownToTheirEnd(t *testing.T) {
	var b strings.Builder
	action := "`" + strings.Repeat("a/", 150) + "x.go` changed, and no test has run since: run `go test ./...`"
	TextRows(&b, "actions", []string{action})
	if want := "  actions     " + action + "\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
