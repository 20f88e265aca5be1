package tools

import (
	"slices"
	"strings"
)

var rustTools = []Tool{
	{
		Names: "cargo", Picks: cargoPicks, Installed: true, Ecosystem: "rust", Chooses: 1, Does: Subject | Variable, Spell: cargoCommand,
		Subs: []Sub{
			{"test|nextest|llvm-cov|tarpaulin", Tests | Runner}, {"insta test", Tests},
			{"check|clippy", Checks | Testless}, {"build|doc|tree|version|metadata", Testless}, {"fmt", Formats | Testless}, {"fetch|add|update", Installs}, {"outdated|audit", Asks},
		},
		Takes:  "-C --manifest-path --color --config -Z -p --package --exclude --target --features -F --profile --test --bin --example --bench -j --jobs",
		Folder: "-C --dir --directory", Project: "--manifest-path",
		HandsOn: true, Dry: "--no-run --list -h -V", DryFlag: cargoDryFlag, DryEnv: "CARGO_TARGET_*", DryValue: cargoRunner,
		DrySubs: "help|nextest list|nextest show-config|nextest self|nextest archive|nextest help|llvm-cov report|llvm-cov clean|llvm-cov show-env",
		Text:    cargoWatch, Writes: cargoWrites,
		Targets: &Targets{Files: "Makefile.toml", Form: Tabled, Tables: "tasks", Mentions: "tasks", Lists: "commands", Goal: "default", Calls: "cargo make|makers", Verb: "make", Must: true},
		Output:  Output{Format: "cargo"},
	},
	{Names: "cross", Picks: cargoPicks, Ecosystem: "rust", Subs: []Sub{{"test", Tests}}, Output: Output{Format: "cargo"}},
	{Names: "makers", TargetsOf: "cargo"},
	{Names: "rustup", Wraps: []Wrap{{Sub: "run", Skip: 1}}},
	{Names: "rustfmt", Does: Formats, Rewrites: &Rewrites{Unless: checksOnly}},
	{Names: "clippy", Rewrites: &Rewrites{With: lintFixes}},
}

var rust = Ecosystem{
	Name: "rust", Title: "Rust", Extensions: "rs",
	Roots: "Cargo.toml", Own: "*_test *_tests test_* tests/*", Inline: "#[test]|#[cfg(test)]|::test]|#[rstest]|proptest!",
	Cases:     `#\[(?:\w+::)*(?:test|rstest)\b[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub )?(?:async )?fn (\w+)`,
	Skips:     `#\[ignore|#\[cfg\(any\(\)\)\]`,
	Manifests: "Cargo.toml", Resolve: "run `cargo check`", Resolvers: "cargo",
	Projects: []Project{{Files: []string{"Cargo.toml"}, Run: "cargo test", Counts: "cargo test|cargo nextest"}},
}

const rustConfig = ".cargo/config.toml"

var rustSetting = Setting{File: "config.toml", Key: "runner", Runs: "cargo test"}

// cargoCommand takes the toolchain off and spells short commands out.
func cargoCommand(ops []string) []string {
	if len(ops) > 0 && strings.HasPrefix(ops[0], "+") {
		ops = ops[1:]
	}
	if len(ops) > 0 {
		if long := map[string]string{"t": "test", "b": "build", "c": "check", "r": "run"}[ops[0]]; long != "" {
			return slices.Concat([]string{long}, ops[1:])
		}
	}
	return ops
}

// cargoDryFlag knows the setting that runs every test with a program that does
// nothing.
func cargoDryFlag(_ Call, f Flag) string {
	if f.Name == "--config" && strings.Contains(f.Value, "runner") && idle(strings.Trim(f.Value[strings.LastIndexByte(f.Value, '=')+1:], ` "'[]`)) {
		return f.Name
	}
	return ""
}

func cargoRunner(_ Call, name, value string) bool {
	return strings.HasSuffix(name, "_RUNNER") && idle(firstWord(value))
}

func cargoWatch(words []string) (string, bool) {
	if len(words) > 3 && words[1] == "watch" && Among("-x --exec", words[2]) {
		return "cargo " + words[3], true
	}
	return "", false
}

func cargoWrites(c Call) (named []string, others bool) {
	if c.Operand(0) == "fmt" {
		return nil, !c.Has("--check") && !Read(append([]string{""}, c.Rest...), "").Has("--check")
	}
	known := Among("test check clippy build bench doc tree metadata search nextest audit deny llvm-cov version", c.Operand(0))
	return nil, !known || c.Has("--fix")
}
