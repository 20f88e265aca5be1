package cli

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/piton-project/piton"
)

// screen is a terminal that keeps what is written to it.
type screen struct{ strings.Builder }

func (*screen) Columns() int { return 80 }

// TestFail: an error in words and in JSON, and its exit status.
func TestFail(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	damaged := piton.Errorf(piton.Corrupt, "load chk_1", "'verify' lists what is damaged", "the sum is another")
	for _, c := range []struct {
		name, soFar string
		err         error
		ctx         context.Context
		text, json  string
		status      int
	}{
		{"of a verb", "", damaged, t.Context(), "piton: load chk_1: the sum is another\nhint: 'piton verify' lists what is damaged\n",
			`{"error":{"code":"corrupt","op":"load chk_1","message":"the sum is another","hint":"'piton verify' lists what is damaged"}}`, 5},
		{"refused before", "", piton.Errorf(piton.Invalid, "", "", "--x is empty"), t.Context(), "piton save: --x is empty\n", `{"error":{"code":"invalid","op":"piton save","message":"--x is empty"}}`, 2},
		{"of ours", "", errors.New("odd"), t.Context(), "piton: odd\n", `{"error":{"code":"internal","message":"odd"}}`, 1},
		{"what was done", "2 were deleted", piton.Errorf(piton.Conflict, "delete", "", "it has moved"), t.Context(), "piton: delete: it has moved\nhint: 2 were deleted\n",
			`{"error":{"code":"conflict","op":"delete","message":"it has moved","hint":"2 were deleted"}}`, 4},
		{"what was done, and a hint", "2 were deleted", piton.Errorf(piton.Conflict, "delete", "again", "it has moved"), t.Context(), "piton: delete: it has moved\nhint: again; 2 were deleted\n",
			`{"error":{"code":"conflict","op":"delete","message":"it has moved","hint":"again; 2 were deleted"}}`, 4},
		{"an argument too many", "", errors.New(`unknown command "x" for "piton save"`), t.Context(), "piton: unknown command \"x\" for \"piton save\"\nhint: see 'piton --help'\n",
			`{"error":{"code":"invalid","message":"unknown command \"x\" for \"piton save\"","hint":"see 'piton --help'"}}`, 2},
		{"interrupted", "", damaged, stopped, "piton save: interrupted\n", `{"error":{"code":"unavailable","op":"piton save","message":"interrupted"}}`, Interrupted},
		{"a secret, and what steers", "", piton.Errorf(piton.NotFound, "load", "", "no \x1b[31m%s", "ghp_"+strings.Repeat("A1b2", 9)), t.Context(), "piton: load: no �[31m[REDACTED:github-token]\n",
			`{"error":{"code":"not_found","op":"load","message":"no \u001b[31m[REDACTED:github-token]"}}`, 3},
	} {
		for _, json := range []bool{false, true} {
			var b strings.Builder
			status := Voice{Err: &b, JSON: json}.Fail(c.ctx, "piton save", c.soFar, c.err)
			want := c.text
			if json {
				want = c.json + "\n"
			}
			if b.String() != want || status != c.status {
				t.Errorf("%s, JSON %t: got %d and\n%s\nwant %d and\n%s", c.name, json, status, b.String(), c.status, want)
			}
		}
	}
}

func TestWarn(t *testing.T) {
	for _, c := range []struct {
		e          *piton.Error
		text, json string
	}{
		{piton.Errorf(piton.Corrupt, "read", "'verify'", "damaged"), "piton: warning: read: damaged\nhint: 'piton verify'\n", `{"warning":{"code":"corrupt","message":"damaged","hint":"'piton verify'"}}` + "\n"},
		{piton.Errorf(piton.Invalid, "", "see line 3", "no such key"), "piton: warning: no such key; see line 3\n", ""},
		{piton.Errorf(piton.Invalid, "", "see line 3", "did you mean a?"), "piton: warning: did you mean a? see line 3\n", ""},
	} {
		var text, json strings.Builder
		Voice{Err: &text}.Warn(c.e)
		Voice{Err: &json, JSON: true}.Warn(c.e)
		if text.String() != c.text || json.String() != c.json {
			t.Errorf("got\n%s%s\nwant\n%s%s", text.String(), json.String(), c.text, c.json)
		}
	}
	var b strings.Builder
	Voice{Err: &b, Shape: strings.ToUpper}.Say("%d lines", 2)
	if b.String() != "2 LINES\n" {
		t.Errorf("got %q, want it in its shape", b.String())
	}
}

// TestWhatReachesATerminal: of what others wrote nothing that steers one.
func TestWhatReachesATerminal(t *testing.T) {
	for _, c := range []struct{ text, line, lines, json string }{
		{"plain", "plain", "plain", "plain"},
		{" a\tb\n\n c ", "a b c", " a\tb\n\n c ", " a\tb\n\n c "},
		{"a\x1b[2Jb\x7fc\u0085d\u202ee", "a [2Jb c d e", "a�[2Jb�c�d�e", "a\x1b[2Jb\\u007fc\\u0085d\\u202ee"},
		{"a\xffb", "a�b", "a�b", "a\xffb"},
	} {
		if got := [3]string{Line(c.text), Clean(c.text), string(CleanJSON([]byte(c.text)))}; got != [3]string{c.line, c.lines, c.json} {
			t.Errorf("%q: got %q, want %q, %q and %q", c.text, got, c.line, c.lines, c.json)
		}
	}
	const tag = "<system-reminder>"
	fenced := piton.Fence(tag)
	if fenced == tag {
		t.Fatal("a tag is not fenced")
	}
	for _, terminal := range []bool{false, true} {
		if got := Fence("\x1b[1m"+tag+"\x1b[0m "+tag, terminal); strings.Contains(got, tag) || strings.Count(got, fenced) != 2 || strings.HasPrefix(got, "\x1b[1m") != terminal || strings.Contains(got, "\x1b[0m ") != terminal {
			t.Errorf("terminal %t: got %q", terminal, got)
		}
	}
	s, b := &screen{}, &strings.Builder{}
	if err := errors.Join(WriteJSON(s, "<\u202e>"), WriteJSON(b, "<\u202e>")); err != nil || s.String() != "\"<\\u202e>\"\n" || b.String() != "\"<\u202e>\"\n" {
		t.Errorf("got %q on a terminal and %q elsewhere (%v)", s.String(), b.String(), err)
	}
	if err := WriteJSON(b, func() {}); err == nil {
		t.Error("what is no JSON: got no error")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if !IsTerminal(s) || IsTerminal(b) || IsTerminal(null) {
		t.Error("got another terminal than the one")
	}
	if StatusOf("none") != 1 || StatusOf(piton.Unavailable) != 6 {
		t.Errorf("got the statuses %d and %d", StatusOf("none"), StatusOf(piton.Unavailable))
	}
}
