package hook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// TestDamageIsToldOnce answers the stops of sessions whose store is damaged.
func TestDamageIsToldOnce(t *testing.T) {
	h := build(t)
	h.Turns.Open = func(context.Context) (*store.Local, error) {
		return nil, &piton.Error{Code: piton.Corrupt, Op: "open the store", Err: errors.New("/x/piton.db is damaged (malformed)")}
	}
	tell := func(session, event string) string {
		return h.serves(t, strings.NewReader(`{"session_id":"`+session+`","hook_event_name":"`+event+`"}`))
	}
	for _, x := range []struct {
		session, event string
		told           bool
	}{{"a", "UserPromptSubmit", false}, {"a", "Stop", true}, {"a", "Stop", false}, {"b", "SessionStart", false}, {"b", "Stop", true}, {"a", "Stop", false}, {"b", "SessionEnd", false}} {
		got := tell(x.session, x.event)
		if told := strings.Contains(got, "the store needs you") && strings.Contains(got, "/x/piton.db is damaged") && strings.Contains(got, "systemMessage"); told != x.told || !told && got != "" {
			t.Errorf("%s of %s: got %q, want it told: %t", x.event, x.session, got, x.told)
		}
		if log := h.log.take(); !strings.Contains(log, "is damaged") {
			t.Errorf("%s of %s: got the log %q, want a line", x.event, x.session, log)
		}
	}
	for i := range 200 {
		if got := tell(fmt.Sprint("s", i), "Stop"); got == "" {
			t.Fatalf("session %d: got no line", i)
		}
	}
}

// TestAStoreThatHasGoneBackIsToldOnce answers stops that went well.
func TestAStoreThatHasGoneBackIsToldOnce(t *testing.T) {
	h := build(t)
	h.Behind = func() error {
		return piton.Errorf(piton.Corrupt, "open the store", "", "the store is older than what was acknowledged")
	}
	for i, want := range []bool{true, false, false} {
		got := h.serves(t, strings.NewReader(`{"session_id":"a","hook_event_name":"Stop","cwd":"`+t.TempDir()+`"}`))
		if strings.Contains(got, "is older than") != want {
			t.Errorf("stop %d: got %q, want it told: %t", i, got, want)
		}
	}
}
