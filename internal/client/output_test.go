package client

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/piton-project/piton/internal/agent"
)

func TestCut(t *testing.T) {
	for name, in := range map[string]string{
		"short":             "ok",
		"just fits":         strings.Repeat("x", agent.OutputKept),
		"one too many":      "b" + strings.Repeat("x", agent.OutputKept-1) + "e",
		"runes of any size": strings.Repeat("aé→😀", agent.OutputKept),
		"continued bytes":   strings.Repeat("\x80", 2*agent.OutputKept),
	} {
		got := Cut(in)
		same := len(in) <= agent.OutputKept
		switch {
		case len(got) > agent.OutputKept, same && got != in, utf8.ValidString(in) != utf8.ValidString(got):
			t.Errorf("%s: got %d bytes, the same %v, valid %v", name, len(got), got == in, utf8.ValidString(got))
		case !same && (got[0] != in[0] || got[len(got)-1] != in[len(in)-1] || !strings.Contains(got, " bytes left out ...]")):
			t.Errorf("%s: got %.20q to %.20q, want beginning, mark and end", name, got, got[len(got)-20:])
		}
	}
}

func TestAbsolute(t *testing.T) {
	for _, tt := range []struct{ dir, path, want string }{
		{"/w", "a/b.go", "/w/a/b.go"},
		{"/w", "/x/b.go", "/x/b.go"},
		{"/w", "~/b.go", "~/b.go"},
		{"", "b.go", "b.go"},
		{`C:\w`, `C:\w\b.go`, `C:\w\b.go`},
		{`c:\w`, "C:/w/b.go", "C:/w/b.go"},
		{"/w", "a:b", "/w/a:b"},
	} {
		if got := Absolute(tt.dir, tt.path); got != tt.want {
			t.Errorf("%s in %s: got %s, want %s", tt.path, tt.dir, got, tt.want)
		}
	}
}
