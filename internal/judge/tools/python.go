package tools

import "strings"

const condaTakes = "-n --name -p --prefix --cwd"

var pythonTools = []Tool{
	{
		Names: "python", Aliases: "py", Versioned: true, Installed: true, Does: Subject | Variable, Subs: []Sub{{"-V", Testless}, {"-c", Program}},
		Script: &Interpreter{Takes: "-W -X", Text: "c", Module: true},
	},
	{
		Names: "pytest", Picks: pytestPicks, Aliases: "py.test", Versioned: true, Installed: true, Ecosystem: "python", Paths: true, Does: Tests | Variable | Runner,
		Takes: "-k -m -n -c -p -o -W --rootdir --maxfail --timeout --durations --junitxml", Project: "--rootdir --config-file -c",
		Dry: "--collect-only --co --fixtures --fixtures-per-test --markers --setup-plan --setup-only --cache-show -h -V", DryEnv: "PYTEST_ADDOPTS", Writes: snapshotWrites,
		Output: Output{Format: "pytest"},
	},
	{Names: "unittest", Picks: unittestPicks, Ecosystem: "python", Paths: true, Does: Exported | Tests | Runner, Writes: snapshotWrites, Output: Output{Format: "unittest"}},
	{Names: "nose2 trial", Picks: modulePicks, Ecosystem: "python", Does: Tests | Runner, Output: Output{Format: "unittest"}},
	{Names: "ward", Picks: wardPicks, Ecosystem: "python", Does: Tests},
	{Names: "tox", Picks: environmentPicks, Installed: true, Ecosystem: "python", Does: Tests | Runner | Reads, Project: "-c --conf", Dry: "-l -a --listenvs --listenvs-all -n --notest -h", DrySubs: "list|config|devenv|quickstart|depends", DryCall: onlyLints, DryEnv: "TOXENV", DryValue: chosenLints},
	{Names: "nox", Picks: environmentPicks, Installed: true, Ecosystem: "python", Does: Tests | Runner | Reads, Project: "-f --noxfile", Dry: "-l --list --list-sessions --install-only -h", DryCall: onlyLints, DryEnv: "NOXSESSION", DryValue: chosenLints},
	{Names: "manage.py", Picks: djangoPicks, Ecosystem: "python", Subs: []Sub{{"test", Tests | Runner}}, Risks: []Risk{{Kind: DestroyData, Sub: "flush|reset_db"}}, Output: Output{Format: "unittest pytest"}},
	{Names: "django-admin", Risks: []Risk{{Kind: DestroyData, Sub: "flush|reset_db"}}},
	{Names: "django setup.py", Picks: djangoPicks, Ecosystem: "python", Subs: []Sub{{"test", Tests}}, Output: Output{Format: "unittest pytest"}},
	{
		Names: "poe", Ecosystem: "python", Chooses: 1, Subs: []Sub{{"test", Tests | Runner}}, Takes: "-C --directory -e --executor", Dry: "-d -h",
		Targets: &Targets{Files: "pyproject.toml poe_tasks.toml", Form: Tabled, Tables: "tool.poe.tasks|tasks", Mentions: "tasks", Lists: "tasks", Goal: "default", Calls: "poe", Climbs: true},
	},
	{Names: "inv", Ecosystem: "python", Subs: []Sub{{"test", Tests}}},
	{Names: "invoke", Ecosystem: "python", Subs: []Sub{{"test", Tests}}, Writes: taskWrites},
	{Names: "uv", Installed: true, Chooses: 1, Does: Subject, Takes: "--directory --project", Folder: "--directory", Project: "--project", Subs: []Sub{{"sync", Installs | Testless}, {"pip", Installs | Testless}, {"add|lock", Installs}},
		Wraps: []Wrap{
			{Sub: "run", Takes: "--with --with-editable --with-requirements --python -p --extra --group --only-group --no-group --env-file --directory --project --package --index"},
			{Sub: "tool run", Takes: "--with --from --python -p"},
		}},
	{Names: "uvx", Wraps: []Wrap{{Takes: "--with --from --python -p"}}},
	{Names: "pip", Versioned: true, Chooses: 1, Does: Testless | Subject, Subs: []Sub{{"show|list", Prints}, {"check", Asks}, {"install", Installs}}, Writes: listsOnly},
	{Names: "pipx", Wraps: []Wrap{{Sub: "run", Takes: "--spec --python"}}},
	{Names: "poetry", Chooses: 1, Does: Subject, Takes: "-C --directory -P --project", Folder: "-C --dir --directory", Project: "--project", Subs: []Sub{{"install", Installs | Testless}, {"add|lock", Installs}}, Wraps: []Wrap{{Sub: "run"}}},
	{Names: "pipenv", Ecosystem: "python", Chooses: 1, Subs: []Sub{{"install", Installs}}, Wraps: []Wrap{{Sub: "run", Scripts: true}},
		Targets: &Targets{Files: "Pipfile", Form: Tabled, Tables: "scripts", Mentions: "scripts", Lists: "words", Goal: "default", Calls: "pipenv run", Verb: "run", Must: true, Climbs: true}},
	{Names: "pdm", Ecosystem: "python", Chooses: 1, Project: "--project", Subs: []Sub{{"run test", Tests | Runner}, {"test", Tests}, {"install|add", Installs}}, Wraps: []Wrap{{Sub: "run", Takes: "-p --project", Not: "-l --list", Scripts: true}},
		Targets: &Targets{Files: "pyproject.toml", Form: Tabled, Tables: "tool.pdm.scripts", Mentions: "pdm", Lists: "commands", Goal: "default", Calls: "pdm run|pdm", Verb: "run", Climbs: true}},
	{Names: "hatch", Ecosystem: "python", Chooses: 1, Takes: "-e --env -p --project", Project: "--project", Subs: []Sub{{"test|run test", Tests | Runner}}, Spell: hatchEnvironment, Wraps: []Wrap{{Sub: "run", Inner: hatchScript, Scripts: true}},
		Targets: &Targets{Files: "hatch.toml pyproject.toml", Form: Tabled, Tables: "tool.hatch.envs.*.scripts|envs.*.scripts", Mentions: "scripts", Lists: "commands", Goal: "default", Calls: "hatch run", Verb: "run", Must: true, Climbs: true}},
	{Names: "rye", Ecosystem: "python", Chooses: 1, Subs: []Sub{{"test", Tests}}, Wraps: []Wrap{{Sub: "run", Scripts: true}},
		Targets: &Targets{Files: "pyproject.toml", Form: Tabled, Tables: "tool.rye.scripts", Mentions: "rye", Lists: "words", Goal: "default", Calls: "rye run", Verb: "run", Must: true, Climbs: true}},
	{Names: "pixi", Ecosystem: "python", Chooses: 1, Subs: []Sub{{"run test", Tests | Runner}}, Takes: "-e --environment --manifest-path", Wraps: []Wrap{{Sub: "run", Takes: "-e --environment --manifest-path", Scripts: true}},
		Targets: &Targets{Files: "pixi.toml pyproject.toml", Form: Tabled, Tables: "tasks|feature.*.tasks|tool.pixi.tasks|tool.pixi.feature.*.tasks", Mentions: "tasks", Lists: "words", Goal: "default", Calls: "pixi run", Verb: "run", Must: true, Climbs: true}},
	{Names: "conda mamba micromamba", Wraps: []Wrap{{Sub: "run", Takes: condaTakes}}},
	{Names: "coverage", Wraps: []Wrap{{Sub: "run", Takes: "--source --omit --include --rcfile --data-file"}}},
	{Names: "pyenv", Wraps: []Wrap{{Sub: "exec"}}},
	{Names: "dotenv", Takes: "-e -f -p", Wraps: []Wrap{{Sub: "run", Takes: "-e -f -c -v --file"}, {Takes: "-e -f -c -v --file -p"}}},
	{Names: "ruff", Picks: subPathPicks, Chooses: 1, Dry: lintShows, Subs: []Sub{{"check", Checks}, {"format", Formats}}, Writes: subcommandWrites, Output: Output{Format: "check"}},
	{Names: "mypy", Picks: mypyPicks, Does: Checks | Reads, Dry: lintShows, Output: Output{Format: "check"}},
	{Names: "pyright flake8 pylint", Picks: pathPicks, Does: Checks | Reads, Output: Output{Format: "check"}},
	{Names: "bandit vulture", Does: Reads},
	{Names: "black", Picks: pathPicks, Does: Formats | Testless, Rewrites: &Rewrites{Unless: checksOnly}},
	{Names: "isort", Does: Formats | Testless, Rewrites: &Rewrites{Unless: checksOnly + " -c"}},
	{Names: "docformatter", Rewrites: &Rewrites{Unless: checksOnly}},
	{Names: "autopep8 yapf", Does: Formats, Rewrites: &Rewrites{With: "--in-place", Letters: "i"}},
	{Names: "alembic", Does: Subject},
	{Names: "activate", Does: Reads},
}

