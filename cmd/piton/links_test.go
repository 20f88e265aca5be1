package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// daemonOnly are the modules that only the daemon links. What they prepare before main
// would make each command, and 'piton mcp' for which agents wait, start later.
var daemonOnly = []string{"github.com/danielgtaylor/huma/v2", "github.com/prometheus/client_golang", "google.golang.org/protobuf"}

func TestLinks(t *testing.T) {
	piton, daemon := linked(t, "."), linked(t, "../piton-daemon")
	for _, module := range daemonOnly {
		if slices.Contains(piton, module) {
			t.Errorf("piton links %s, want it left to the daemon", module)
		}
		if !slices.Contains(daemon, module) {
			t.Errorf("the daemon does not link %s: take it out of the list", module)
		}
	}
}

// linked lists the modules of a program.
func linked(t *testing.T, program string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
