package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/screen"
)

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
			status := (&Console{Screen: screen.Screen{Err: &b, JSON: json}, SoFar: c.soFar}).Fail(c.ctx, "piton save", c.err)
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
		(&Console{Screen: screen.Screen{Err: &text}}).Warn(c.e)
		(&Console{Screen: screen.Screen{Err: &json, JSON: true}}).Warn(c.e)
		if text.String() != c.text || json.String() != c.json {
			t.Errorf("got\n%s%s\nwant\n%s%s", text.String(), json.String(), c.text, c.json)
		}
	}
	if StatusOf("none") != 1 || StatusOf(piton.Unavailable) != 6 {
		t.Errorf("got the statuses %d and %d", StatusOf("none"), StatusOf(piton.Unavailable))
	}
}
