package piton_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/testkit/draw"
)

func TestPrintable(t *testing.T) {
	for _, x := range []struct{ name, text, line, lines string }{
		{"plain", "mend the ünïcode 日本", "mend the ünïcode 日本", "mend the ünïcode 日本"},
		{"line feeds and tabs", "a\n\tb", "a  b", "a\n\tb"},
		{"a pasted CR LF", "a\r\nb", "a b", "a\nb"},
		{"a lone CR", "a\rb\r", "a b ", "a\nb\n"},
		{"an escape sequence", "\x1b[31mred\x1b]0;title\x07", `\x1b[31mred\x1b]0;title\x07`, `\x1b[31mred\x1b]0;title\x07`},
		{"NUL and DEL", "a\x00b\x7f", `a\x00b\x7f`, `a\x00b\x7f`},
		{"C1", "a\u009b31mb\u0085c", `a\u009b31mb c`, `a\u009b31mb c`},
		{"not UTF-8", "caf\xe9\xff", `caf\xe9\xff`, `caf\xe9\xff`},
		{"cut in a character", "日"[:2], `\xe6\x97`, `\xe6\x97`},
		{"a replacement character", "a\uFFFDb", "a\uFFFDb", "a\uFFFDb"},
	} {
		t.Run(x.name, func(t *testing.T) {
			if got := piton.Printable(x.text); got != x.line {
				t.Errorf("got the line %q, want %q", got, x.line)
			}
			if got := piton.PrintableLines(x.text); got != x.lines {
				t.Errorf("got the lines %q, want %q", got, x.lines)
			}
		})
	}
}

func TestPrintableOfAnything(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		for _, lines := range []bool{false, true} {
			got := piton.Printable(s)
			if lines {
				got = piton.PrintableLines(s)
			}
			bad := func(r rune) bool { return unicode.IsControl(r) && !(lines && (r == '\n' || r == '\t')) }
			if !utf8.ValidString(got) || strings.ContainsFunc(got, bad) {
				t.Fatalf("got %q of %q", got, s)
			}
		}
	})
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"aé", 2, "a"}, {"é", 1, ""}, {"", 0, ""}, {"a", 0, ""}} {
		if got := piton.Cut(c.in, c.n); got != c.want {
			t.Errorf("%q at %d: got %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
