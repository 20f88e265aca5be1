package tools

import (
	"slices"
	"strings"
)

const (
	scriptsDry   = "--listTests --list --collect-only --showConfig --clearCache -h"
	scriptShell  = "npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL"
	testConfig   = "-c --config --config-path -p --project -t --testNamePattern --ext"
	packageTakes = "-p --package"
	npmTakes     = "-p --package -w --workspace"
	ownScripts   = "run exec dlx x test t install i add remove rm up update upgrade publish pack link init create why list ls audit start stop build config workspace workspaces"
)

var nodeTools = []Tool{
	{
		Names: "npm", Picks: npmPicks, Installed: true, Ecosystem: "node", Chooses: 1, Does: Subject | Variable, Spell: npmScript,
		Subs: []Sub{
			{"test", Tests | Runner}, {"install|i|ci", Installs | Testless}, {"add|update", Installs}, {"view|ls|outdated", Prints | Testless}, {"outdated|audit", Asks}, {"version|audit|init|publish", Testless}, {"format|fmt", Formats},
		},
		Takes: "--prefix -w --workspace -C", Folder: "--prefix -C", HandsOn: true, Dry: scriptsDry, DryFlag: npmDryFlag, DryEnv: scriptShell, DryValue: idleShell,
		Wraps: []Wrap{{Sub: "exec", Takes: npmTakes, Not: "-c --call"}, {Sub: "x", Takes: npmTakes, Not: "-c --call"}}, Writes: scriptWrites,
		Targets: &Targets{Files: "package.json", Form: PackageJSON, Verb: "run run-script", Calls: "npm run|pnpm run|yarn run|bun run|bun", Climbs: true},
	},
	{
		Names: "pnpm", Picks: pnpmPicks, TargetsOf: "npm", Installed: true, Ecosystem: "node", Chooses: 1, Does: Subject | Variable, Spell: npmScript,
		Subs:  []Sub{{"test", Tests | Runner}, {"install|i", Installs | Testless}, {"add", Installs}, {"ls", Testless}, {"outdated|audit", Asks}, {"format", Formats}},
		Takes: "--dir -C --filter -F --filter-prod", Folder: "-C --dir --directory", Own: ownScripts, HandsOn: true, Dry: scriptsDry, DryFlag: npmDryFlag, DryEnv: scriptShell, DryValue: idleShell,
		Wraps: []Wrap{{Sub: "exec"}, {Sub: "dlx", Takes: "--package"}}, Writes: scriptWrites,
	},
	{
		Names: "yarn", Picks: yarnPicks, TargetsOf: "npm", Installed: true, Ecosystem: "node", Chooses: 1, Does: Subject | Variable, Spell: yarnScript,
		Subs:  []Sub{{"test", Tests | Runner}, {"install", Installs | Testless}, {"add", Installs}, {"list|why", Testless}, {"format", Formats}},
		Takes: "--cwd --filter", Folder: "--cwd", Own: ownScripts, HandsOn: true, Dry: scriptsDry, DryFlag: npmDryFlag, DryEnv: scriptShell, DryValue: idleShell,
		Wraps: []Wrap{{Sub: "exec"}, {Sub: "dlx", Takes: packageTakes}}, Writes: scriptWrites,
	},
	{
		Names: "bun", Picks: bunPicks, TargetsOf: "npm", Installed: true, Ecosystem: "node", Chooses: 1, Paths: true, Does: Subject | Variable,
		Subs:  []Sub{{"test", Tests | Runner}, {"install", Installs | Testless}, {"add", Installs}},
		Takes: "--cwd --filter", Folder: "--cwd", Own: ownScripts, HandsOn: true, Dry: scriptsDry, Wraps: []Wrap{{Sub: "x", Takes: packageTakes}}, Writes: scriptWrites,
	},
	{Names: "npx", Does: Variable, Installed: true, Inline: "-c --command --call -qc -qec -qefc", Wraps: []Wrap{{Takes: packageTakes, Not: "-c --call"}}},
	{Names: "bunx", Installed: true, Wraps: []Wrap{{Takes: packageTakes}}},
	{Names: "corepack", Wraps: []Wrap{{}}},
	{Names: "cross-env", Wraps: []Wrap{{Assigns: true}}},
	{Names: "volta", Wraps: []Wrap{{Sub: "run", Takes: "--node --npm --yarn --pnpm"}}},
	{
		Names: "node", Picks: nodePicks, Aliases: "nodejs", Versioned: true, Installed: true, Ecosystem: "node", Paths: true, Does: Subject | Variable, Subs: []Sub{{"--test", Tests | Runner}, {"-v", Testless}, {"-e|-p|--eval", Program}},
		Dry: "-c --check -h -v", Script: &Interpreter{Takes: "-r --require --import --loader -C", Text: "ep"},
	},
	{Names: "deno", Picks: denoPicks, Installed: true, Ecosystem: "node", Chooses: 1, Paths: true, Does: Subject, Subs: []Sub{{"test", Tests | Runner}, {"task test", Tests}, {"fmt", Formats}, {"eval", Program}}, Project: "--config -c", Dry: "--no-run -h", Writes: subcommandWrites,
		Targets: &Targets{Files: "deno.json deno.jsonc", Form: Tabled, Tables: "tasks", Mentions: "tasks", Lists: "commands", Goal: "default", Calls: "deno task", Verb: "task", Must: true, Climbs: true}},
	{Names: "run-s run-p npm-run-all npm-run-all2", TargetsOf: "npm"},
	{Names: "tsx", Picks: nodePicks, Ecosystem: "node", Subs: []Sub{{"--test", Tests | Runner}}},
	{Names: "jest", Picks: jestPicks, Installed: true, Ecosystem: "node", Paths: true, Does: Tests | Variable | Runner, Takes: testConfig, Project: "--rootDir --config -c", Dry: "--listTests --showConfig --clearCache --clear-cache --init -h", DrySubs: "init", Writes: snapshotWrites,
		Output: Output{Format: "jest"}},
	{Names: "vitest", Picks: vitestPicks, Installed: true, Ecosystem: "node", Paths: true, Does: Tests | Variable | Runner, Takes: testConfig, Project: "--root --dir --config -c", Dry: "--listTests --showConfig --clearCache --clear-cache --init -h", DrySubs: "list|init|bench", Writes: snapshotWrites,
		Output: Output{Format: "vitest"}},
	{Names: "mocha", Picks: mochaPicks, Installed: true, Ecosystem: "node", Paths: true, Does: Tests | Runner | Reads, Project: "--config -c", Dry: "--list --list-tests --list-reporters --init -h", DryEnv: "MOCHA_OPTIONS", Output: Output{Format: "mocha"}},
	{Names: "playwright", Picks: playwrightPicks, Ecosystem: "node", Paths: true, Subs: []Sub{{"test", Tests | Runner}}, Project: "--config -c", Dry: "--list --list-tests --list-reporters --init -h", DrySubs: "install|codegen|show-report|open|merge-reports", Writes: snapshotWrites, Output: Output{Format: "playwright"}},
	{Names: "ava", Picks: avaPicks, Ecosystem: "node", Does: Tests | Runner, DrySubs: "debug|reset-cache", Writes: snapshotWrites, Output: Output{Format: "ava"}},
	{Names: "tap", Picks: nodePathPicks, Ecosystem: "node", Does: Tests | Runner, Dry: "--list --list-tests --list-reporters --init -h", DrySubs: "report|list|config|plugin|build|dump-config|versions|help", Writes: snapshotWrites, Output: Output{Format: "tap"}},
	{Names: "uvu", Picks: nodePathPicks, Ecosystem: "node", Does: Tests | Runner, DrySubs: "help", Output: Output{Format: "uvu"}},
	{Names: "jasmine", Picks: nodePathPicks, Ecosystem: "node", Does: Tests | Runner, DrySubs: "init|help|examples", Output: Output{Format: "jasmine"}},
	{Names: "karma", Ecosystem: "node", Subs: []Sub{{"start", Tests | Runner}}, DrySubs: "init", Output: Output{Format: "karma"}},
	{Names: "wtr", Ecosystem: "node", Does: Tests | Runner, Output: Output{Format: "karma"}},
	{Names: "qunit", Picks: nodePathPicks, Ecosystem: "node", Does: Tests, Output: Output{Format: "tap"}},
	{Names: "cypress", Picks: cypressPicks, Ecosystem: "node", Subs: []Sub{{"run", Tests | Runner}}, Output: Output{Format: "mocha"}},
	{Names: "wdio", Ecosystem: "node", Subs: []Sub{{"run", Tests}}},
	{Names: "react-scripts", Picks: reactPicks, Ecosystem: "node", Subs: []Sub{{"test", Tests | Runner}}},
	{Names: "ng", Picks: ngPicks, Ecosystem: "node", Subs: []Sub{{"test", Tests | Runner}}},
	{Names: "lerna", Picks: lernaPicks, Ecosystem: "node", Subs: []Sub{{"run test", Runner}, {"test", Tests}}, Dry: "-h"},
	{Names: "nx", Picks: nxPicks, Subs: []Sub{{"test", Umbrella | Runner}, {"run-many test|affected test", Runner}}, Inner: nxTarget, Dry: "--graph --print -h"},
	{Names: "turbo", Picks: turboPicks, Dry: "--dry -h", Subs: []Sub{{"test", Umbrella | Runner}, {"run test", Runner}}},
	{Names: "moon", Subs: []Sub{{":test", Umbrella}}},
	{Names: "tsc", Picks: tscPicks, Takes: testConfig, Does: Checks, Dry: lintShows, Writes: tscWrites, Output: Output{Format: "check"}},
	{Names: "tsserver", Does: Reads},
	{Names: "eslint", Picks: pathPicks, Takes: testConfig, Does: Checks, Dry: lintShows, Rewrites: &Rewrites{With: lintFixes}, Output: Output{Format: "check"}},
	{Names: "stylelint oxlint standard tslint", Picks: pathPicks, Rewrites: &Rewrites{With: lintFixes}, Output: Output{Format: "check"}},
	{Names: "prettier", Picks: pathPicks, Takes: testConfig, Does: Formats | Testless, Rewrites: &Rewrites{With: "-w --write"}},
	{Names: "biome", Picks: subPathPicks, Chooses: 1, Subs: []Sub{{"format", Formats}}, Writes: fixOnlyWrites},
	{Names: "nodemon", Inline: "--run --command -c -x --exec"},
	{Names: "prisma", Risks: []Risk{{Kind: DestroyData, Sub: "migrate reset"}, {Kind: DestroyData, Flags: "--force-reset"}}},
}

