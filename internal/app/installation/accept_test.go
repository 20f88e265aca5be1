package installation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/app/caller"
)

func TestProves(t *testing.T) {
	for _, line := range []string{
		"make test", "go test ./...", "cd web && npm test", "CI=1 make test", "docker compose run --rm app pytest", "bash scripts/test.sh", "./gradlew test",
		"poetry run pytest -q", "npm run lint && npm test", "make test | tee log", "python -m pytest", "rspec", "just test", "uv run tox -e py312", "./check.sh",
		"sh -c 'make test'", "timeout 60 make test", "go test -run TestX ./...",
	} {
		if err := proves(line); err != nil {
			t.Errorf("%s: got %v, want it accepted", line, err)
		}
	}
	for line, want := range map[string]string{
		"": "empty", "  ": "runs nothing", "# make test": "runs nothing", "echo make test": "proves nothing", "cd web": "proves nothing", "true && echo ok": "proves nothing",
		"make test &": "background", "make -n test": "own flags", "pytest --collect-only": "own flags", "go test -c": "own flags", "make 'test": "not a command line",
		"make test\ntrue": "invisible characters", "make \u202etest": "invisible characters", "make te\u200bst": "invisible characters", "make test\U000e0041": "invisible characters", strings.Repeat("x", 400): "longer than 300",
		"TOKEN=ghp_0123456789abcdefghij0123456789abcdef make test": "secret",
	} {
		if err := proves(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
}

// TestFreeWordsAreNoCommands: what a person types at the question for a test command is
// one only where its program, script or target is here.
func TestFreeWordsAreNoCommands(t *testing.T) {
	a := newSetup(t, caller.Options{})
	root, err := a.Root()
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	for name, mode := range map[string]os.FileMode{
		programs + "/make": 0o755, programs + "/npm": 0o755, programs + "/go": 0o755, programs + "/bash": 0o755, programs + "/timeout": 0o755, root + "/run.sh": 0o755, root + "/plain.sh": 0o644,
	} {
		if err := os.WriteFile(name, []byte("#!/bin/sh\npytest\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"Makefile": "check:\n\tgo test ./...\n", "package.json": `{"scripts":{"unit":"jest"}}`, "a_test.go": "package a\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	getenv := a.Options.Getenv
	a.Options.Getenv = func(name string) string {
		if name == "PATH" {
			return programs
		}
		return getenv(name)
	}
	for _, line := range []string{"make check", "./run.sh", "bash run.sh", "npm run unit", "go test ./...", "timeout 60 make check", "cd . && make check", "CI=1 make check", "bash -c 'make check'"} {
		if x, err := a.CheckTest(line); err != nil || x.Missing != "" {
			t.Errorf("%q: got %q, %v; want it taken", line, x.Missing, err)
		}
	}
	for _, line := range []string{
		"nope", "q", "quit", "exit", "y", "n", "yes please", "no thanks", "none", "skip", "?", "", " ", "0", "ok", "git status", "vim main.go", "that is wrong", "/etc/passwd", "/etc",
		"a_test.go", "./a_test.go", "./plain.sh", "./gone.sh", "bash gone.sh", "https://example.com/ci", "\x1b[A", "\x1b]11;rgb:0000/0000/0000\x07", "]11;rgb:0000/0000/0000", "[A",
		"make chekc", "npm run untt", "npm test", "jsut test", "true", "echo ok", "make check &", "$(nope", "ls", "-v",
	} {
		if x, err := a.CheckTest(line); err == nil && x.Missing == "" {
			t.Errorf("%q: got it taken", line)
		}
	}
}

// TestConfirmedIsTrusted: what a person has confirmed is trusted with the file, unless it
// holds what nobody has looked at.
func TestConfirmedIsTrusted(t *testing.T) {
	const hostile = "debrief: {mode: 'off', verify: [touch owned]}\n"
	for _, c := range []struct {
		name      string
		before    string // the file's text; "": none
		trusted   bool   // it was trusted
		confirmed bool
		agent     bool
		verify    bool
		want      bool
	}{
		{"a new file", "", false, true, false, false, true},
		{"a new file, for Piton to run", "", false, true, false, true, true},
		{"a new file, by nobody's word", "", false, false, false, false, false},
		{"a new file, inside an agent", "", false, true, true, false, false},
		{"an empty file", "\n", false, true, false, false, true},
		{"a file that was trusted", "debrief: {min_turn: 5s}\n", true, true, false, false, true},
		{"a file that was trusted, by nobody's word", "debrief: {min_turn: 5s}\n", true, false, false, false, false},
		{"a file that was trusted, inside an agent", "debrief: {min_turn: 5s}\n", true, true, true, false, false},
		{"a file of the repository", "debrief: {min_turn: 5s}\n", false, true, false, false, false},
		{"a hostile file", hostile, false, true, false, false, false},
		{"a hostile file, for Piton to run", hostile, false, true, false, true, false},
		{"the command stands in a file of the repository", "debrief: {tests: [go test ./...]}\n", false, true, false, false, false},
		{"the command stands in a trusted file", "debrief: {tests: [go test ./...]}\n", true, true, false, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			env := map[string]string{"HOME": home + "/user", "PITON_HOME": home}
			a := newSetup(t, caller.Options{Home: home, Getenv: func(name string) string { return env[name] }})
			root, err := a.Root()
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, ".piton.yaml")
			if c.before != "" {
				if err := os.WriteFile(path, []byte(c.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.trusted {
				if err := a.Trust(TrustQuestion{Path: path, Text: []byte(c.before), root: root}); err != nil {
					t.Fatal(err)
				}
			}
			if c.agent {
				env["CLAUDECODE"] = "1"
			}
			accept := a.AcceptTest
			if c.verify {
				accept = a.VerifyTest
			}
			x, err := accept(t.Context(), TestRequest{Command: "go test ./...", Confirmed: c.confirmed})
			if err != nil {
				t.Fatal(err)
			}
			now := a.Config(root)
			if x.Trusted != c.want || x.NeedsTrust == c.want || now.Project.Trusted != c.want {
				t.Errorf("got %+v, trusted %v; want %v", x, now.Project.Trusted, c.want)
			}
			if ran := len(now.Debrief.Verify) > 0; ran != (c.want && c.verify) {
				t.Errorf("got %v to be run", now.Debrief.Verify)
			}
			if c.before == hostile && now.Debrief.ModeOf("claude") != "on" {
				t.Error("a hostile file has switched Piton off")
			}
		})
	}
}

// newSetup is the installation of a caller with a home and a folder of its own.
func newSetup(t *testing.T, o caller.Options) Setup {
	t.Helper()
	if o.Getenv == nil {
		o.Home, o.Getenv = t.TempDir(), func(name string) string { return map[string]string{"HOME": o.Home}[name] }
	}
	o.Environ, o.Dir = []string{}, t.TempDir()
	a := caller.New(o)
	t.Cleanup(a.Close)
	return Setup{a}
}
