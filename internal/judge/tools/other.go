package tools

// otherTools are those of ecosystems with few of them.
var otherTools = []Tool{
	{Names: "mix", Installed: true, Ecosystem: "elixir", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}, {"coveralls", Tests}, {"deps.get", Installs | Testless}, {"format", Formats}}, Writes: subcommandWrites},
	{Names: "dart", Installed: true, Ecosystem: "dart", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}, {"format", Formats}}, Writes: subcommandWrites},
	{Names: "flutter", Installed: true, Ecosystem: "dart", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}}, DrySubs: "test list|test last"},
	{Names: "stack", Installed: true, Ecosystem: "haskell", Subs: []Sub{{"test", Tests | Runner}}},
	{Names: "cabal", Installed: true, Ecosystem: "haskell", Subs: []Sub{{"test", Tests | Runner}}, Output: Output{Proof: []string{"All suites passed"}}},
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

var elixir = Ecosystem{
	Name: "elixir", Title: "Elixir", Extensions: "ex exs heex",
	Tests:     "**/*_test.exs",
	Manifests: "mix.exs", Resolve: "run `mix deps.get`", Resolvers: "mix",
	Projects: []Project{{Files: []string{"mix.exs", "test/"}, Run: "mix test", Counts: "mix test"}},
}

var dart = Ecosystem{
	Name: "dart", Title: "Dart", Extensions: "dart",
	Tests:     "**/*_test.dart",
	Manifests: "pubspec.yaml", Resolve: "run `dart pub get`", Resolvers: "dart|flutter",
	Projects: []Project{
		{Files: []string{"pubspec.yaml", "test/"}, Mentions: "flutter:", Run: "flutter test", Counts: "flutter test"},
		{Files: []string{"pubspec.yaml", "test/"}, Run: "dart test", Counts: "dart test"},
	},
}

var haskell = Ecosystem{
	Name: "haskell", Title: "Haskell", Extensions: "hs",
	Projects: []Project{
		{Files: []string{"stack.yaml"}, Run: "stack test", Counts: "stack test|cabal test"},
		{Files: []string{"*.cabal|cabal.project"}, Mentions: "test-suite", Run: "cabal test", Counts: "cabal test"},
	},
}

var clojure = Ecosystem{
	Name: "clojure", Title: "Clojure", Extensions: "clj cljs cljc",
	Projects: []Project{{Files: []string{"project.clj", "test/"}, Run: "lein test", Counts: "lein test"}},
}
