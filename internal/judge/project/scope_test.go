package project

import (
	"strings"
	"testing"
)

// TestExpandedScopes asks what runs take in a project with members, as seen from
// its root.
func TestExpandedScopes(t *testing.T) {
	tests := AtRoot(tree(t, `
-- go.mod
module example.com/m
-- a/a.go
package a
-- Cargo.toml
[workspace]
members = ["crates/*"]
-- crates/core/Cargo.toml
[package]
name = "the-core"
-- settings.gradle
include ':app'
-- app/build.gradle
x
-- CMakeLists.txt
enable_testing()
-- build/CMakeCache.txt
x
-- package.json
{"workspaces": ["packages/*"], "scripts": {"test": "bun test src/"}}
-- packages/web/package.json
{"name": "@x/web", "scripts": {"test": "vitest run"}}
-- mise.toml
[tasks."test:integration"]
run = "go test ./integration_test/..."
-- pyproject.toml
[tool.poe.tasks]
unit = "pytest tests/unit"
`))
	for _, c := range []struct {
		line, file string
		want       bool
	}{
		{"go test example.com/m/a", "a/a.go", true},
		{"go test example.com/m/...", "a/a.go", true},
		{"go test example.com/m", "a/a.go", false},
		{"a: go test .", "a/a.go", true},
		{"cargo test -p the-core", "crates/core/src/lib.rs", true},
		{"cargo test -p the-core", "src/lib.rs", false},
		{"./gradlew :app:test", "app/src/A.java", true},
		{"./gradlew :app:test", "lib/src/A.java", false},
		{"build: ctest", "src/a.c", true},
		{"npm test -w @x/web", "packages/web/a.ts", true},
		{"npm test -w @x/web", "src/a.ts", false},
		{"bun run test", "frontend/src/a.ts", true},
		{"bun run test", "lib/a.ts", false},
		{"mise run test:integration", "integration_test/x_test.go", true},
		{"mise run test:integration", "a/a.go", false},
		{"poe unit", "tests/unit/test_x.py", true},
		{"poe unit", "tests/e2e/test_x.py", false},
		{"cargo test -p none", "crates/core/src/lib.rs", false},
	} {
		dir, line, ok := strings.Cut(c.line, ": ")
		if !ok {
			dir, line = "", c.line
		}
		runs, _ := tests.Expand(dir, strings.Fields(line))
		got := false
		for _, r := range runs {
			got = got || r.Scope.TakesFile(c.file) || r.Scope.TakesPackage(folderOf(c.file))
		}
		if got != c.want {
			t.Errorf("%s takes %s: got %t (%v)", c.line, c.file, got, runs)
		}
	}
}

func folderOf(file string) string { return file[:max(strings.LastIndexByte(file, '/'), 0)] }
