package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/piton-project/piton"

// The lists are all that this program links of Piton, and the modules of others. It
// starts at every event of an agent, so a name that is added here is measured
// first.
var (
	ownPackages = []string{
		"", "cmd/piton-hook", "internal/agent", "internal/app/event", "internal/app/place", "internal/client",
		"internal/client/claude", "internal/client/clients", "internal/client/codex", "internal/client/gemini", "internal/client/logfile", "internal/client/rawjson", "internal/config", "internal/edit", "internal/git",
		"internal/history", "internal/hook", "internal/judge/debrief", "internal/judge/found", "internal/judge/project", "internal/judge/shell", "internal/judge/tools", "internal/mark", "internal/mark/keep", "internal/mark/reach", "internal/proc",
		"internal/nearest", "internal/redact", "internal/span", "internal/states", "internal/store", "internal/store/localfs", "internal/store/pack", "internal/store/pages", "internal/store/record", "internal/store/sqlite",
		"internal/store/sqlstore", "internal/store/words", "internal/turn",
	}
	otherModules = []string{
		"github.com/bmatcuk/doublestar/v4", "github.com/go-json-experiment/json", "github.com/klauspost/compress", "github.com/ncruces/go-sqlite3",
		"github.com/ncruces/go-sqlite3-wasm/v6", "github.com/ncruces/julianday", "github.com/pelletier/go-toml/v2", "go.yaml.in/yaml/v3", "golang.org/x/sync", "golang.org/x/sys", "mvdan.cc/sh/v3",
	}
	// heavyPackages are those of the standard library that cost much at start.
	heavyPackages = []string{"net/http", "text/template", "html/template", "go/parser", "testing"}
)

func TestLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{.Module.Path}}{{end}} {{.ImportPath}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	var own, others, standard []string
	for l := range strings.Lines(string(out)) {
		from, name, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		switch from {
		case module:
			own = append(own, strings.TrimPrefix(strings.TrimPrefix(name, module), "/"))
		case "":
			standard = append(standard, name)
		default:
			others = append(others, from)
		}
	}
	slices.Sort(own)
	slices.Sort(others)
	same(t, "own packages", own, ownPackages)
	same(t, "modules of others", slices.Compact(others), otherModules)
	for _, name := range heavyPackages {
		if slices.Contains(standard, name) {
			t.Errorf("it links %s, want it left out", name)
		}
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	for _, x := range got {
		if !slices.Contains(want, x) {
			t.Errorf("%s: it links %q, which is not in the list", what, x)
		}
	}
	for _, x := range want {
		if !slices.Contains(got, x) {
			t.Errorf("%s: it does not link %q, which is in the list", what, x)
		}
	}
}
