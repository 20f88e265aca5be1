package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/piton-project/piton/internal/judge/project"

	"github.com/piton-project/piton/internal/testkit/need"
)

// tree writes files, name and text by turns, and returns their folder.
func tree(t testing.TB, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i+1 < len(files); i += 2 {
		file := filepath.Join(root, files[i])
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// shown is "dir: run (ecosystem)" for each command.
func shown(found []project.TestCommand) string {
	var lines []string
	for _, c := range found {
		line := c.Run
		if c.Dir != "" {
			line = c.Dir + ": " + line
		}
		if c.Ecosystem != "" {
			line += " (" + c.Ecosystem + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

func TestTestCommands(t *testing.T) {
	const script = `{"scripts": {"test": "vitest run", "lint": "eslint ."}}`
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"an empty folder", nil, ""},
		{"a Go module with a test", []string{"go.mod", "", "a/b/c_test.go", ""}, "go test ./... (go)"},
		{"a Go module without a test", []string{"go.mod", "", "a.go", ""}, ""},
		{"tests in vendor are others'", []string{"go.mod", "", "vendor/x/x_test.go", ""}, ""},
		{"tests of a module inside are not the outer's", []string{"go.mod", "", "tools/gen/go.mod", "", "tools/gen/x_test.go", ""}, ""},
		{"a Makefile with a test target", []string{"Makefile", "VAR := x\n.PHONY: test\n\ntest: build\n\tgo test ./...\n"}, "make test"},
		{"a Makefile whose target runs what has no test in its name", []string{"Makefile", "verify:\n\tphpunit\n"}, "make verify"},
		{"a Makefile with several targets in a line", []string{"Makefile", "lint check:\n\tgo vet ./...\n"}, "make check"},
		{"a Makefile with ci only", []string{"Makefile", "ci: ; go vet ./...\n"}, "make ci"},
		{"a Makefile that only names test as phony", []string{"Makefile", ".PHONY: test\nbuild:\n\ttrue\n"}, ""},
		{"a Makefile with a variable named test", []string{"Makefile", "test := 1\ntest ::= 2\ncheck = a:b\n"}, ""},
		{"a test target in a comment", []string{"Makefile", "# test: x\n"}, ""},
		{"GNUmakefile goes first", []string{"GNUmakefile", "check:\n\tgo vet ./...\n", "Makefile", "test:\n\tgo test\n"}, "make check"},
		{"a justfile with parameters", []string{"justfile", "set shell := [\"bash\"]\nalias t := test\n\n[private]\n@test *args='x':\n  go test\n"}, "just test"},
		{"a Taskfile", []string{"Taskfile.yml", "version: '3'\nvars:\n  test: x\ntasks:\n  # all\n  build:\n    cmds:\n      - test: no\n  test:\n    cmds: [go test]\n"}, "task test"},
		{"a Taskfile with test as a step only", []string{"Taskfile.yml", "tasks:\n  build:\n    test:\n"}, ""},
		{"the umbrella first, then the ecosystem", []string{"Makefile", "test:\n\t./run\n", "go.mod", "", "a_test.go", ""}, "make test, go test ./... (go)"},
		{"a package with a test script", []string{"package.json", script}, "npm test (node)"},
		{"npm's default script is none", []string{"package.json", `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, ""},
		{"a package without scripts", []string{"package.json", `{}`}, ""},
		{"a broken package.json", []string{"package.json", `{"scripts":`}, ""},
		{"pnpm by its lock file", []string{"package.json", script, "pnpm-lock.yaml", ""}, "pnpm test (node)"},
		{"yarn by its lock file", []string{"package.json", script, "yarn.lock", ""}, "yarn test (node)"},
		{"bun runs the script, not its own runner", []string{"package.json", script, "bun.lock", ""}, "bun run test (node)"},
		{"packageManager beats the lock file", []string{"package.json", `{"packageManager":"pnpm@9.1.0","scripts":{"test":"x"}}`, "yarn.lock", ""}, "pnpm test (node)"},
		{"only a test:unit script", []string{"package.json", `{"scripts":{"test:unit":"x"}}`}, "npm run test:unit (node)"},
		{"bun without a script", []string{"package.json", "{}", "bun.lockb", "", "src/a.test.ts", ""}, "bun test (node)"},
		{"deno", []string{"deno.json", "{}", "src/a_test.ts", ""}, "deno test (node)"},
		{"deno without a test", []string{"deno.json", "{}", "a.ts", ""}, ""},
		{"pyproject and a test", []string{"pyproject.toml", "", "tests/unit/test_a.py", ""}, "pytest (python)"},
		{"pyproject without a test", []string{"pyproject.toml", "[tool.pytest.ini_options]", "a.py", ""}, ""},
		{"tests only, no Python project file", []string{"tests/test_a.py", ""}, "pytest (python)"},
		{"a stray script named like a test", []string{"scripts/deep/test_a.py", ""}, ""},
		{"uv by its lock file", []string{"pyproject.toml", "", "uv.lock", "", "test_a.py", ""}, "uv run pytest (python)"},
		{"poetry by its lock file", []string{"pyproject.toml", "", "poetry.lock", "", "test_a.py", ""}, "poetry run pytest (python)"},
		{"Django without pytest", []string{"manage.py", "", "requirements.txt", "django", "app/tests.py", ""}, "python manage.py test (python)"},
		{"Django with pytest", []string{"manage.py", "", "requirements.txt", "pytest-django", "app/tests.py", ""}, "pytest (python)"},
		{"tox.ini", []string{"tox.ini", "[tox]", "pkg/tests/test_a.py", ""}, "pytest (python)"},
		{"Cargo", []string{"Cargo.toml", ""}, "cargo test (rust)"},
		{"Maven", []string{"pom.xml", ""}, "mvn test (java)"},
		{"Maven with its wrapper", []string{"pom.xml", "", "mvnw", ""}, "./mvnw test (java)"},
		{"Gradle in Kotlin with its wrapper", []string{"build.gradle.kts", "", "gradlew", ""}, "./gradlew test (java)"},
		{"Gradle", []string{"build.gradle", ""}, "gradle test (java)"},
		{"Mix", []string{"mix.exs", "", "test/a_test.exs", ""}, "mix test (elixir)"},
		{"RSpec", []string{"Gemfile", "", "spec/a_spec.rb", ""}, "bundle exec rspec (ruby)"},
		{"a Gemfile alone", []string{"Gemfile", ""}, ""},
		{"CMake with tests", []string{"CMakeLists.txt", "enable_testing()\n"}, "ctest --test-dir build (c)"},
		{"CMake without tests", []string{"CMakeLists.txt", "project(x)\n"}, ""},
		{".NET with a test project", []string{"App.sln", "", "test/App.Tests/App.Tests.csproj", ""}, "dotnet test (dotnet)"},
		{"a test script", []string{"scripts/test.sh", "./run\n"}, "./scripts/test.sh"},
		{"a sub-project one level down", []string{"go.mod", "", "a_test.go", "", "web/package.json", script}, "go test ./... (go), web: npm test (node)"},
		{"a sub-project under the workspace's lock file", []string{"pnpm-lock.yaml", "", "web/package.json", script}, "web: pnpm test (node)"},
		{"no sub-project in node_modules", []string{"node_modules/package.json", script, ".cache/package.json", script}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(project.AtRoot(tree(t, c.files...)).Commands()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestMatches(t *testing.T) {
	root := tree(t, "Makefile", "build:\ntest:\n\t./run\ntest-race: test\ncheck: test\n", "package.json", `{"scripts":{"test":"x","test:e2e":"y","build":"z"}}`)
	found := project.AtRoot(root).Commands()
	if len(found) != 2 {
		t.Fatalf("got %q", shown(found))
	}
	if got, want := fmt.Sprint(found[0].Matches), "[make test make test-race make check]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, want := range []string{"npm run test", "yarn run test:e2e", "vitest"} {
		if !slices.Contains(found[1].Matches, want) {
			t.Errorf("%q is not in %q", want, found[1].Matches)
		}
	}
	if slices.Contains(found[1].Matches, "npm run build") {
		t.Error("a build script counts as a test")
	}
}

func TestTestCommandsForChangedFiles(t *testing.T) {
	root := tree(t, "packages/ui/package.json", `{"scripts":{"test":"x"}}`, "packages/ui/src/a.ts", "", "yarn.lock", "")
	if got := shown(project.AtRoot(root).Commands()); got != "" {
		t.Errorf("two levels down are looked at without a reason: %q", got)
	}
	for _, odd := range []string{"packages/ui/src/a.ts", "./packages/ui/src/a.ts"} {
		if got, want := shown(project.AtRoot(root).Commands(odd)), "packages/ui: yarn test (node)"; got != want {
			t.Errorf("%s: got %q, want %q", odd, got, want)
		}
	}
	for _, odd := range []string{"../x/a.ts", "/etc/passwd", "", "node_modules/x/a.js"} {
		if got := shown(project.AtRoot(root).Commands(odd)); got != "" {
			t.Errorf("%q: got %q, want nothing", odd, got)
		}
	}
}

// A link in a cloned project may lead to a file that a kernel makes up for as
// long as somebody reads it.
func TestEndlessFile(t *testing.T) {
	const endless = "/proc/self/pagemap"
	if info, err := os.Stat(endless); err != nil || !info.Mode().IsRegular() {
		need.Missing(t, "no "+endless)
	}
	root := tree(t, "go.mod", "", "x_test.go", "")
	if err := os.Symlink(endless, filepath.Join(root, "Makefile")); err != nil {
		t.Fatal(err)
	}
	if got := shown(project.AtRoot(root).Commands()); !strings.Contains(got, "go test") {
		t.Errorf("got %q, want go test", got)
	}
}

// A hook waits for the search: a pipe must not hold it up, nor a large tree.
func TestSearchIsBounded(t *testing.T) {
	root := tree(t, "go.mod", "")
	if err := syscall.Mkfifo(filepath.Join(root, "Makefile"), 0o644); err != nil {
		need.Missing(t, err.Error())
	}
	for d := range 100 {
		dir := filepath.Join(root, fmt.Sprintf("d%03d", d))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for f := range 100 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d.go", f)), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	late := filepath.Join(root, "d099", "z_test.go")
	if err := os.WriteFile(late, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := shown(project.AtRoot(root).Commands()); got != "" {
		t.Errorf("got %q: the walk has no end", got)
	}
	if got := shown(project.AtRoot(filepath.Join(root, "missing")).Commands()); got != "" {
		t.Errorf("a missing root gives %q", got)
	}
}

func BenchmarkTestCommands(b *testing.B) {
	files := []string{"go.mod", "", "Makefile", "test:\n", "web/package.json", `{"scripts":{"test":"x"}}`}
	for i := range 2000 {
		files = append(files, fmt.Sprintf("p%02d/f%d.go", i%60, i), "")
	}
	root := tree(b, files...)
	for b.Loop() {
		project.AtRoot(root).Commands()
	}
}