var python = Ecosystem{
	Name: "python", Title: "Python", Extensions: "py pyi pyx",
	Roots: "pyproject.toml|setup.py|setup.cfg|Pipfile|requirements.txt|manage.py|tox.ini", Own: "test_* *_test *_tests",
	Cases:     `(?m)^\s*(?:async )?def (test\w*)\(`,
	Skips:     `pytest\.mark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?skip(?:If|Unless)?\b|@(?:unittest\.)?expectedFailure|pytest\.skip\(|\.skipTest\(|collect_ignore|__test__ *= *False`,
	Tests:     "**/test_*.py **/*_test.py **/conftest.py",
	Manifests: "pyproject.toml setup.py setup.cfg Pipfile requirements*.txt requirements*.in constraints*.txt environment.yml", Resolve: "install them",
	Resolvers: "pip|uv|uvx|poetry|pipenv|pdm|hatch|rye|pixi|conda|mamba|tox|nox|python|pytest|ruff|mypy|black|make install|make sync|make deps",
	TestFile: func(name string) bool {
		return strings.HasSuffix(name, ".py") && strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py") || name == "tests.py"
	},
	Projects: []Project{{
		Form: Scattered, Run: "pytest", Counts: "pytest|unittest|tox|nox|hatch test|manage.py test",
		Loose: &Loose{
			Config: "pytest.ini", Top: "conftest.py", Configs: "pyproject.toml|setup.cfg|tox.ini|noxfile.py|requirements.txt|requirements-dev.txt|requirements-test.txt|dev-requirements.txt|Pipfile", Marks: "setup.py|manage.py|Pipfile",
			Own:     Lock{"manage.py", "python manage.py test"},
			Library: Library{Mentions: "unittest", Run: "python -m unittest", Folder: "python -m unittest discover -s", Marks: "__init__.py"},
		},
		Locks: []Lock{{"uv.lock", "uv run pytest"}, {"poetry.lock", "poetry run pytest"}, {"pdm.lock", "pdm run pytest"}, {"Pipfile.lock", "pipenv run pytest"}},
	}},
}

