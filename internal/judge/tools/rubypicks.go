package tools

import (
	"slices"
	"strings"
)

var rspecPicks = []Picks{{
	Operand: linePlace, Paths: "-P --pattern", Leaves: "--exclude-pattern", Marks: "-t --tag", Again: "--only-failures --next-failure", Stops: "--fail-fast --next-failure",
	Values: "-t --tag -f --format -o --out -r --require -I -O --options --order --seed --failure-exit-code -j -n --bisect --default-path",
	Names:  []Chooser{{Flags: "-e --example", By: Contains}, {Flags: "-E --example-matches", By: Expr}},
}}

const minitestValues = "-s --seed -e --environment -b --backtrace -I -r -C"

var (
	minitestNames = []Chooser{{Flags: "-n --name --include", By: Expr}, {Flags: "--exclude -x", By: Expr, Not: true}}
	railsPicks    = []Picks{{Sub: "test", Operand: linePlace, Values: minitestValues, Names: minitestNames, Stops: "-f --fail-fast", More: minitest}, {Fixed: anyTarget, More: rakeVariables}}
	rubyPicks     = []Picks{{Operand: linePlace, Values: minitestValues, Names: minitestNames, More: minitest}}
	rakePicks     = []Picks{{Fixed: anyTarget, More: rakeVariables}}
	cucumberPicks = []Picks{{
		Operand: linePlace, Values: "-f --format -o --out -r --require -p --profile -t --tags -s --suite", Names: []Chooser{{Flags: "-n --name", By: Expr}}, Marks: "-t --tags --tag -s --suite", Stops: "--fail-fast --stop-on-failure",
	}}
)

// minitest reads -n: an expression between slashes, or a whole name.
func minitest(_ Call, _ Args, s *Scope) {
	for i, c := range s.Names {
		text := c.Texts[len(c.Texts)-1]
		if len(text) > 1 && text[0] == '/' && strings.LastIndexByte(text, '/') > 0 {
			s.Names[i].Texts = []string{text[1:strings.LastIndexByte(text, '/')]}
		} else {
			s.Names[i].By, s.Names[i].Texts = Exactly, []string{text}
		}
	}
}

// rakeVariables reads TEST=path and TESTOPTS=-n x; any other variable may choose.
func rakeVariables(_ Call, a Args, s *Scope) {
	for _, o := range a.Operands {
		name, value, ok := strings.Cut(o, "=")
		switch {
		case !ok || Among("RAILS_ENV RACK_ENV VERBOSE SEED COVERAGE CI N", name):
		case Among("TEST SPEC FILE PATTERN", name):
			s.add(linePlace, value)
		case Among("TESTOPTS TESTOPT OPTS SPEC_OPTS", name):
			inner := rubyPicks[0].args(NewCall(slices.Concat([]string{"rails"}, strings.Fields(strings.Trim(value, `"'`)))))
			rubyPicks[0].choices(inner, s)
			minitest(Call{}, inner, s)
		default:
			s.Unread = true
		}
	}
}

var (
	phpunitPicks = []Picks{phpunitWords("")}
	phpunitNames = []Chooser{{Flags: "--filter", By: Expr}, {Flags: "--exclude-filter", By: Expr, Not: true}}
)

func phpunitWords(sub string) Picks {
	return Picks{
		Sub: sub, Operand: pathPlace, Names: phpunitNames,
		Marks: "--group --exclude-group --testsuite --exclude-testsuite -c --configuration", Stops: "--stop-on-failure --stop-on-error --stop-on-defect --bail",
		Values: "--group --exclude-group --testsuite --exclude-testsuite -c --configuration --bootstrap --log-junit --order-by --random-order-seed -d --printer --whitelist --processes -p --runner --testdox-html --testdox-text --coverage-html --coverage-clover --coverage-text --coverage-filter --cache-directory",
	}
}

var (
	artisanPicks  = []Picks{phpunitWords("test")}
	codeceptPicks = []Picks{{Sub: "run", Operand: suitePlace, Values: "-g --group -s --skip -x --skip-group --env -c --config -o --override --ext -r", Marks: "-g --group -s --skip -x --skip-group --env", Stops: "-f --fail-fast"}}
)

