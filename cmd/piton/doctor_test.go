package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/setup"
)

// Findings of one agent that the same command mends are told as one; nothing is left
// out where the hints differ, or where there is none.
func TestOneCause(t *testing.T) {
	const hint = "run 'piton init'"
	for _, c := range []struct {
		name       string
		have, want []setup.Check
	}{
		{"nothing", nil, nil},
		{"all is well", []setup.Check{{Name: "a", OK: true}, {Name: "b", OK: true}}, []setup.Check{{Name: "a", OK: true}, {Name: "b", OK: true}}},
		{"one command", []setup.Check{{Name: "a", Detail: "gone", Hint: hint}, {Name: "x", OK: true}, {Name: "b", Detail: "old", Hint: hint}, {Name: "c", Hint: hint}},
			[]setup.Check{{Name: "a", Detail: "gone (and 2 more of this cause: b, c)", Hint: hint}, {Name: "x", OK: true}}},
		{"two agents", []setup.Check{{Agent: "claude", Name: "a", Hint: hint}, {Agent: "codex", Name: "a", Hint: hint}}, []setup.Check{{Agent: "claude", Name: "a", Hint: hint}, {Agent: "codex", Name: "a", Hint: hint}}},
		{"two commands, and none", []setup.Check{{Name: "a", Hint: hint}, {Name: "b", Hint: "other"}, {Name: "c"}, {Name: "d"}}, []setup.Check{{Name: "a", Hint: hint}, {Name: "b", Hint: "other"}, {Name: "c"}, {Name: "d"}}},
		{"broken, and a warning", []setup.Check{{Name: "a", Hint: hint}, {Name: "b", OK: true, Warn: true, Hint: hint}}, []setup.Check{{Name: "a", Hint: hint}, {Name: "b", OK: true, Warn: true, Hint: hint}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, oneCause(c.have)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Before 'piton init' that alone is said of several clients, with what else is wrong.
func TestNotSetUp(t *testing.T) {
	missing := func(agent string) setup.Check {
		return setup.Check{Agent: agent, Name: "hooks", Detail: setup.NotInstalled + setup.Title(agent), Hint: "run 'piton init --agent " + agent + "'"}
	}
	version, old := setup.Check{Agent: "claude", Name: "Claude Code", OK: true}, setup.Check{Agent: "codex", Name: "Codex CLI", OK: true, Warn: true}
	git, set := setup.Check{Name: "git", OK: true}, setup.Check{Agent: "codex", Name: "hooks", OK: true}
	none := setup.Check{Name: "hooks", Detail: "Piton is not installed into Claude Code, Codex CLI", Hint: "run 'piton init'"}
	for _, c := range []struct {
		name       string
		have, want []setup.Check
	}{
		{"one client", []setup.Check{missing("claude"), version, git}, []setup.Check{missing("claude"), version, git}},
		{"two", []setup.Check{missing("claude"), version, missing("codex"), old, git}, []setup.Check{old, none, git}},
		{"one of two is set up", []setup.Check{missing("claude"), version, set, git}, []setup.Check{missing("claude"), version, set, git}},
		{"no client", []setup.Check{git}, []setup.Check{git}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, notSetUp(c.have)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
