package turn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// What was open stays so where the rules failed, and where nobody has looked.
func TestOpenNeeds(t *testing.T) {
	root, wt := t.TempDir(), t.TempDir()
	here := agent.Need{Kind: "idle", Files: []string{"a.py"}, Text: "a"}
	there := agent.Need{Kind: "idle", Files: []string{wt + "/b.py"}, Text: "b"}
	gone := agent.Need{Kind: "idle", Files: []string{wt + "/x/b.py"}, Text: "c"}
	s := agent.Session{Identity: agent.Identity{Root: root}, Takeover: agent.Takeover{Open: []agent.Need{here, there, gone}}}
	for _, c := range []struct {
		name   string
		result debrief.Result
		trees  []string
		want   []agent.Need
	}{
		{"the rules failed", debrief.Result{Generic: true}, nil, s.Open},
		{"nothing is open here, the other tree was not looked at", debrief.Result{}, nil, []agent.Need{there}},
		{"both were looked at", debrief.Result{}, []string{wt}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, openNeeds(c.result, s, piton.Time{}, c.trees...)); diff != "" {
				t.Errorf("open (want -, got +):\n%s", diff)
			}
		})
	}
}
