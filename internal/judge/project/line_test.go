package project_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/project"
)

func TestReadLine(t *testing.T) {
	root := tree(t, "go.mod", "module x\n", "ok.sh", "#!/bin/sh\necho fine\n", "check.sh", "#!/bin/sh\nset -e\ngo vet ./...\n./lint\n", "all.sh", "#!/bin/sh\ngo test ./...\n",
		"Makefile", "test:\n\ttrue\nall:\n\tgo test ./...\nlint:\n\t./lint\n", "package.json", `{"scripts":{"test":"echo ok","unit":"jest"}}`)
	for _, c := range []struct{ line, want, said string }{
		{"go test ./...", "tests", ""},
		{"make all", "tests", ""},
		{"cd sub && make test", "tests", ""},
		{"CI=1 npx jest", "tests", ""},
		{"npm run unit", "tests", ""},
		{"npm run lint unit", "unknown", "not a test runner that Piton knows"}, // unit is for the script
		{"run-s lint unit", "tests", ""},
		{"run-p 'u*'", "tests", ""},
		{"run-p 'x*'", "unknown", "not a test runner that Piton knows"},
		{"./all.sh", "tests", ""},
		{"bash all.sh", "tests", ""},
		{"git status", "nothing", "runs no test"},
		{"git diff --exit-code", "nothing", "runs no test"},
		{"go version", "nothing", "runs no test"},
		{"go build ./... && git status", "nothing", "runs no test"},
		{"npm ci", "nothing", "runs no test"},
		{"cargo check", "nothing", "runs no test"},
		{"make test", "nothing", `"make test" runs nothing`},
		{"npm test", "nothing", "runs nothing"},
		{"./ok.sh", "nothing", `"./ok.sh" runs nothing`},
		{"sh ok.sh", "nothing", "runs nothing"},
		{"./check.sh", "unknown", "none of the 4 lines of it calls one"},
		{"make lint", "unknown", "not a test runner that Piton knows"},
		{"./missing.sh", "unknown", "not a test runner that Piton knows"},
		{"tools/run --all", "unknown", "not a test runner that Piton knows"},
		{"golangci-lint run", "unknown", "not a test runner that Piton knows"},
		{"python tools/check.py", "unknown", "not a test runner that Piton knows"},
		{"make (", "unknown", "cannot be read"},
	} {
		r := project.AtRoot(root).Read(c.line)
		got := "unknown"
		if r.Tests {
			got = "tests"
		} else if r.Nothing {
			got = "nothing"
		}
		if got != c.want || !strings.Contains(r.Said, c.said) {
			t.Errorf("%s: got %s (%s), want %s (%s)", c.line, got, r.Said, c.want, c.said)
		}
	}
}