var node = Ecosystem{
	Name: "node", Title: "Node", Extensions: "js jsx mjs cjs ts tsx mts cts vue svelte astro",
	Roots: "package.json|deno.json|deno.jsonc", Own: "*.test *.spec *_test *_spec *.e2e *.cy *-test *-spec __tests__/*",
	Cases:     "\\b[xf]?(?:it|test)(?:\\.\\w+)*(?:\\([^()]*\\))?\\(\\s*['\"`]([^'\"`]+)",
	Skips:     `\b(?:it|test|describe|suite|context)\.(?:concurrent\.)?(?:skip|todo|fixme|skipIf|only|failing)\b|\b[xf](?:it|test|describe|context)\(|\bthis\.skip\(`,
	Manifests: "package.json pnpm-workspace.yaml deno.json", Resolve: "install them", Resolvers: "npm|pnpm|yarn|bun|npx|deno|tsc|node",
	TestFile: scriptTest,
	Projects: []Project{
		{
			Form: PackageJSON, Run: "npm",
			Counts: "bun test|jest|vitest|mocha|ava|playwright test|cypress run|react-scripts test|ng test|nx test|nx run-many test|nx affected test|turbo test|turbo run test|lerna run test|node --test|hardhat test",
			Locks:  []Lock{{"pnpm-lock.yaml|pnpm-workspace.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock|bun.lockb", "bun"}, {"package-lock.json|npm-shrinkwrap.json", "npm"}},
		},
		{Files: []string{"nx.json"}, TestFiles: true, Run: "npx nx run-many -t test", Counts: "nx test|nx run-many test|nx affected test"},
		{Files: []string{"turbo.json"}, Mentions: `"test"`, Run: "npx turbo run test", Counts: "turbo test|turbo run test"},
		{Files: []string{"lerna.json"}, TestFiles: true, Run: "npx lerna run test", Counts: "lerna run test|lerna test"},
		{Files: []string{"deno.json|deno.jsonc"}, TestFiles: true, Run: "deno test", Counts: "deno test|deno task test"},
		{Files: []string{"bun.lock|bun.lockb|bunfig.toml"}, TestFiles: true, Run: "bun test", Counts: "bun test|bun run test"},
	},
}

