package tools

// otherTools are those of ecosystems with few of them.
var otherTools = []Tool{
	{Names: "mix", Installed: true, Ecosystem: "elixir", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}, {"coveralls", Tests}, {"deps.get", Installs | Testless}, {"format", Formats}}, Writes: subcommandWrites},
	{Names: "dart", Installed: true, Ecosystem: "dart", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}, {"format", Formats}}, Writes: subcommandWrites},
	{Names: "flutter", Installed: true, Ecosystem: "dart", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}}, DrySubs: "test list|test last"},
	{Names: "stack", Installed: true, Ecosystem: "haskell", Subs: []Sub{{"test", Tests | Runner}}},
	{Names: "cabal", Installed: true, Ecosystem: "haskell", Subs: []Sub{{"test", Tests | Runner}}, Output: Output{Passed: []string{"All suites passed"}}},
	{Names: "lein", Ecosystem: "clojure", Subs: []Sub{{"test", Tests | Runner}}},
	{Names: "bats", Installed: true, Paths: true, Does: Runner, Dry: "-c --count -h -v", Writes: snapshotWrites},
	{Names: "shellspec", Does: Runner},
	{Names: "shfmt", Does: Formats, Rewrites: &Rewrites{With: "-w --write"}},
	{Names: "stylua", Does: Formats, Rewrites: &Rewrites{Unless: checksOnly}},
	{Names: "dprint", Does: Formats, Writes: subcommandWrites},
	{Names: "taplo", Writes: subcommandWrites},
	{Names: "buf", Chooses: 1, Writes: fixOnlyWrites},
	{Names: "markdownlint", Rewrites: &Rewrites{With: lintFixes}},
	{Names: "shellcheck hadolint yamllint actionlint tflint cloc tokei scc", Does: Reads},
}
