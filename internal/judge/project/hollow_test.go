package project_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/project"
)

// judged is what is doubted of a command: "", "never" or "unless" it says which
// tests passed.
func judged(doubts []project.Doubt, run string) string {
	at := slices.IndexFunc(doubts, func(d project.Doubt) bool { return d.Run == run })
	switch {
	case at < 0:
		return ""
	case doubts[at].Never:
		return "never"
	}
	return "unless"
}

// What a definition says that runs nothing is neither asked for nor counts.
func TestHollowDefinitions(t *testing.T) {
	for _, c := range []struct {
		file, text, run, want string
	}{
		{"Makefile", "test:\n\ttrue\n", "make test", "never"},
		{"Makefile", "test:\n", "make test", "never"},
		{"Makefile", ".PHONY: test\ntest: ; @:\n", "make test", "never"},
		{"Makefile", "test:\n\t@echo all tests passed\n\t@exit 0\n", "make test", "never"},
		{"Makefile", "test: unit\nunit:\n\techo ok\n", "make test", "never"},
		{"Makefile", "GO := true\ntest:\n\t$(GO) test ./...\n", "make test", "never"},
		{"Makefile", "test:\n\tgo test -run '^$$' ./...\n", "make test", "never"},
		{"Makefile", "test:\n\tgo test -c ./... # compile\n", "make test", "never"},
		{"Makefile", "test:\n\t-go test ./...\n", "make test", "unless"},
		{"Makefile", "test:\n\tgo test ./... || true\n", "make test", "unless"},
		{"Makefile", "test:\n\tgo test ./... &\n", "make test", "unless"},
		{"Makefile", "check:\n\ttrue\n", "make check", "never"},
		{"Makefile", "test:\n\tgo test ./...\n", "make test", ""},
		{"Makefile", "test:\n\t./run\n", "make test", ""},
		{"Makefile", "test:\n\tpdm run test\n", "make test", ""}, // no test of the shell's
		{"Makefile", "test: unit\n", "make test", ""},
		{"Makefile", "test: unit\n\techo done\nunit:\n\t./run\n", "make test", ""},
		{"Makefile", "test:\nifeq ($(CI),1)\n\t./run\nendif\n", "make test", ""},
		{"Makefile", "include $(DIR)/x.mk\ntest:\n", "make test", ""},
		{"Makefile", "test:\n\ttrue\n%: %.x\n\t./run $<\n", "make test", ""},
		{"package.json", `{"scripts":{"test":"true"}}`, "npm run test", "never"},
		{"package.json", `{"scripts":{"test":"echo ok"}}`, "pnpm run test", "never"},
		{"package.json", `{"scripts":{"test":"exit 0"}}`, "yarn run test", "never"},
		{"package.json", `{"scripts":{"test":"jest || true"}}`, "npm run test", "unless"},
		{"package.json", `{"scripts":{"test":"jest --listTests"}}`, "npm run test", "never"},
		{"package.json", `{"scripts":{"pretest":"jest","test":"echo ok"}}`, "npm run test", ""},
		{"package.json", `{"scripts":{"test":"jest"}}`, "npm run test", ""},
		{"justfile", "test:\n  true\n", "just test", "never"},
		{"justfile", "test:\n  ./run\n", "just test", ""},
		{"Taskfile.yml", "tasks:\n  test:\n    cmds:\n      - echo ok\n", "task test", "never"},
		{"Taskfile.yml", "tasks:\n  test:\n    cmds:\n      - ./run\n", "task test", ""},
		{"scripts/test.sh", "#!/bin/sh\n# go test\nexit 0\n", "test.sh", "never"},
		{"scripts/test.sh", "#!/bin/sh\n./run\n", "test.sh", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			at := project.AtRoot(tree(t, "go.mod", "module x\n", "x_test.go", "package x\n", c.file, c.text))
			if got := judged(at.Doubts(), c.run); got != c.want {
				t.Errorf("got %q, want %q; %+v", got, c.want, at.Doubts())
			}
			asked := strings.Contains(shown(at.Commands()), strings.Replace(strings.Replace(c.run, "npm run test", "npm test", 1), "pnpm run", "pnpm", 1))
			if c.want == "never" && asked {
				t.Errorf("got %s, want it not asked for", shown(at.Commands()))
			}
		})
	}
}

