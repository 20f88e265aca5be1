package debrief

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// TestClean holds that nothing is quoted of an output before its secrets are
// out, and that outputs nobody asks for are left alone.
func TestClean(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	one, looked := 1, []string{}
	call := func(n int, line, output string, exit *int) agent.Call {
		begin := at.Add(time.Duration(n) * time.Minute)
		return agent.Call{Kind: agent.CallShell, Command: line, Output: output, Failed: exit != nil, ExitCode: exit, StartedAt: begin, EndedAt: begin.Add(time.Second)}
	}
	in := Input{
		Root: "/p", CallsSeen: true, Files: []File{{Path: "a.go", ModTime: at}},
		Tests: []Test{{Run: "go test ./...", Matches: []string{"go test"}, Ecosystem: "go"}},
		Calls: []agent.Call{
			{Kind: agent.CallEdit, Paths: []string{"a.go"}, StartedAt: at, EndedAt: at, Output: "SECRET of a file"},
			call(1, "cat x", "SECRET that was read", nil),
			call(2, "go test ./... | cat", "--- FAIL: TestSECRET", nil),
			call(3, "deploy", "panic: SECRET", &one),
		},
		Clean: func(text string) string {
			looked = append(looked, text)
			return strings.ReplaceAll(text, "SECRET", "[gone]")
		},
	}
	r := Look(in)
	said := r.Message + strings.Join(r.Actions, "") + strings.Join(r.Observations, "")
	for _, e := range r.Evidence {
		said += e.Command + e.Why
	}
	if strings.Contains(said, "SECRET") || strings.Count(said, "[gone]") < 2 {
		t.Errorf("got %q, want both failures quoted without the secrets", said)
	}
	slices.Sort(looked)
	if want := []string{"--- FAIL: TestSECRET", "panic: SECRET"}; !slices.Equal(looked, want) {
		t.Errorf("got %q looked through, want %q: each once, no others", looked, want)
	}
}
