package project_test

import (
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/judge/shell"
)

// counted tells whether a line runs the tests of one of the commands found.
func counted(t *testing.T, found []project.TestCommand, line string) bool {
	t.Helper()
	parsed, err := shell.Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return slices.ContainsFunc(parsed, func(c shell.Command) bool {
		return slices.ContainsFunc(found, func(x project.TestCommand) bool {
			return c.Matches(x.Run) || slices.ContainsFunc(x.Matches, c.Matches)
		})
	})
}

// The project's own entry points: what is asked for, and what counts.
func TestEntryPoints(t *testing.T) {
	const goTree, goTests = "go.mod", "go test ./... (go)"
	for _, c := range []struct {
		name    string
		files   []string
		want    string
		yes, no []string
	}{
		{"mise", []string{goTree, "", "x_test.go", "", "mise.toml", "[tools]\ngo = '1.26'\n[tasks.test]\ndescription = 'x'\nrun = 'go test ./...'\n[tasks.lint]\nrun = 'golangci-lint run'\n"},
			"mise run test, " + goTests, []string{"mise run test", "mise r test", "mise test", "mise tasks run test", "mise --cd . run test"}, []string{"mise run lint", "mise install", "mise exec -- golangci-lint run", "mise run lint test"}},
		{"mise's integration tests", []string{goTree, "", ".mise.toml", "tasks.\"test:integration\" = { run = ['go test ./integration_test/...'], depends = ['build'] }\n[tasks]\nbuild = 'go build'\ncheck = { depends = ['lint', 'test:integration'] }\nlint = 'x'\n"},
			"mise run check", []string{"mise run test:integration", "mise run check"}, []string{"mise run build"}},
		{"mise's text of several lines", []string{"mise/config.toml", "[tasks.all]\nrun = '''\n#!/usr/bin/env bash\nset -e\ncd web\nbun test\n'''\nalias = 'al'\n[tasks.test]\nrun = [{ task = 'all' }]\n"},
			"mise run test", []string{"mise run all", "mise al"}, nil},
		{"mise's files of tasks", []string{"mise-tasks/test", "#!/usr/bin/env bash\n#MISE depends=[\"build\"]\ngo test ./...\n", "mise-tasks/db/reset", "#!/bin/sh\nmake db\n", ".mise/tasks/all.sh", "#!/bin/sh\nmise run test\n"},
			"mise run test", []string{"mise run test", "mise all"}, []string{"mise run db:reset"}},
		{"mise tasks that test nothing", []string{"mise.toml", "[tasks.test]\nrun = 'true'\n"}, "", nil, nil},
		{"a broken mise.toml", []string{"mise.toml", "[tasks.test]\nrun = 'go test\n"}, "mise run test", nil, nil},
		{"devbox", []string{"devbox.json", "{ // x\n \"shell\": {\"scripts\": {\"test\": [\"go vet\", \"go test ./...\"], \"fmt\": \"gofmt -w .\",}}}"},
			"devbox run test", []string{"devbox run test"}, []string{"devbox run fmt", "devbox shell"}},
		{"bun without run", []string{"package.json", `{"scripts":{"check":"biome check && bun test","build":"bun test"}}`, "bun.lock", ""},
			"bun run check (node)", []string{"bun run check", "bun check", "npm run check", "yarn check", "pnpm check"}, []string{"bun install", "bun build"}},
		{"deno's tasks", []string{"deno.jsonc", "{ // tasks\n\"tasks\": {\"test\": \"deno test -A\", \"ci\": {\"command\": \"deno lint\", \"dependencies\": [\"test\"]}}}", "a_test.ts", ""},
			"deno task test (node), deno test (node)", []string{"deno task test", "deno task ci", "deno test"}, []string{"deno lint"}},
		{"poe", []string{"pyproject.toml", "[tool.poe.tasks]\ntest = 'pytest -q'\nlint = 'ruff check'\nall = ['lint', 'test']\n", "tests/test_a.py", ""},
			"poe test (python), pytest (python)", []string{"poe test", "uv run poe test", "poe all"}, []string{"poe lint"}},
		{"pdm", []string{"pyproject.toml", "[tool.pdm.scripts]\ncov = {cmd = ['pytest', '--cov']}\nall = {composite = ['lint', 'cov']}\nlint = 'ruff check'\n", "tests/test_a.py", "", "pdm.lock", ""},
			"pdm run pytest (python)", []string{"pdm run cov", "pdm run all", "pdm run pytest"}, []string{"pdm run lint"}},
		{"hatch", []string{"pyproject.toml", "[tool.hatch.envs.default.scripts]\ncov = ['pytest --cov', 'coverage report']\nfull = ['cov']\ntypes = 'mypy'\n", "tests/test_a.py", ""},
			"pytest (python)", []string{"hatch run cov", "hatch run full", "hatch run default:cov"}, []string{"hatch run types"}},
		{"pixi", []string{"pixi.toml", "[tasks]\ntest = { cmd = 'pytest', depends-on = ['build'] }\nbuild = 'x'\n"}, "pixi run test (python)", []string{"pixi run test"}, []string{"pixi run build"}},
		{"cargo-make", []string{"Cargo.toml", "", "Makefile.toml", "[tasks.verify]\ndependencies = ['unit']\n[tasks.unit]\ncommand = 'cargo'\nargs = ['nextest', 'run']\n[tasks.fmt]\ncommand = 'cargo'\nargs = ['fmt']\n"},
			"cargo make unit (rust), cargo test (rust)", []string{"cargo make verify", "makers unit", "cargo make unit", "cargo test"}, []string{"cargo make fmt", "cargo build"}},
		{"rake", []string{"Gemfile", "", "Rakefile", "require 'rspec/core/rake_task'\nRSpec::Core::RakeTask.new(:spec)\nRake::TestTask.new do |t|\nend\ntask default: [:spec, :rubocop]\ntask :lint => :rubocop\n", "test/a_test.rb", ""},
			"bundle exec rake test (ruby)", []string{"rake", "bundle exec rake", "rake spec", "bundle exec rake test", "rake default"}, []string{"rake lint"}},
		{"mix", []string{"mix.exs", "defmodule X do\n  defp aliases do\n    [\n      precommit: [\"format\", \"test\"],\n      setup: [\"deps.get\"],\n      \"ecto.reset\": [\"ecto.drop\"]\n    ]\n  end\nend\n", "test/a_test.exs", ""},
			"mix test (elixir)", []string{"mix precommit", "mix test"}, []string{"mix setup"}},
		{"pre-commit", []string{"pyproject.toml", "", "test_a.py", "", ".pre-commit-config.yaml", "repos:\n- repo: local\n  hooks:\n  - id: unit\n    entry: pytest -q\n    language: system\n  - id: types\n    entry: mypy\n"},
			"pytest (python)", []string{"pre-commit run --all-files", "pre-commit run unit", "uvx pre-commit run -a"}, []string{"pre-commit run types", "pre-commit install"}},
		{"pre-commit that only lints", []string{"pyproject.toml", "", "test_a.py", "", ".pre-commit-config.yaml", "repos:\n- repo: https://x\n  hooks:\n  - id: ruff\n"}, "pytest (python)", nil, []string{"pre-commit run --all-files"}},
		{"a script named check", []string{goTree, "", "x_test.go", "", "check", "#!/usr/bin/env bash\nset -e\ngo vet ./...\ngo test ./...\n"}, "./check, " + goTests, []string{"./check", "bash check", "go test ./..."}, []string{"check-spelling"}},
		{"a script named check that lints", []string{goTree, "", "x_test.go", "", "check", "#!/bin/sh\ngo vet ./...\n"}, goTests, nil, []string{"./check"}},
		{"a script named test", []string{"test", "#!/bin/sh\nexec go test ./...\n"}, "./test", []string{"./test", "sh ./test"}, []string{"test -f x", "[ -f x ]", "/usr/bin/test -d y"}},
		{"a script named test in another language", []string{"test", "#!/usr/bin/env python3\nimport pytest\n"}, "./test", []string{"./test"}, []string{"test -f x"}},
		{"a folder named test is not a script", []string{"test/a.txt", "", "ci/x", ""}, "", nil, nil},
		{"a script below bin", []string{"bin/test", "#!/bin/sh\n./run\n"}, "./bin/test", []string{"bin/test", "./bin/test"}, []string{"test -f x"}},
		{"CMake's targets", []string{"CMakeLists.txt", "enable_testing()\n"}, "ctest --test-dir build (c)", []string{"ctest", "cmake --build build --target test", "cmake --build build -j8 -t check", "make -C build test", "ninja -C build test"}, []string{"cmake --build build", "cmake -S . -B build", "cmake --build build --target install"}},
		{"unittest only", []string{"setup.py", "", "tests/__init__.py", "", "tests/test_a.py", "import unittest\n"}, "python -m unittest (python)", []string{"python -m unittest", "python3 -m unittest discover -v"}, nil},
		{"unittest in a folder that is not a package", []string{"pyproject.toml", "", "tests/test_a.py", "from unittest import TestCase\n"}, "python -m unittest discover -s tests (python)", []string{"python -m unittest discover -s tests"}, nil},
		{"unittest beside uv", []string{"pyproject.toml", "", "uv.lock", "", "test_a.py", "import unittest\n"}, "uv run python -m unittest (python)", []string{"uv run python -m unittest"}, nil},
		{"pytest with mocks of unittest", []string{"pyproject.toml", "", "tests/test_a.py", "import pytest\nfrom unittest import mock\n"}, "pytest (python)", []string{"pytest"}, nil},
		{"a project that names pytest", []string{"pyproject.toml", "[dependency-groups]\ndev = ['pytest']\n", "tests/test_a.py", "import unittest\n"}, "pytest (python)", nil, nil},
		{"gradlew at the root", []string{"settings.gradle", "", "gradlew", "", "app/build.gradle", "", "app/src/test/java/XTest.java", ""}, "./gradlew test (java)", []string{"./gradlew test", "./gradlew :app:test", "gradle check"}, []string{"./gradlew tasks"}},
		{"mvnw at the root", []string{"pom.xml", "", "mvnw", "", "core/pom.xml", ""}, "./mvnw test (java)", []string{"./mvnw -pl core test"}, nil},
		{"bundle exec", []string{"Gemfile", "", "Rakefile", "", "test/a_test.rb", ""}, "bundle exec rake test (ruby)", []string{"rake test", "bundle exec rake test"}, nil},
		{"nx", []string{"nx.json", "{}", "package.json", "{}", "libs/a/src/a.spec.ts", ""}, "npx nx run-many -t test (node)", []string{"nx test", "npx nx run-many -t test", "nx affected --target=test", "nx run-many --targets=lint,test", "nx run app:test", "pnpm nx test app"}, []string{"nx build app", "nx run-many -t lint", "nx run app:build"}},
		{"turbo", []string{"turbo.json", `{"tasks":{"test":{}}}`, "package.json", "{}"}, "npx turbo run test (node)", []string{"turbo run test", "turbo test --filter web"}, []string{"turbo run build"}},
		{"lerna", []string{"lerna.json", "{}", "packages/a/a.test.js", ""}, "npx lerna run test (node)", []string{"lerna run test"}, []string{"lerna bootstrap"}},
		{"bats", []string{"test/a.bats", ""}, "bats -r test (bats)", []string{"bats test", "bats -r test"}, nil},
		{"R", []string{"DESCRIPTION", "", "tests/testthat/test-a.R", ""}, `Rscript -e "devtools::test()" (r)`, []string{`Rscript -e 'devtools::test()'`, "R CMD check .", `R --slow -e "testthat::test_local()"`, "Rscript tests/testthat.R", "Rscript -e 'library(testthat); test_dir(\"tests\")'"}, []string{"R CMD build .", "Rscript -e 'print(1)'"}},
		{"Julia", []string{"Project.toml", "", "test/runtests.jl", ""}, `julia --project -e "using Pkg; Pkg.test()" (julia)`, []string{`julia --project -e 'using Pkg; Pkg.test()'`, "julia --project=. test/runtests.jl", `julia -e 'import Pkg; Pkg.test(coverage=true)'`}, []string{`julia -e 'println(1)'`}},
		{"Lua", []string{".busted", "", "spec/a_spec.lua", ""}, "busted (lua)", []string{"busted", "luarocks test", "nvim --headless -c 'PlenaryBustedDirectory spec/'"}, []string{"lua a.lua"}},
		{"Foundry", []string{"foundry.toml", "", "test/A.t.sol", ""}, "forge test (solidity)", []string{"forge test -vvv", "forge coverage"}, []string{"forge build"}},
		{"Hardhat", []string{"hardhat.config.ts", "", "test/a.ts", ""}, "npx hardhat test (solidity)", []string{"npx hardhat test"}, []string{"npx hardhat compile"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := project.AtRoot(tree(t, c.files...)).Commands()
			if got := shown(found); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			for _, line := range c.yes {
				if !counted(t, found, line) {
					t.Errorf("%q does not count, want it to: %+v", line, found)
				}
			}
			for _, line := range c.no {
				if counted(t, found, line) {
					t.Errorf("%q counts, want it not to: %+v", line, found)
				}
			}
		})
	}
}

