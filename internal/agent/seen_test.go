package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

func TestSeen(t *testing.T) {
	var s agent.Seen
	if s.Has("a.go") {
		t.Error("nothing was seen: got a.go")
	}
	s, full := s.With([]string{"a.go", "pkg/b.go", "./docs/", "a.go"})
	if full || len(s) != 3 {
		t.Errorf("got %d paths, full %v; want 3", len(s), full)
	}
	if again, _ := s.With([]string{"a.go", "docs"}); !slices.Equal(again, s) {
		t.Errorf("paths that were seen: got %d, want them once", len(again))
	}
	for path, want := range map[string]bool{"a.go": true, "./a.go": true, "pkg/b.go": true, "pkg/c.go": false, "docs/x/y.md": true, "docs": true, "b.go": false, "": false} {
		if got := s.Has(path); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
	if all, _ := s.With([]string{"."}); !all.Has("anything/at.all") {
		t.Error("the whole tree was shown: want every file known")
	}
	var many []string
	for i := range agent.MaxSeen {
		many = append(many, fmt.Sprint("new", i))
	}
	all, full := s.With(many)
	if !full || len(all) != agent.MaxSeen || all.Has("a.go") || !all.Has(many[0]) {
		t.Errorf("got %d paths, full %v; want the newest %d", len(all), full, agent.MaxSeen)
	}
	b, err := json.Marshal(all)
	if err != nil || len(b) > 2200 {
		t.Errorf("got %d bytes (%v), want at most 2,200: they are written at every event", len(b), err)
	}
	var back agent.Seen
	if err := json.Unmarshal(b, &back); err != nil || !slices.Equal(back, all) {
		t.Errorf("got %d back (%v), want what was written", len(back), err)
	}
	for _, text := range []string{`"x"`, `7`, `"!!!"`, `null`, `{}`} {
		if err := json.Unmarshal([]byte(text), &back); err != nil || len(back) > 0 {
			t.Errorf("%s: got %v and %v, want nothing and no error", text, back, err)
		}
	}
}
