package announce

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
)

// TestMeaning: what each status says of a letter, and how long a server may have us wait.
func TestMeaning(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for status, want := range map[int]courier.What{
		199: courier.Parked, 200: courier.Delivered, 299: courier.Delivered, 300: courier.Parked, 399: courier.Parked, 400: courier.Parked, 407: courier.Parked,
		408: courier.Failed, 409: courier.Parked, 428: courier.Parked, 429: courier.Failed, 430: courier.Parked, 499: courier.Parked, 500: courier.Failed, 501: courier.Failed, 599: courier.Failed,
	} {
		got := meaning(status, "10", noon)
		if redirect := status >= 300 && status < 400; got.What != want || strings.Contains(got.Why, "a redirect") != redirect || (got.Again == 10*time.Second) != (want == courier.Failed) {
			t.Errorf("%d: got %+v, want %s", status, got, want)
		}
	}
	at := func(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "12": 12 * time.Second, "300": maxAgain, "301": maxAgain, "2147483647": maxAgain, "2147483648": 0, "99999999999": 0, "0x10": 0, "a": 0, "1.5": 0,
		at(time.Minute): time.Minute, at(-time.Minute): 0, at(time.Hour): maxAgain,
	} {
		if got := again(text, noon); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	for address, want := range map[string]bool{"http://h": true, "https://h/x?y": true, "ftp://h": false, "http:///x": false, "h": false, "": false, ":": false} {
		if got := isAddress(address); got != want {
			t.Errorf("%s: got %t", address, got)
		}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{context.DeadlineExceeded, "the server did not answer in time"},
		{&url.Error{Err: &net.OpError{Op: "dial", Err: &net.DNSError{Name: "secret"}}}, "the name of the server is not found"},
		{&url.Error{Err: &net.OpError{Op: "dial", Err: errors.New("refused")}}, "the server cannot be reached: refused"},
		{&url.Error{URL: "http://secret", Err: errors.New("odd")}, "the request failed: odd"},
		{errors.New("secret"), "the request failed"},
	} {
		if got := unsent(c.err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := (Carrier{}).post(t.Context(), message{listener: agent.Listener{Webhook: "ftp://h"}}); got.What != courier.Parked || got.Why != notAddress {
		t.Errorf("got %+v", got)
	}
	if (Carrier{}).now().IsZero() {
		t.Error("got no time")
	}
}

// TestTidy: what is told, without what steers a terminal or cannot be seen.
func TestTidy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" a\r\nb\tc\rd\x07 ": "a\nb\tcd", "a\u202eb\u2066c": "abc", "a\U000E0000b": "ab", "a\U000E0041b\U000E007Fc\U000E0080d": "abc\U000E0080d", "a\xffb": "a�b", "\u00ad": "\u00ad", "": "",
	} {
		if got := tidy(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := tidy(strings.Repeat("a", maxText+1)); len(got) > maxText || !strings.HasPrefix(got, "aaa") {
		t.Errorf("got %d bytes", len(got))
	}
	if got := tidy(strings.Repeat("a", maxText)); len(got) != maxText {
		t.Errorf("got %d bytes, want all", len(got))
	}
	session := func(name, root string) agent.Session {
		return agent.Session{Identity: agent.Identity{Agent: name, Root: root}}
	}
	for want, s := range map[string]agent.Session{"Piton": {}, "x": session("x", ""), "x in shop": session("x", "/a/shop"), "Piton in shop": session("", "/a/shop/")} {
		if got := (message{session: s}).title(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for text, want := range map[string]string{"": "", "a\nb \n\n": "b", strings.Repeat("x", 300): strings.Repeat("x", 300)} {
		if got := lastLine([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := len(lastLine([]byte(strings.Repeat("x", 301)))); got > 300+len("…") {
		t.Errorf("got %d bytes", got)
	}
	if got := fmt.Sprint(compact([]string{"b", "a", "b"})); got != "[a b]" {
		t.Errorf("got %s", got)
	}
}