// What runs another program counts as what it runs.
func TestWrappedEntries(t *testing.T) {
	root := tree(t, "go.mod", "", "x_test.go", "", "mise.toml", "[tasks.test]\nrun = 'go test ./...'\n")
	found := project.AtRoot(root).Commands()
	for _, line := range []string{
		"rtk go test ./...", "rtk test go test ./...", "rtk proxy go test ./...", "rtk mise run test",
		"devbox run -- go test ./...", "devbox run go test ./...", "direnv exec . go test ./...",
		"nix develop -c go test ./...", "nix develop --command bash -c 'go test ./...'", "nix-shell --run 'go test ./...'", "nix-shell -p go --run 'mise run test'",
		"mise exec -- go test ./...", "mise x go@1.26 -- go test ./...", "devenv shell -- go test ./...", "flox activate -- go test ./...",
		"dotenvx run -f .env -- go test ./...", "op run --env-file=.env -- go test ./...", "infisical run --env=dev -- go test ./...", "doppler run -- go test ./...", "doppler run --command 'go test ./...'",
		"sops exec-env secrets.yaml 'go test ./...'", "time go test ./...", "nice -n 5 go test ./...", "timeout 60 mise run test",
		"bundle exec go test ./...", "uv run go test ./...", "poetry run go test ./...",
	} {
		if !counted(t, found, line) {
			t.Errorf("%q does not count, want it to", line)
		}
	}
	for _, line := range []string{"ssh host 'go test ./...'", "rtk git status", "op item get x", "sops -d x", "mise exec -- go build", "devbox run mytest"} {
		if counted(t, found, line) {
			t.Errorf("%q counts, want it not to", line)
		}
	}
}