// suitePlace is a path with a test, or a suite, which only settings place.
func suitePlace(word string) Place {
	if !strings.Contains(word, "/") {
		return Place{Path: "$" + word}
	}
	file, test, _ := strings.Cut(word, ":")
	p := pathPlace(file)
	p.Test = test
	return p
}

var (
	mixPicks = []Picks{{
		Sub: "test|coveralls", Operand: linePlace, Marks: "--only --exclude --stale --partitions", Again: "--failed", Stops: "--max-failures",
		Values: "--only --include --exclude --seed --max-failures --formatter --timeout --partitions --slowest --exit-status --warnings-as-errors --profile-require --max-cases",
	}}
	ctestPicks = []Picks{{
		Fixed: anyTarget, Names: []Chooser{{Flags: "-R --tests-regex", By: Expr}, {Flags: "-E --exclude-regex", By: Expr, Not: true}}, Marks: "-L --label-regex -LE --label-exclude -I --tests-information", Again: "--rerun-failed", Stops: "--stop-on-failure",
		Values: "-L --label-regex -LE --label-exclude -I --tests-information -j --parallel --test-dir -C --build-config --timeout -O --output-log -M -T -S -D --preset --repeat --output-junit -FA -FS -FC --schedule-random --max-width",
	}}
	mesonPicks = []Picks{{Sub: "test", Fixed: anyTarget, Values: "-C --suite --no-suite --repeat -t --timeout-multiplier -j --num-processes --logbase --wrapper --setup --test-args --maxfail", Marks: "--suite --no-suite --setup", Stops: "--maxfail", More: mesonNames}}
	swiftPicks = []Picks{{
		Sub: "test|build", Fixed: anyTarget, Roots: "--package-path", Names: []Chooser{{Flags: "--filter", By: Expr}, {Flags: "--skip", By: Expr, Not: true}},
		Values: "-c --configuration --scratch-path --build-path --num-workers --xunit-output --target --product -Xswiftc -Xlinker",
	}}
	zigPicks  = []Picks{{Sub: "build test|build", Fixed: anyTarget, Names: []Chooser{{Flags: "-Dtest-filter --test-filter", By: Contains}}}, {Sub: "test", Operand: pathPlace, Values: "-target -O -mcpu --name --cache-dir", Names: []Chooser{{Flags: "--test-filter", By: Contains}}}}
	dartPicks = []Picks{{
		Sub: "test|analyze", Operand: queryPlace, Names: []Chooser{{Flags: "-n --name", By: Expr}, {Flags: "-N --plain-name", By: Contains}}, Marks: "-t --tags -x --exclude-tags --total-shards --shard-index -P --preset", Stops: "--fail-fast",
		Values: "-t --tags -x --exclude-tags -p --platform -P --preset -j --concurrency -r --reporter --file-reporter --coverage --timeout --total-shards --shard-index --test-randomize-ordering-seed --dart-define -d --device-id --flavor --coverage-path",
	}}
	batsPicks = []Picks{{
		Operand: pathPlace, Names: []Chooser{{Flags: "-f --filter", By: Expr}}, Marks: "--filter-tags --filter-status", Stops: "--abort",
		Values: "--filter-tags --filter-status -F --formatter -j --jobs -o --output --report-formatter --setup-suite-file --gather-test-outputs-in --line-reference-format --parallel-binary-name",
	}}
	packagePicks = []Picks{{Sub: "test|build", Operand: func(word string) Place { of, _, _ := strings.Cut(word, ":"); return Place{Of: of} }, Values: "--test-arguments --ta --test-option --test-options --ghc-options -j --flag --stack-yaml", Marks: "--test-arguments --ta --test-option --test-options"}}
)

// mesonNames reads the names of tests: project:name.
func mesonNames(_ Call, a Args, s *Scope) {
	if len(a.Operands) > 0 {
		s.Names, s.Said = append(s.Names, Choice{By: Exactly, Texts: a.Operands}), append(s.Said, a.Operands...)
	}
}

// queryPlace is a path with a line behind it, as Dart has it: x_test.dart?line=12.
func queryPlace(word string) Place {
	file, query, _ := strings.Cut(word, "?")
	p := Place{Path: slashed(file)}
	if line, ok := strings.CutPrefix(query, "line="); ok {
		p.Test = ":" + line
	}
	return p
}
