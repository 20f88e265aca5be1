package openapi

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

// linters are what the document is held to, by its recommended rules and down to its
// mildest word.
var linters = []struct{ program, rules, file string }{
	{"@redocly/cli/bin/cli.js", "extends: [recommended]\n", "redocly.yaml"},
	{"@stoplight/spectral-cli/dist/index.js", "extends: ['spectral:oas']\n", "spectral.yaml"},
}

// TestLinters: neither finds an error or a warning in the document of a real 'piton serve',
// nor in its examples.
func TestLinters(t *testing.T) {
	node := need.Program(t, "node")
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range linters {
		if _, err := os.Stat(filepath.Join(modules, l.program)); err != nil {
			need.Missing(t, "the linters of OpenAPI documents are not installed: e2e/install")
		}
	}
	url, token := serve(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "openapi.json"), get(t, url+"/openapi.json", token))
	for _, l := range linters {
		write(t, filepath.Join(dir, l.file), []byte(l.rules))
	}
	var redocly struct {
		Totals struct{ Errors, Warnings int }
	}
	out := lint(t, dir, node, filepath.Join(modules, linters[0].program), "lint", "--config", linters[0].file, "--format", "json", "openapi.json")
	if err := json.Unmarshal(out, &redocly); err != nil || redocly.Totals.Errors+redocly.Totals.Warnings > 0 {
		t.Errorf("redocly: got %+v, %v:\n%s", redocly.Totals, err, out)
	}
	var spectral []any
	out = lint(t, dir, node, filepath.Join(modules, linters[1].program), "lint", "--ruleset", linters[1].file, "--format", "json", "--quiet", "openapi.json")
	if err := json.Unmarshal(out, &spectral); err != nil || len(spectral) > 0 {
		t.Errorf("spectral: got %d problems, %v:\n%s", len(spectral), err, out)
	}
	t.Logf("redocly: %d errors, %d warnings; spectral: %d problems", redocly.Totals.Errors, redocly.Totals.Warnings, len(spectral))
}

// lint runs a linter, which tells nobody of it, and returns what it prints.
func lint(t *testing.T, dir string, argv ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "CI=1")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if len(out) == 0 {
		t.Fatalf("%q: %v\n%s", argv, err, &errs)
	}
	return out
}
