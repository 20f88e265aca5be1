package debrief_test

import (
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

func TestEditedComments(t *testing.T) {
	file := debrief.File{Path: "a.go"}
	comments := agent.Call{Kind: agent.CallEdit, Paths: []string{root + "/a.go"}, Comments: true}
	code := agent.Call{Kind: agent.CallEdit, Paths: []string{root + "/a.go"}}
	for _, tt := range []struct {
		name   string
		script *script
		clear  bool
	}{
		{"comments alone", turn().call(comments).file(file), true},
		{"comments after the test", turn().call(code).run("go test ./...", "ok  \ta\t1s").call(comments).file(file), true},
		{"code after comments", turn().call(comments).call(code).file(file), false},
		{"comments after code", turn().call(code).call(comments).file(file), false},
	} {
		s := tt.script
		s.in.Tests = []debrief.Test{{Run: "go test ./...", Ecosystem: "go"}}
		if r := s.look(); (len(r.Actions) == 0) != tt.clear {
			t.Errorf("%s: got %q", tt.name, r.Actions)
		}
	}
}
