package project

import (
	"strings"
	"testing"
)

// TestCrates asks what runs of cargo take in workspaces of four kinds.
func TestCrates(t *testing.T) {
	tests := AtRoot(tree(t, `
-- Cargo.toml
[package]
name = "app"
[workspace]
members = ["crates/*"]
-- crates/core/Cargo.toml
[package]
name = "core"
-- fuzz/Cargo.toml
[package]
name = "app-fuzz"
-- virtual/Cargo.toml
[workspace]
members = ["a"]
-- virtual/a/Cargo.toml
[package]
name = "a"
-- chosen/Cargo.toml
[workspace]
default-members = ["a"]
members = ["a", "b"]
-- chosen/a/Cargo.toml
[package]
name = "a"
-- chosen/b/Cargo.toml
[package]
name = "b"
-- own/Cargo.toml
[package]
name = "own"
[workspace]
members = ["a", "b"]
default-members = [".", "a"]
-- own/a/Cargo.toml
[package]
name = "a"
-- own/b/Cargo.toml
[package]
name = "b"
`))
	for _, c := range []struct {
		name, line, file string
		want             bool
	}{
		{"a root package takes itself", "cargo test", "src/lib.rs", true},
		{"a root package takes no member", "cargo test", "crates/core/src/lib.rs", false},
		{"a root package takes no package beside the members", "cargo test", "fuzz/src/lib.rs", false},
		{"filters do not widen it", "cargo test parse", "crates/core/src/lib.rs", false},
		{"nextest reads it alike", "cargo nextest run", "crates/core/src/lib.rs", false},
		{"the workspace takes the members", "cargo test --workspace", "crates/core/src/lib.rs", true},
		{"so does --all", "cargo test --all", "crates/core/src/lib.rs", true},
		{"what is the harness's widens nothing", "cargo test -- --all", "crates/core/src/lib.rs", false},
		{"in a member the member", "crates/core: cargo test", "crates/core/src/lib.rs", true},
		{"in a member's folder its whole package", "crates/core/src: cargo test", "crates/core/tests/x.rs", true},
		{"in a member nothing else", "crates/core: cargo test", "src/lib.rs", false},
		{"in a member all of the workspace", "crates/core: cargo test --workspace", "src/lib.rs", true},
		{"a manifest that is named", "cargo test --manifest-path crates/core/Cargo.toml", "crates/core/src/lib.rs", true},
		{"a root without a package takes all", "virtual: cargo test", "virtual/a/src/lib.rs", true},
		{"default members are taken", "chosen: cargo test", "chosen/a/src/lib.rs", true},
		{"others are not", "chosen: cargo test", "chosen/b/src/lib.rs", false},
		{"the root among the default members", "own: cargo test", "own/src/lib.rs", true},
		{"a member beside it", "own: cargo test", "own/a/src/lib.rs", true},
		{"a member that is none", "own: cargo test", "own/b/src/lib.rs", false},
	} {
		dir, line, ok := strings.Cut(c.line, ": ")
		if !ok {
			dir, line = "", c.line
		}
		runs, _ := tests.Expand(dir, strings.Fields(line))
		if got := runs[0].Scope.TakesFile(c.file); got != c.want {
			t.Errorf("%s: %s takes %s: got %t (%+v)", c.name, c.line, c.file, got, runs)
		}
	}
}
