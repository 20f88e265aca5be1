package tools

import (
	"slices"
	"strings"
)

// otherTools are those of ecosystems with few of them.
var otherTools = []Tool{
	{Names: "mix", Picks: mixPicks, Installed: true, Ecosystem: "elixir", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}, {"coveralls", Tests}, {"deps.get", Installs | Testless}, {"hex.outdated|hex.audit", Asks | Testless}, {"format", Formats}}, Writes: subcommandWrites,
		Targets: &Targets{Files: "mix.exs", Form: Mixfile, Goal: "default", Calls: "mix", Quiet: true}, Output: Output{Format: "exunit"}},
	{Names: "dart", Picks: dartPicks, Installed: true, Ecosystem: "dart", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}, {"format", Formats}}, Writes: subcommandWrites, Output: Output{Format: "dart"}},
	{Names: "flutter", Picks: dartPicks, Installed: true, Ecosystem: "dart", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}}, DrySubs: "test list|test last", Output: Output{Format: "dart"}},
	{Names: "stack", Picks: packagePicks, Installed: true, Ecosystem: "haskell", Subs: []Sub{{"test", Tests | Runner}}, Output: Output{Format: "rspec haskell"}},
	{Names: "cabal", Picks: packagePicks, Installed: true, Ecosystem: "haskell", Subs: []Sub{{"test", Tests | Runner}}, Output: Output{Format: "rspec haskell"}},
	{Names: "lein", Ecosystem: "clojure", Subs: []Sub{{"test", Tests | Runner}}, Output: Output{Format: "clojure"}},
	{Names: "bats", Picks: batsPicks, Installed: true, Ecosystem: "bats", Paths: true, Does: Tests | Runner, Dry: "-c --count -h -v", Writes: snapshotWrites, Output: Output{Format: "bats tap"}},
	{Names: "shellspec", Picks: batsPicks, Ecosystem: "bats", Does: Tests | Runner, Output: Output{Format: "rspec"}},
	{Names: "Rscript", Subs: []Sub{{"-e", Program}}, Takes: "-e -f --file", Inner: rTests, Output: Output{Format: "testthat"}},
	{Names: "R", Ecosystem: "r", Subs: []Sub{{"-e", Program}, {"CMD check", Tests | Runner}, {"CMD build", Testless}}, Takes: "-e -f --file", Inner: rTests, Output: Output{Format: "testthat"}},
	{Names: "testthat tinytest", Ecosystem: "r", Does: Tests | Runner, Output: Output{Format: "testthat"}},
	{Names: "julia", Versioned: true, Subs: []Sub{{"-e", Program}}, Takes: "-e -E -L -p -t --threads --project", Inner: juliaTests, Output: Output{Format: "julia"}},
	{Names: "Pkg.test", Ecosystem: "julia", Does: Tests | Runner, Output: Output{Format: "julia"}},
	{Names: "busted", Picks: bustedPicks, Ecosystem: "lua", Paths: true, Does: Tests | Runner, Takes: "-p --pattern -o --output -m --lpath --filter -t --tags", Dry: "-l --list --version -h", Output: Output{Format: "busted"}},
	{Names: "luarocks", Ecosystem: "lua", Chooses: 1, Subs: []Sub{{"test", Tests | Runner}, {"install|make", Installs}}, Dry: "--prepare -h", Output: Output{Format: "busted"}},
	{Names: "nvim", Takes: "-u -c --cmd -l -S", Inner: plenaryTests},
	{Names: "forge", Picks: forgePicks, Installed: true, Ecosystem: "solidity", Chooses: 1, Does: Subject, Subs: []Sub{{"test|coverage", Tests | Runner}, {"build", Checks | Testless}, {"fmt", Formats}, {"install", Installs}}, Dry: "-l --list --summary-only -h", Writes: subcommandWrites, Output: Output{Format: "forge"}},
	{Names: "hardhat", Picks: hardhatPicks, Ecosystem: "solidity", Chooses: 1, Subs: []Sub{{"test|coverage", Tests | Runner}, {"compile", Checks | Testless}}, Dry: "-h", Output: Output{Format: "mocha"}},
	{Names: "shfmt", Does: Formats, Rewrites: &Rewrites{With: "-w --write"}},
	{Names: "stylua", Does: Formats, Rewrites: &Rewrites{Unless: checksOnly}},
	{Names: "dprint", Does: Formats, Writes: subcommandWrites},
	{Names: "taplo", Writes: subcommandWrites},
	{Names: "buf", Chooses: 1, Writes: fixOnlyWrites},
	{Names: "markdownlint", Rewrites: &Rewrites{With: lintFixes}},
	{Names: "shellcheck hadolint yamllint actionlint tflint cloc tokei scc", Picks: pathPicks, Does: Reads},
}

