package tools

import (
	"strings"
)

const pytestValues = "-k -m -n -c -p -o -W -r --rootdir --maxfail --timeout --timeout-method --durations --durations-min --junitxml --junit-xml --junit-prefix --confcutdir --basetemp --config-file " +
	"--log-level --log-cli-level --log-file --log-format --log-cli-format --log-file-level --tb --color --capture --show-capture --import-mode --cov --cov-report --cov-config --cov-fail-under --cov-context " +
	"--dist --tx --numprocesses --maxprocesses --reruns --reruns-delay --only-rerun --override-ini --ds --dc --asyncio-mode --html --count --seed --browser --base-url --env --alluredir --splits --group " +
	"--shard-id --num-shards --verbosity --doctest-glob --hypothesis-seed --hypothesis-profile --randomly-seed --parallel --workers --tests-per-worker --instafail --pdbcls --debug --cache-show --pastebin"

var pytestPicks = []Picks{{
	Values: pytestValues, Operand: nodePlace, Leaves: "--ignore --ignore-glob --deselect",
	Names: []Chooser{{Flags: "-k", By: Keywords}}, Marks: "-m --markexpr --testmon --picked --group --splits --shard-id --runslow --runxfail",
	Again: "--lf --last-failed --sw --stepwise", Stops: "-x --exitfirst --maxfail --sw --stepwise", More: pytestWords,
}}

var unittestPicks = []Picks{
	{Sub: "discover", Values: unittestValues, Operand: pathPlace, Paths: "-s --start-directory", Names: []Chooser{{Flags: "-k", By: Contains}}, Stops: "-f --failfast", More: discovered},
	{Values: unittestValues, Operand: dottedPlace, Paths: "-s --start-directory", Names: []Chooser{{Flags: "-k", By: Contains}}, Stops: "-f --failfast", More: discovered},
}

const unittestValues = "-p --pattern -t --top-level-directory --durations"

var modulePicks = []Picks{{Values: "-c --config --log-level --log-file --plugin --exclude-plugin -j --jobs --reporter --temp-directory --rterrors", Operand: dottedPlace, Roots: "-s --start-dir", Stops: "-F --fail-fast -x --exitfirst"}}

var wardPicks = []Picks{{Fixed: anyTarget, Paths: "--path", Operand: pathPlace, Values: "--search --tags --fail-limit --order --test-output-style --progress-style --config --exclude", Marks: "--search --tags", Leaves: "--exclude", Stops: "--fail-limit"}}

// environmentPicks are those of tox and nox, which hand what stands after -- to a
// command that their file names.
var environmentPicks = []Picks{{
	Values: "-e -s --session --sessions --env -p --python -k --keywords -t --tags -c --conf -f --noxfile --workdir --result-json -x --override --parallel -o --skip-env --installpkg",
	Marks:  "-k --keywords -t --tags --skip-env -m --factor", Stops: "-x --stop-on-first-error --fail-fast",
}}

var djangoPicks = []Picks{{
	Sub: "test", Operand: dottedPlace, Values: "--settings --tag --exclude-tag -v --verbosity --parallel -p --pattern --testrunner --top-level-directory -t --pythonpath --seed",
	Names: []Chooser{{Flags: "-k", By: Contains}}, Marks: "--tag --exclude-tag -p --pattern", Stops: "--failfast",
}}

var pathPicks = []Picks{{Values: checkerValues, Operand: pathPlace}}

var subPathPicks = []Picks{{Sub: "check|lint|format|ci|fmt", Values: checkerValues, Operand: pathPlace, Leaves: "--exclude"}, {Values: checkerValues, Operand: pathPlace, Leaves: "--exclude"}}

const checkerValues = "-c --config --config-file --config-path --rcfile --select --ignore --extend-select --extend-ignore --output-format --line-length --max-line-length --target-version --python-version --platform --python-executable " +
	"--cache-dir --exclude --ext --rule --parser --plugin --format -f --max-warnings --ignore-path --ignore-pattern -o --output-file --cache-location --rulesdir --env --global --fail-under --disable --enable -j --jobs " +
	"--pythonpath --pythonversion --pythonplatform --venvpath --venv-path --level --error-on-warnings --per-file-ignores --import-mode -l -t --profile --tsconfig --parser-options --no-warn-ignored --report --reporter --max-diagnostics"

var mypyPicks = []Picks{{Values: checkerValues + " -p --package -m --module", Operand: pathPlace, Leaves: "--exclude", More: modules}}

// pytestWords knows how --deselect names tests, and -m with nothing in it.
func pytestWords(_ Call, a Args, s *Scope) {
	for i, p := range s.Places {
		if file, test, ok := strings.Cut(p.Path, "::"); p.Not && ok {
			s.Places[i].Path, s.Places[i].Test = slashed(file), test
		}
	}
	if a.Has("--pyargs") {
		for i, p := range s.Places {
			if !p.Not && !strings.Contains(p.Path, "/") && !strings.HasSuffix(p.Path, ".py") {
				s.Places[i].Shape, s.Places[i].Path = Dotted, strings.ReplaceAll(p.Path, ".", "/")
			}
		}
	}
}

// discovered knows the files that unittest's discovery looks for.
func discovered(_ Call, a Args, s *Scope) {
	for _, glob := range a.Values("-p --pattern") {
		if glob == "test*.py" || glob == "test_*.py" {
			continue
		}
		under := ""
		if len(s.Places) > 0 {
			under = s.Places[0].Path
		}
		s.Places = []Place{{Shape: PathGlob, Path: "**/" + glob, Under: under}}
	}
	for i, c := range s.Names {
		for _, text := range c.Texts {
			if strings.Contains(text, "*") {
				s.Names[i].By = Globbed
			}
		}
	}
}

// modules reads -p and -m.
func modules(_ Call, a Args, s *Scope) {
	for _, name := range a.Values("-p --package -m --module") {
		s.add(dottedPlace, name)
	}
}
