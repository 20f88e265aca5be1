package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
)

// TestProblems: the status, the code and the words of each kind of failure, without
// secrets.
func TestProblems(t *testing.T) {
	t.Parallel()
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for _, c := range []struct {
		err    error
		status int
		code   piton.Code
		says   string
	}{
		{piton.Errorf(piton.Invalid, "save", "", "no"), 422, piton.Invalid, "save: no"},
		{piton.Errorf(piton.NotFound, "", "", "no"), 404, piton.NotFound, "list: no"},
		{piton.Errorf(piton.Conflict, "", "", "no"), 409, piton.Conflict, "no"},
		{piton.Errorf(piton.Corrupt, "", "", "no"), 500, piton.Corrupt, "no"},
		{piton.Errorf(piton.Unavailable, "", "", "no"), 503, piton.Unavailable, "no"},
		{errors.New("no"), 500, piton.Internal, "no"},
		{refuse(http.StatusNotFound, "", "no %s", token), 404, piton.NotFound, "no [REDACTED:github-token]"},
		{refuse(http.StatusRequestTimeout, "", "no"), 408, piton.Unavailable, "no"},
		{refuse(http.StatusServiceUnavailable, "", "no"), 503, piton.Unavailable, "no"},
		{refuse(http.StatusInternalServerError, "", "no"), 500, piton.Internal, "no"},
		{refuse(http.StatusUnsupportedMediaType, "", "no"), 415, piton.Invalid, "no"},
		{&Problem{Status: http.StatusTeapot, Code: piton.Invalid, Detail: "known", Title: http.StatusText(http.StatusTeapot), Type: "about:blank"}, 418, piton.Invalid, "known"},
	} {
		p := problemOf(c.err, "list")
		if p.Status != c.status || p.Code != c.code || !strings.Contains(p.Detail, c.says) || p.Title != http.StatusText(c.status) || p.Type != "about:blank" || strings.Contains(p.Message, token) {
			t.Errorf("%v: got %+v", c.err, p)
		}
		w := httptest.NewRecorder()
		writeProblem(w, c.err)
		var sent Problem
		err := json.Unmarshal(w.Body.Bytes(), &sent)
		if w.Code != c.status || err != nil || sent.Code != c.code || w.Header().Get("Content-Type") != problemType || (w.Header().Get("Retry-After") == "1") != (c.status == 503) {
			t.Errorf("%v: got %d %v %s (%v)", c.err, w.Code, w.Header(), w.Body, err)
		}
	}
}

// TestFan: who wants a message gets it, and who is too far behind is lost.
func TestFan(t *testing.T) {
	t.Parallel()
	var f fan[int]
	all, some, slow := f.join(nil), f.join(func(n int) bool { return n > 1 }), f.join(nil)
	f.send(1, message("one"))
	f.send(2, message("two"))
	if got := string(<-all.messages) + string(<-all.messages) + string(<-some.messages); got != "onetwotwo" || len(some.messages) > 0 {
		t.Errorf("got %s", got)
	}
	if left := f.leave(some); left != 2 {
		t.Errorf("got %d left", left)
	}
	f.send(3, message("three"))
	for len(slow.messages) < maxBehind {
		f.send(4, message("four"))
		<-all.messages
	}
	f.send(5, message("five"))
	select {
	case <-slow.lost:
	default:
		t.Error("got a reader that is too far behind, want it lost")
	}
	if left := f.leave(all); left != 0 {
		t.Errorf("got %d left, want the lost one gone", left)
	}
	if len(some.messages) > 0 {
		t.Error("got a message for one that has left")
	}
}

// TestOver: whether somebody still works on a run.
func TestOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status piton.RunStatus
		alive  caller.OwnerState
		pid    int
		want   bool
	}{
		{piton.RunRunning, caller.OwnerAlive, 1, false}, {piton.RunRunning, caller.OwnerUnknown, 1, false}, {piton.RunQueued, "", 0, false},
		{piton.RunWaiting, "", 0, true}, {piton.RunWaiting, "", 7, false}, {piton.RunRunning, "", 1, true}, {piton.RunCompleted, "", 0, true},
	} {
		var v planruns.RunView
		v.Run.Status, v.Run.Alive, v.Run.Owner.PID = c.status, c.alive, c.pid
		if got := over(v); got != c.want {
			t.Errorf("%+v: got %t", c, got)
		}
	}
}

// TestWeights: how much of the memory for bodies one may take, by its route.
func TestWeights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		length  int64
		want    int64
	}{
		{"POST /v1/checkpoints", 5, 5}, {"POST /v1/checkpoints", -1, maxState}, {"POST /mcp", -1, maxState}, {"POST /v1/other", -1, maxBody}, {"POST /v1/other", 0, 0}, {"POST /v1/import", 1 << 29, maxBody},
	} {
		if got := boundsOf(c.pattern).weight(c.length); got != c.want {
			t.Errorf("%s with %d bytes: got %d, want %d", c.pattern, c.length, got, c.want)
		}
	}
	for size, want := range map[int64]string{-1: "the body is too large: at most 9 bytes", 10: "the body has 10 bytes: at most 9 bytes"} {
		if err := tooLarge(size, 9); !strings.Contains(err.Error(), want) || problemOf(err, "").Hint != "" {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if p := problemOf(tooLarge(0, maxState), ""); p.Hint == "" || p.Status != 413 {
		t.Errorf("got %+v, want a hint on how to make a state smaller", p)
	}
}

// TestHasBody: whether anything came, also where nobody says how much.
func TestHasBody(t *testing.T) {
	t.Parallel()
	got := map[string]bool{}
	for name, c := range map[string]struct {
		body   string
		length int64
	}{"none": {"", 0}, "one": {"x", 1}, "unknown, none": {"", -1}, "unknown, one": {"x", -1}} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(c.body))
		r.ContentLength = c.length
		got[name] = hasBody(r)
	}
	if diff := cmp.Diff(map[string]bool{"none": false, "one": true, "unknown, none": false, "unknown, one": true}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