var elixir = Ecosystem{
	Name: "elixir", Title: "Elixir", Extensions: "ex exs heex",
	Roots: "mix.exs", Own: "*_test",
	Cases:     `(?m)^\s*test "([^"]+)"`,
	Skips:     `@(?:module)?tag :skip|@(?:module)?tag skip:`,
	Tests:     "**/*_test.exs",
	Manifests: "mix.exs", Resolve: "run `mix deps.get`", Resolvers: "mix",
	Projects: []Project{{Files: []string{"mix.exs", "test/"}, Run: "mix test", Counts: "mix test"}},
}

var dart = Ecosystem{
	Name: "dart", Title: "Dart", Extensions: "dart",
	Roots: "pubspec.yaml", Own: "*_test",
	Cases:     `\btest(?:Widgets)?\(\s*['"]([^'"]+)`,
	Skips:     `skip: *(?:true|['"])|@Skip\(`,
	Tests:     "**/*_test.dart",
	Manifests: "pubspec.yaml", Resolve: "run `dart pub get`", Resolvers: "dart|flutter",
	Projects: []Project{
		{Files: []string{"pubspec.yaml", "test/"}, Mentions: "flutter:", Run: "flutter test", Counts: "flutter test"},
		{Files: []string{"pubspec.yaml", "test/"}, Run: "dart test", Counts: "dart test"},
	},
}

var haskell = Ecosystem{
	Name: "haskell", Title: "Haskell", Extensions: "hs",
	Roots: "stack.yaml|*.cabal|package.yaml", Own: "*Spec *Test",
	Cases: `\bx?(?:it|specify) "([^"]+)"`,
	Skips: `\bxit\b|\bxdescribe\b|\bpending\b`,
	Projects: []Project{
		{Files: []string{"stack.yaml"}, Run: "stack test", Counts: "stack test|cabal test"},
		{Files: []string{"*.cabal|cabal.project"}, Mentions: "test-suite", Run: "cabal test", Counts: "cabal test"},
	},
}

var clojure = Ecosystem{
	Name: "clojure", Title: "Clojure", Extensions: "clj cljs cljc",
	Roots: "project.clj|deps.edn", Own: "*_test",
	Cases:    `\(deftest (?:\^\S+ )*(\S+)`,
	Skips:    `\^:(?:skip|kaocha/skip|pending)`,
	Projects: []Project{{Files: []string{"project.clj", "test/"}, Run: "lein test", Counts: "lein test"}},
}

var bats = Ecosystem{
	Name: "bats", Title: "Bats", Extensions: "bats",
	Roots: "bats/|.shellspec", Own: "*",
	Cases:    `(?m)^@test ["']([^"']+)`,
	Skips:    `(?m)^\s*skip\b`,
	TestFile: func(name string) bool { return strings.HasSuffix(name, ".bats") },
	Projects: []Project{
		{Files: []string{"test/"}, TestFiles: true, Run: "bats -r test", Counts: "bats"},
		{Files: []string{"tests/"}, TestFiles: true, Run: "bats -r tests", Counts: "bats"},
	},
}

var rlang = Ecosystem{
	Name: "r", Title: "R", Extensions: "R r",
	Roots: "DESCRIPTION", Own: "test-* test_*",
	Cases:     `test_that\(\s*['"]([^'"]+)`,
	Skips:     `\bskip(?:_\w+)?\(`,
	Tests:     "**/tests/**/*.R",
	Manifests: "DESCRIPTION renv.lock", Resolve: "install them", Resolvers: "Rscript|R",
	Projects: []Project{
		{Files: []string{"DESCRIPTION", "tests/"}, Run: `Rscript -e "devtools::test()"`, Counts: "testthat|tinytest|R CMD check"},
	},
}