// nxTarget spells nx run-many --targets=lint,test as nx run-many test, and
// nx run app:test as nx test app.
func nxTarget(words []string) []string {
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		if Among("-t --target --targets", name) && slices.Contains(strings.Split(value, ","), "test") {
			return slices.Concat(words[:i], []string{"test"}, words[i+1:])
		}
		if app, ok := strings.CutSuffix(w, ":test"); ok && i == 2 && words[1] == "run" {
			return slices.Concat([]string{words[0], "test", app}, words[3:])
		}
	}
	return nil
}

const npmConfig = ".npmrc"

var npmSetting = Setting{File: npmConfig, Key: "script-shell", Runs: "npm test|pnpm test"}

// npmScript and yarnScript give `npm run test`, `yarn workspace web test` and
// `npm t` the form of `npm test`. A script that has the name of one of the
// manager's own commands keeps its run: npm ci is not npm run ci.
func npmScript(ops []string) []string { return packageScript(ops, " ci") }

func yarnScript(ops []string) []string { return packageScript(ops, "") }

func packageScript(ops []string, more string) []string {
	if len(ops) > 2 && ops[0] == "workspace" {
		ops = ops[2:]
	}
	if len(ops) > 2 && ops[0] == "workspaces" && Among("foreach run", ops[1]) {
		ops = ops[2:]
	}
	if len(ops) > 1 && Among("run run-script", ops[0]) {
		if Among("install add remove update publish pack version audit exec link init create list config"+more, ops[1]) {
			return slices.Concat([]string{"run"}, ops[1:])
		}
		return ops[1:]
	}
	if len(ops) > 0 && Among("t tst", ops[0]) {
		return slices.Concat([]string{"test"}, ops[1:])
	}
	return ops
}

// npmDryFlag knows the flag that makes scripts do nothing.
func npmDryFlag(_ Call, f Flag) string {
	if f.Name == "--script-shell" && idle(f.Value) {
		return f.Name
	}
	return ""
}

func idleShell(_ Call, _, value string) bool { return idle(value) }

// scriptWrites reads package managers: what a script changes is told by its name.
func scriptWrites(c Call) (named []string, others bool) {
	if Among("ls list view info outdated why ping whoami search config help", c.Operand(0)) {
		return nil, false
	}
	return nil, !verifies(c.Operand(0)) || updates(Read(c.Words, ""))
}

func tscWrites(c Call) (named []string, others bool) { return nil, !c.Has("--noEmit") }
