package action

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// p are the parameters of a case.
type p = map[string]any

func TestCheckParameters(t *testing.T) {
	all := All(Tools{})
	for _, tc := range []struct {
		name, action string
		p            p
		want         string // in the error; "" for none
	}{
		{"a script", "shell", p{"command": "true"}, ""},
		{"a program", "shell", p{"command": []any{"true"}}, ""},
		{"nothing to run", "shell", p{}, `needs the parameter "command"`},
		{"an empty script", "shell", p{"command": ""}, `needs the parameter "command"`},
		{"a misspelt name", "shell", p{"comand": "true"}, `no parameter "comand"; did you mean "command"?`},
		{"two letters swapped", "shell", p{"command": "true", "evn": p{}}, `did you mean "env"?`},
		{"another program's name", "shell", p{"command": "true", "cwd": "x"}, `no parameter "cwd"; did you mean "dir"?`},
		{"a name nobody knows", "shell", p{"command": "true", "colour": "red"}, `no parameter "colour"; there are command, container,`},
		{"a map for a script", "shell", p{"command": p{}}, `"command" of the action shell is a map, and must be a text or a list`},
		{"a value that is not known yet", "http", p{"url": "http://x", "headers": "${{ steps.a.output }}"}, ""},
		{"a value of the environment", "http", p{"url": "${env:API}/x", "timeout": "${env:WAIT}"}, ""},
		{"a word that is not an option", "shell", p{"command": "true", "output": "jsno"}, `is "jsno"; did you mean "json"?`},
		{"a time", "http", p{"url": "http://x/", "timeout": "90s"}, ""},
		{"seconds", "http", p{"url": "http://x/", "timeout": 90.0}, ""},
		{"no time", "http", p{"url": "http://x/", "timeout": "soon"}, `must be a time such as "90s"`},
		{"a tool without a server", "mcp", p{"tool": "x"}, `needs the parameter "server"`},
		{"nothing to show", "approve", p{"message": "Ship it?"}, ""},
		{"a checkpoint without a name", "checkpoint", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := all[tc.action].Check(plan.Step{ID: "a", Action: tc.action, Parameters: tc.p})
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("got %v, want no error", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want %q in it", err, tc.want)
			case err != nil && (piton.CodeOf(err) != piton.Invalid || strings.Contains(err.Error(), "\n")):
				t.Errorf("got code %s and %q, want invalid on one line", piton.CodeOf(err), err)
			}
		})
	}
}

// Every action of ours says what it takes, under the name it is known by.
func TestDocs(t *testing.T) {
	all := All(Tools{})
	for name, a := range all {
		d, ok := a.(Documented)
		if !ok || d.Doc().Name != name || d.Doc().Summary == "" || d.Doc().Output == "" {
			t.Errorf("%s: got %+v, want its name, summary and output", name, a)
		}
	}
	docs := Docs(all)
	if len(docs) != len(all) || docs[0].Name != "approve" {
		t.Errorf("got %d docs, %q first, want %d by name", len(docs), docs[0].Name, len(all))
	}
}

func TestEffects(t *testing.T) {
	all := All(Tools{})
	for _, tc := range []struct {
		name, action string
		p            p
		want         plan.Effect
	}{
		{"a command", "shell", nil, plan.Once},
		{"a question", "http", nil, plan.Pure},
		{"something to send", "http", p{"json": p{}}, plan.Once},
		{"a method in small letters", "http", p{"method": "head"}, plan.Pure},
		{"a deletion", "http", p{"method": "DELETE"}, plan.Once},
		{"a method that is not known yet", "http", p{"method": "${{ inputs.m }}"}, plan.Once},
		{"a tool", "mcp", nil, plan.Once},
		{"a person", "approve", nil, plan.Pure},
		{"a checkpoint", "checkpoint", nil, plan.Pure},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := all[tc.action].Effect(plan.Step{Parameters: tc.p}); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