var julia = Ecosystem{
	Name: "julia", Title: "Julia", Extensions: "jl",
	Roots: "Project.toml", Own: "test_* *_test *_tests test/*",
	Cases:     `@testset [^"\n]*"([^"]+)"`,
	Skips:     `@test_skip|@test_broken`,
	Tests:     "**/test/**/*.jl",
	Manifests: "Project.toml", Resolve: "run `julia --project -e 'using Pkg; Pkg.instantiate()'`", Resolvers: "julia",
	TestFile: func(name string) bool { return name == "runtests.jl" },
	Projects: []Project{{Files: []string{"Project.toml", "test/"}, Run: `julia --project -e "using Pkg; Pkg.test()"`, Counts: "Pkg.test"}},
}

var lua = Ecosystem{
	Name: "lua", Title: "Lua", Extensions: "lua",
	Roots: "*.rockspec|.busted", Own: "*_spec *_test test_*",
	Cases:    `\b(?:it|pending)\(\s*['"]([^'"]+)`,
	Skips:    `\bpending\(`,
	Tests:    "**/*_spec.lua",
	TestFile: func(name string) bool { return strings.HasSuffix(name, "_spec.lua") },
	Projects: []Project{
		{Files: []string{".busted|*.rockspec|spec/"}, TestFiles: true, Run: "busted", Counts: "busted|luarocks test"},
	},
}

var solidity = Ecosystem{
	Name: "solidity", Title: "Solidity", Extensions: "sol",
	Roots: "foundry.toml|hardhat.config.ts|hardhat.config.js|hardhat.config.cjs", Own: "*.t *Test *.test",
	Cases:     `function ((?:test|invariant)\w*)\(`,
	Skips:     `vm\.skip\(`,
	Tests:     "**/*.t.sol",
	Manifests: "foundry.toml", Resolve: "run `forge build`", Resolvers: "forge|hardhat",
	Projects: []Project{
		{Files: []string{"foundry.toml", "test/"}, Run: "forge test", Counts: "forge test|forge coverage|hardhat test"},
		{Files: []string{"hardhat.config.ts|hardhat.config.js|hardhat.config.cjs", "test/"}, Run: "npx hardhat test", Counts: "hardhat test|hardhat coverage"},
	},
}

// rTests is the test library that a program of R's on the line calls, or that a
// script of that name runs; with the program, where it takes a part of them.
func rTests(words []string) []string {
	for _, w := range words[1:] {
		library := ""
		switch {
		case strings.Contains(w, "tinytest"):
			library = "tinytest"
		case strings.Contains(w, "devtools::test") || strings.Contains(w, "devtools::check(") || strings.Contains(w, "testthat::test_") || strings.Contains(w, "testthat.R"),
			strings.Contains(w, "test_local(") || strings.Contains(w, "test_dir(") || strings.Contains(w, "rcmdcheck("):
			library = "testthat"
		default:
			continue
		}
		if strings.Contains(w, "filter") || strings.Contains(w, "_file(") {
			return []string{library, w}
		}
		return []string{library}
	}
	return nil
}

// juliaTests is the call of the package manager that runs a package's tests.
func juliaTests(words []string) []string {
	for i, w := range words[1:] {
		switch {
		case strings.HasSuffix(w, "runtests.jl"):
			return slices.Concat([]string{"Pkg.test"}, words[i+2:])
		case strings.Contains(w, "test_args"):
			return []string{"Pkg.test", w}
		case strings.Contains(w, "Pkg.test(") || strings.Contains(w, `pkg"test`):
			return []string{"Pkg.test"}
		}
	}
	return nil
}

// plenaryTests is the runner inside of Neovim that a plugin's tests use.
func plenaryTests(words []string) []string {
	if slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(w, "PlenaryBusted") || strings.Contains(w, "MiniTest.run")
	}) {
		return []string{"busted"}
	}
	return nil
}
