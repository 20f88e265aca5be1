package project_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/project"
)

// Which of a project's own commands count as test runs, by what they do.
func TestTestsBehindTargets(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		yes, no          []string
	}{
		{"a Makefile's own lines", "Makefile", "build:\n\tgo build ./...\nall: build\n\t@go test ./...\nquick:\n\tcd x && CI=1 go test -short ./... | tee log\n", []string{"make all", "make quick"}, []string{"make build"}},
		{"prerequisites and sub-makes", "Makefile", "all: lint unit\nlint:\n\tgolangci-lint run\nunit: ; $(GO) test ./...\nrelease:\n\t$(MAKE) -s all\nfar: release\nlint2: lint\n", []string{"make all", "make unit", "make release", "make far"}, []string{"make lint", "make lint2"}},
		{"variables", "Makefile", "TEST ?= $(PY) -m pytest -q\nPY := .venv/bin/python3\nfull: export X=1\nfull:\n\t$(TEST) tests\n", []string{"make full"}, nil},
		{"what is forgiven, mentioned or never run", "Makefile", "a:\n\t-go test ./...\nb:\n\tgo test ./... || true\nc:\n\techo go test ./...\nd:\n\tfalse && go test\ne:\n\tgo test -run '^$$' ./...\nf:\n\tgo test ./... &\n# g: h\n#\tgo test\n",
			nil, []string{"make a", "make b", "make c", "make d", "make e", "make f", "make g"}},
		{"targets that need each other", "Makefile", "a: b\nb: a\n\ttrue\nc: a\n\tgo test\n", []string{"make c"}, []string{"make a", "make b"}},
		{"continued lines", "Makefile", "all: \\\n  unit\nunit:\n\tif [ -x /bin/gotestsum ]; then \\\n\t  gotestsum; \\\n\telse \\\n\t  go test ./...; \\\n\tfi\n", []string{"make all", "make unit"}, nil},
		{"make alone", "Makefile", ".PHONY: all\nall: unit\nunit:\n\tgo test ./...\n", []string{"make --", "make all"}, nil},
		{"make alone that only builds", "Makefile", "build:\n\tgo build\nunit:\n\tgo test ./...\n", nil, []string{"make --"}},
		{"make's own goal", "Makefile", ".DEFAULT_GOAL := unit\nbuild:\n\tgo build\nunit:\n\tgo test ./...\n", []string{"make --"}, nil},
		{"task's default", "Taskfile.yml", "tasks:\n  build: go build\n  default: go test ./...\n", []string{"task --"}, nil},
		{"a justfile", "justfile", "py := \"python3\"\ndefault: verify\n[private]\n@verify *args: (lint \"x\") && unit\n  echo done\nlint x:\n  golangci-lint run {{x}}\nunit:\n  {{py}} -m unittest\nscript:\n  #!/usr/bin/env bash\n  set -e\n  pytest\npy2:\n  #!/usr/bin/env python3\n  # pytest\n",
			[]string{"just verify", "just unit", "just default", "just script"}, []string{"just lint", "just py2"}},
		{"a Taskfile", "Taskfile.yml", "version: '3'\ntasks:\n  all:\n    desc: all of it\n    deps: [lint]\n    cmds:\n      - task: unit\n  unit:\n    cmds:\n      - go vet ./...\n      - cmd: go test ./...\n  short: go test -short ./...\n  lint:\n    cmds: [golangci-lint run]\n  after:\n    deps:\n      - unit\n  block:\n    cmds:\n      - |\n        cd web\n        npm test\n",
			[]string{"task all", "task unit", "task short", "task after", "task block"}, []string{"task lint"}},
		{"npm scripts", "package.json", `{"scripts":{"ci":"npm run lint && npm run unit","unit":"vitest run","lint":"eslint .","all":"run-s lint unit:*","unit:a":"jest a","build":"tsc"}}`, []string{"npm run ci", "npm run unit", "pnpm run all", "yarn run ci"}, []string{"npm run lint", "npm run build"}},
		{"a shell script", "scripts/check.sh", "#!/usr/bin/env bash\nset -euo pipefail\ncd \"$(dirname \"$0\")/..\"\nfor d in a b; do (cd $d && go test ./...); done\n", []string{"check.sh"}, nil},
		{"a script without an ending", "bin/ci", "#!/bin/sh\ngo vet ./...\ngo test ./...\necho done\n", []string{"ci"}, nil},
		{"a script that takes commands", "dev.sh", "case \"$1\" in\ntest) go test ./...;;\nbuild) go build;;\nesac\n", nil, []string{"dev.sh"}},
		{"a script in another language", "scripts/check", "#!/usr/bin/env python3\n# go test\n", nil, []string{"check"}},
		{"a make target that runs a script", "Makefile", "all:\n\t./scripts/all.sh\n\tbash scripts/missing.sh\n", nil, []string{"make all"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := []string{"go.mod", "module x\n", "x_test.go", "package x\n", c.file, c.text}
			var got []string
			for _, x := range project.AtRoot(tree(t, files...)).Commands() {
				got = append(got, x.Matches...)
			}
			for _, want := range c.yes {
				if !slices.Contains(got, want) {
					t.Errorf("%q does not count, want it to: %q", want, got)
				}
			}
			for _, not := range c.no {
				if slices.Contains(got, not) {
					t.Errorf("%q counts, want it not to: %q", not, got)
				}
			}
		})
	}
}

func TestTestsBehindScripts(t *testing.T) {
	root := tree(t, "go.mod", "", "x_test.go", "", "Makefile", "all:\n\t./scripts/all.sh\nsub:\n\t$(MAKE) -C web unit\nout:\n\tmake -C ../.. unit\n",
		"scripts/all.sh", "make unit-all\n", "web/Makefile", "unit:\n\tnpx jest\n")
	found := project.AtRoot(root).Commands()
	if got, want := shown(found), "go test ./... (go), web: make unit"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	matches := strings.Join(found[0].Matches, ", ")
	if !strings.Contains(matches, "make sub") || strings.Contains(matches, "make out") || strings.Contains(matches, "make all") {
		t.Errorf("got %q, want make sub alone of the targets", matches)
	}
}

func TestAskedByItsRecipe(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"verify that tests", []string{"Makefile", "all: verify\nverify:\n\tpytest\n"}, "make verify"},
		{"verify that does not", []string{"Makefile", "verify:\n\tgofmt -l .\n"}, ""},
		{"release is never asked for", []string{"Makefile", "release:\n\tpytest\n\ttwine upload\n"}, ""},
		{"npm's ci", []string{"package.json", `{"scripts":{"ci":"vitest run"}}`}, "npm run ci (node)"},
		{"just unit", []string{"justfile", "unit:\n  cargo test\n"}, "just unit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(project.AtRoot(tree(t, c.files...)).Commands()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