const pythonConfig = "pytest.ini tox.ini setup.cfg pyproject.toml"

var pythonSetting = Setting{Key: "addopts", Runs: "pytest", Dry: true}

// onlyLints is the flag by which tox or nox is told to run environments of which
// none tests, by their names.
func onlyLints(c Call) string {
	names := c.Operands[:len(c.Operands)-len(c.Rest)]
	chosen := ""
	for _, f := range c.Flags {
		if Among("-e -s --session --sessions --env", f.Name) {
			chosen = f.Name
			if f.Value != "" {
				names = append(names[:len(names):len(names)], f.Value)
			}
		}
	}
	for _, list := range names {
		for name := range strings.SplitSeq(list, ",") {
			if !Among("lint linters flake8 ruff black format fmt style isort type types typing mypy pyright typecheck docs doc build pkg publish release pre-commit", name) {
				return ""
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return chosen
}

func chosenLints(_ Call, _, value string) bool {
	return onlyLints(Call{Args: Read([]string{"", "-e", value}, "-e")}) != ""
}

// hatchEnvironment takes the environment off: hatch run +py=3.11 test:pytest.
func hatchEnvironment(ops []string) []string {
	var named []string
	for _, op := range ops {
		if !strings.HasPrefix(op, "+") {
			named = append(named, op)
		}
	}
	if len(named) > 1 && named[0] == "run" {
		return append(append(named[:1:1], strings.Split(named[1], ":")...), named[2:]...)
	}
	return ops
}

func hatchScript(words []string) []string {
	for len(words) > 1 && strings.HasPrefix(words[0], "+") {
		words = words[1:]
	}
	if _, script, ok := strings.Cut(words[0], ":"); ok && script != "" {
		return append([]string{script}, words[1:]...)
	}
	return words
}
