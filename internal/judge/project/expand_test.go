package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files into a new folder. The text of each stands below a line
// "-- name".
func tree(t testing.TB, text string) string {
	t.Helper()
	root := t.TempDir()
	for _, part := range strings.Split(text, "\n-- ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// came is what a command came to, in one line.
func came(runs []Run, read bool) string {
	var all []string
	for _, r := range runs {
		text := strings.Join(r.Words, " ")
		if r.Dir != "" {
			text = r.Dir + ": " + text
		}
		if r.Scope.Unread {
			text += " (unread)"
		}
		if r.Plain {
			text += " (plain)"
		}
		all = append(all, text)
	}
	if !read {
		all = append(all, "not read")
	}
	return strings.Join(all, "; ")
}

func TestExpand(t *testing.T) {
	for _, p := range projectCases {
		root := tree(t, p.files)
		tests := AtRoot(root)
		for _, c := range p.cases {
			dir, line, ok := strings.Cut(c.line, ": ")
			if !ok {
				dir, line = "", c.line
			}
			if got := came(tests.Expand(dir, strings.Fields(line))); got != c.want {
				t.Errorf("%s: %s\n got %s\nwant %s", p.name, c.line, got, c.want)
			}
		}
	}
}

type expandCase struct{ line, want string }

var projectCases = []struct {
	name  string
	files string
	cases []expandCase
}{
	{
		name:  "a command of its own",
		files: "\n-- go.mod\nmodule example.com/m\n-- a/a.go\npackage a",
		cases: []expandCase{
			{"go test ./a", "go test ./a"},
			{"a: go test ./...", "a: go test ./..."},
		},
	},
	{
		name: "make",
		files: `
-- go.mod
module example.com/m
-- Makefile
PKG ?= ./...
FLAGS := -race
ifdef V
FLAGS += -v
endif
ifeq ($(OS),x)
WHERE := ./x
else
WHERE := ./y
endif
test: gen
	@echo testing
	$(GO) test $(FLAGS) $(ARGS) $(PKG)
gen:
	go generate ./...
unit:
	cd a && go test ./...
check: lint test
lint:
	go vet ./...
sub:
	$(MAKE) -C a test
all:
	go test $(WHERE)
ifdef CI
ci:
	go test ./a
endif
loop: loop2
loop2: loop
	go test ./b
forgiven:
	-go test ./...
-- a/Makefile
test:
	go test .
`,
		cases: []expandCase{
			{"make test", "go test -race -v ./... (plain)"},
			{"make test PKG=./a", "go test -race -v ./a"},
			{"make test ARGS=-run=TestX", "go test -race -v -run=TestX ./..."},
			{"make test V=1", "go test -race -v ./... (plain)"},
			{"make", "go test -race -v ./... (plain)"},
			{"make unit", "a: go test ./..."},
			{"make check", "go test -race -v ./... (plain)"},
			{"make lint", "go vet ./..."},
			{"make sub", "a: go test ."},
			{"a: make test", "a: go test . (plain)"},
			{"make all", "go test $UNKNOWN (unread)"},
			{"make ci", "go test ./a (plain); not read"},
			{"make loop", "go test ./b; not read"},
			{"make none", "make none"},
		},
	},
	{
		name: "package scripts",
		files: `
-- package.json
{"workspaces": ["packages/*"], "scripts": {"test": "bun test src/", "test:unit": "jest --ci", "pretest:unit": "tsc --noEmit", "both": "bun test && echo done", "fn": "f() { bun test; }; f", "x": "npm run test:unit -- --coverage", "lint": "eslint .", "custom": "node scripts/t.mjs", "check": "npm-run-all test:unit"}}
-- bun.lock
-- packages/web/package.json
{"name": "@x/web", "scripts": {"test": "vitest run"}}
-- packages/api/package.json
{"name": "api", "scripts": {"test": "vitest run src"}}
`,
		cases: []expandCase{
			{"bun run test", "bun test src/ (plain)"},
			{"bun run test a.test.ts", "bun test src/ a.test.ts"},
			{"bun run both a.test.ts", "bun test"},
			{"bun run fn a.test.ts", "bun test"},
			{"bun test", "bun test"},
			{"npm test", "bun test src/ (plain)"},
			{"npm test -- a.test.ts", "bun test src/ a.test.ts"},
			{"npm test a.test.ts --silent", "bun test src/ a.test.ts"},
			{"yarn test a.test.ts", "bun test src/ a.test.ts"},
			{"npm run test:unit", "jest --ci"},
			{"npm run x", "jest --ci --coverage"},
			{"npm run lint", "eslint ."},
			{"npm run custom", "node scripts/t.mjs (unread)"},
			{"npm test -w @x/web", "packages/web: vitest run"},
			{"npm test --workspaces", "packages/api: vitest run src; packages/web: vitest run"},
			{"pnpm --filter api test", "packages/api: vitest run src"},
			{"yarn workspace api test src/a", "packages/api: vitest run src src/a"},
			{"packages/web: npm test", "packages/web: vitest run (plain)"},
			{"npm test -w none", "not read"},
			{"npm run check", "jest --ci (plain)"},
		},
	},
	{
		name: "mise",
		files: `
-- mise.toml
[tasks.test]
run = "go test ./..."
[tasks."test:integration"]
depends = ["build"]
run = "go test -tags integration ./integration_test/..."
[tasks.build]
run = "go build ./..."
[tasks.sub]
dir = "{{config_root}}/a"
run = ["echo x", "go test ./..."]
-- mise-tasks/unit
#!/usr/bin/env bash
go test "${1:-./...}"
-- a/a.go
package a
-- go.mod
module m
`,
		cases: []expandCase{
			{"mise run test", "go test ./... (plain)"},
			{"mise r test", "go test ./... (plain)"},
			{"mise test", "go test ./... (plain)"},
			{"a: mise run test", "go test ./... (plain)"},
			{"mise run test -run TestX", "go test ./... -run TestX"},
			{"mise run test:integration", "go test -tags integration ./integration_test/..."},
			{"mise run sub", "a: go test ./..."},
			{"mise run unit", "go test ./..."},
			{"mise run unit ./a", "go test ./a"},
			{"mise run build", "go build ./..."},
		},
	},
	{
		name: "just and task",
		files: `
-- justfile
pkgs := "./..."
test pkg=pkgs *flags:
    go test {{pkg}} {{flags}}
all: (test "./a")
    @echo done
one target:
    pytest {{target}}
root:
    cd {{justfile_directory()}} && go test ./...
-- Taskfile.yml
version: '3'
tasks:
  test:
    cmds:
      - go test ./... {{.CLI_ARGS}}
  check:
    deps: [test]
`,
		cases: []expandCase{
			{"just test", "go test ./... (plain)"},
			{"just test ./a -run X", "go test ./a -run X"},
			{"just one tests/x.py", "pytest tests/x.py"},
			{"task test", "go test ./... (plain)"},
			{"task test -- -run X", "go test ./... -run X"},
			{"task check", "go test ./... (plain)"},
		},
	},
	{
		name: "scripts",
		files: `
-- check.sh
#!/bin/sh
set -e
cd "$(dirname "$0")"
go vet ./...
go test "$@" ./...
-- scripts/test.sh
#!/usr/bin/env bash
cd "$(dirname "$0")/.."
pytest "$@"
-- scripts/fn.sh
run() { pytest "$1"; }
run tests
-- scripts/deep.sh
./scripts/test.sh tests/a.py
-- go.mod
module m
`,
		cases: []expandCase{
			{"./check.sh", "go test ./... (plain)"},
			{"./check.sh -run X", "go test -run X ./..."},
			{"bash scripts/test.sh tests", "pytest tests"},
			{"scripts/deep.sh", "pytest tests/a.py"},
			{"bash scripts/fn.sh", "pytest $1 (unread)"},
		},
	},
}