// A definition that this turn changed counts as it stood or as it reads now,
// whichever asks for more.
func TestChangedDefinitions(t *testing.T) {
	const goTests = "test:\n\tgo test ./...\n"
	for _, c := range []struct {
		name, file, was, now, run, want string
	}{
		{"to nothing", "Makefile", goTests, "test:\n\ttrue\n", "make test", "never"},
		{"to something else", "Makefile", goTests, "test:\n\t./run\n", "make test", "unless"},
		{"to another runner", "Makefile", goTests, "test:\n\tpytest\n", "make test", "unless"},
		{"to fewer packages", "Makefile", goTests, "test:\n\tgo test ./a\n", "make test", "never"},
		{"to fewer tests", "Makefile", goTests, "test:\n\tgo test -run TestA ./...\n", "make test", "never"},
		{"to its own folder", "Makefile", goTests, "test:\n\tgo test\n", "make test", "never"},
		{"to forgiven", "Makefile", goTests, "test:\n\tgo test ./... || true\n", "make test", "unless"},
		{"to more", "Makefile", goTests, "test:\n\tgo vet ./...\n\tgo test -race ./...\n", "make test", ""},
		{"to a target that does the same", "Makefile", goTests, "test: unit\nunit:\n\tgo test ./...\n", "make test", ""},
		{"another target", "Makefile", goTests, goTests + "lint:\n\ttrue\n", "make test", ""},
		{"one of two", "Makefile", "test:\n\tgo test ./...\n\tnpm test\n", goTests, "make test", "unless"},
		{"to the file of one test", "Makefile", "test:\n\tpytest tests/a.py::b\n", "test:\n\tpytest tests/a.py\n", "make test", ""},
		{"to the same folder", "Makefile", "test:\n\tjest ./a\n", "test:\n\tjest a/ ./b\n", "make test", ""},
		{"a custom one", "Makefile", "test:\n\t./run\n", "test:\n\t./run2\n", "make test", "unless"},
		{"a new one", "Makefile", "", goTests, "make test", ""},
		{"a new one of nobody knows what", "Makefile", "", "test:\n\t./run\n", "make test", "unless"},
		{"a script of npm's", "package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest a"}}`, "npm run test", ""},
		{"a script of npm's with fewer", "package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest ./a"}}`, "npm run test", "never"},
		{"a script of npm's to nothing", "package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"true"}}`, "yarn run test", "never"},
		{"a dependency beside it", "package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest"},"dependencies":{"a":"1"}}`, "npm run test", ""},
		{"a shell script", "scripts/test.sh", "#!/bin/sh\ngo test ./...\n", "#!/bin/sh\n./run\n", "test.sh", "unless"},
		{"a shell script to more", "scripts/test.sh", "#!/bin/sh\ngo test ./...\n", "#!/bin/sh\nset -e\ngo vet\ngo test ./...\n", "test.sh", ""},
		{"pytest's options", "pytest.ini", "[pytest]\n", "[pytest]\naddopts = -q --collect-only\n", "pytest", "never"},
		{"pytest's options in TOML", "pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\naddopts = \"--co\"\n", "pytest", "never"},
		{"harmless options", "pytest.ini", "[pytest]\n", "[pytest]\naddopts = -q -x\n", "pytest", ""},
		{"cargo's runner", ".cargo/config.toml", "", "[target.x86_64]\nrunner = \"true\"\n", "cargo test", "never"},
		{"npm's shell", ".npmrc", "", "script-shell=/bin/true\n", "npm test", "never"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := tree(t, "go.mod", "module x\n", "x_test.go", "package x\n", c.file, c.now)
			was := map[string]*string{c.file: &c.was}
			if c.was == "" {
				was[c.file] = nil
			}
			_, doubts := project.AtRoot(root).Since(project.Before(root, was), was, c.file)
			if got := judged(doubts, c.run); got != c.want {
				t.Errorf("got %q, want %q; %+v", got, c.want, doubts)
			}
		})
	}
}

// What was asked for before is asked for still.
func TestADefinitionTakenAway(t *testing.T) {
	root := tree(t, "main.c", "", "Makefile", "test:\n\t./run\n")
	text := "test:\n\t./run\n"
	if err := os.Remove(filepath.Join(root, "Makefile")); err != nil {
		t.Fatal(err)
	}
	was := map[string]*string{"Makefile": &text}
	found, _ := project.AtRoot(root).Since(project.Before(root, was), was, "main.c")
	if got := shown(found); got != "make test" {
		t.Errorf("got %q, want make test", got)
	}
}
