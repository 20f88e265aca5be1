package tools

import (
	"slices"
	"strings"
)

const jestValues = "-w --maxWorkers --maxConcurrency --reporters --testTimeout --env --testEnvironment --coverageDirectory --collectCoverageFrom --coverageReporters --coverageProvider --setupFiles --setupFilesAfterEach " +
	"--outputFile --seed --shard --workerIdleMemoryLimit --cacheDirectory --globals --testRunner --transform --changedSince --selectProjects --ignoreProjects --testPathIgnorePatterns --filter"

const (
	jestPathFlags = "--testPathPattern --testPathPatterns"
	jestMarks     = "--selectProjects --ignoreProjects --onlyChanged -o --changedSince --shard --testPathIgnorePatterns -c --config"
	jestStops     = "-b --bail"
)

var (
	exprNames  = []Chooser{{Flags: "-t --testNamePattern --test-name-pattern", By: Expr}}
	jestPicks  = []Picks{jestWords}
	jestWords  = Picks{Values: jestValues, Operand: exprPlace, Paths: jestPathFlags, Roots: "--rootDir", Names: exprNames, Marks: jestMarks, Again: "-f --onlyFailures", Stops: jestStops, More: jestPaths}
	reactPicks = []Picks{{Sub: "test", Values: jestValues, Operand: exprPlace, Paths: jestPathFlags, Names: exprNames, Marks: jestMarks, Stops: jestStops, More: jestPaths}}
)

const vitestValues = "--reporter --outputFile --pool --config -c --root -r --dir --project --workspace --environment --mode -m --minWorkers --maxWorkers --testTimeout --hookTimeout --retry --shard --exclude --browser --api --coverage.provider --coverage.reporter --tags-filter --silent --logHeapUsage"

var (
	vitestPicks = []Picks{{Sub: "related", Values: vitestValues, Operand: pathPlace, Roots: "--root -r"}, vitestWords("run|watch|dev"), vitestWords("")}
	bunPicks    = []Picks{
		{
			Sub: "test", Operand: partPlace, Names: exprNames, Marks: "--only --todo", Stops: "--bail",
			Values: "--timeout --preload -r --rerun-each --reporter --reporter-outfile --coverage-reporter --coverage-dir --max-concurrency --seed --env-file -c --config -d --define",
		},
		{Sub: "run", Members: "--filter -F", Fixed: 1},
	}
	mochaPicks = []Picks{{
		Operand: pathPlace, Paths: "--spec", Leaves: "--ignore --exclude", Stops: "-b --bail", More: inverted,
		Values: "-t --timeout -R --reporter -r --require --ui -u --file --config -c --package --extension --ext -s --slow --retries -O --reporter-options --reporter-option -j --jobs --node-option -n --watch-files --watch-ignore",
		Names:  []Chooser{{Flags: "-g --grep", By: Expr}, {Flags: "-f --fgrep", By: Contains}},
	}}
	avaPicks  = []Picks{{Operand: linePlace, Values: "-c --concurrency --config --node-arguments -T --timeout", Names: []Chooser{{Flags: "-m --match", By: Globbed}}, Stops: "--fail-fast"}}
	nodePicks = []Picks{{
		With: "--test", Operand: pathPlace, Marks: "--test-only --test-shard",
		Values: "--test-reporter --test-reporter-destination --env-file --test-concurrency --test-timeout --conditions -C --import -r --require --loader --experimental-loader --test-coverage-include --test-coverage-exclude --max-old-space-size",
		Names:  []Chooser{{Flags: "--test-name-pattern", By: Expr}, {Flags: "--test-skip-pattern", By: Expr, Not: true}},
	}}
	denoPicks = []Picks{{
		Sub: "test", Operand: pathPlace, Values: "--config -c --reporter --coverage --junit-path --import-map --lock --shuffle --v8-flags --location -r --seed --permit-no-files --env-file", Leaves: "--ignore", Names: []Chooser{{Flags: "--filter", By: Contains}}, Stops: "--fail-fast", More: denoFilter,
	}}
	playwrightPicks = []Picks{{
		Sub: "test", Operand: specPlace, Marks: "--project --shard --only-changed -c --config --test-list", Again: "--last-failed", Stops: "-x --max-failures",
		Values: "-j --workers --reporter --retries --timeout --output --trace --repeat-each --tsconfig --global-timeout --browser --project --shard --name --ui-host --ui-port --update-source-method -c --config",
		Names:  []Chooser{{Flags: "-g --grep", By: Expr}, {Flags: "-gv --grep-invert", By: Expr, Not: true}},
	}}
	cypressPicks = []Picks{{
		Sub: "run", Fixed: 0, Values: "--browser -b --config -c --config-file -C --env -e --reporter -r --reporter-options -o --key -k --group --tag -t --port -p --ci-build-id --spec -s -P --project", Roots: "-P --project", More: specs,
	}}
	nodePathPicks = []Picks{{Sub: "run", Operand: pathPlace, Values: "--spec --reporter --config --filter --timeout -R -c -r"}, {Operand: pathPlace, Values: "--reporter --config --timeout -R -c -r", Names: []Chooser{{Flags: "--filter -f --match", By: Expr}}, Marks: "--only"}}
	tscPicks      = []Picks{{Values: "--target -t --module -m --outDir --rootDir --lib --jsx --moduleResolution --declarationDir --tsBuildInfoFile --types --baseUrl", Operand: pathPlace, Roots: "-p --project -b --build"}}
)

// Scripts of packages: what stands behind the script's name is its own, which only
// its manifest can tell.
var (
	npmPicks  = []Picks{{Members: "-w --workspace", Values: "--prefix -C --script-shell --loglevel", Fixed: 1}}
	pnpmPicks = []Picks{{Members: "--filter -F --filter-prod", Values: "--reporter --loglevel --workspace-concurrency --resume-from", Fixed: 1}}
	yarnPicks = []Picks{{Members: "--include --from", Fixed: 1, Values: "--exclude -j --jobs", More: yarnMember}}
	ngPicks   = []Picks{{Sub: "test", Fixed: 1, Values: "--browsers --configuration -c --karma-config --project", Members: "--project", Paths: "--include", Leaves: "--exclude", More: ngParts}}
	nxPicks   = []Picks{
		{Sub: "run-many|run-many test", Values: "-t --target --targets --parallel --configuration -c --runner --output-style", Fixed: anyTarget, Members: "-p --projects", More: nxExcludes},
		{Sub: "affected|affected test|affected:test", Values: "-t --target --targets --base --head --files --parallel", Fixed: anyTarget, Marks: "--base --head --files", More: affected},
		{Sub: "run", Fixed: 1, More: nxRun},
		{Fixed: 2, Values: "--configuration -c --parallel", More: nxProject},
	}
	turboPicks = []Picks{{Members: "--filter -F", Values: "--concurrency --env-mode --output-logs --cache-dir --cwd --log-order", Marks: "--affected", Fixed: anyTarget}}
	lernaPicks = []Picks{{Members: "--scope", Values: "--ignore --since --concurrency --stream", Marks: "--since --ignore", Fixed: 2}}
)

func vitestWords(sub string) Picks {
	return Picks{Sub: sub, Values: vitestValues, Operand: partPlace, Roots: "--root -r --dir", Leaves: "--exclude", Names: exprNames, Marks: "--project --changed --shard --tags-filter -c --config --mode -m", Stops: "--bail"}
}

// jestPaths knows the flags by which Jest takes its operands for paths, and that
// names fit whatever their case.
func jestPaths(_ Call, a Args, s *Scope) {
	paths := a.Has("--runTestsByPath --findRelatedTests")
	for i, p := range s.Places {
		if paths && p.Shape == PathExpr {
			s.Places[i] = pathPlace(p.Path)
		}
	}
	for i, c := range s.Names {
		for j, text := range c.Texts {
			s.Names[i].Texts[j] = "(?i)" + text
		}
	}
}

// inverted knows mocha's -i.
func inverted(_ Call, a Args, s *Scope) {
	for i := range s.Names {
		s.Names[i].Not = a.Has("-i --invert")
	}
}

func denoFilter(_ Call, _ Args, s *Scope) {
	for i, c := range s.Names {
		if text := c.Texts[0]; len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
			s.Names[i] = Choice{By: Expr, Texts: []string{text[1 : len(text)-1]}}
		}
	}
}

// specPlace is an expression on paths with a line behind it.
func specPlace(word string) Place {
	p := exprPlace(word)
	if line := linePlace(word); line.Test != "" {
		p.Path, p.Test = strings.TrimSuffix(p.Path, line.Test), line.Test
	}
	return p
}

func specs(_ Call, a Args, s *Scope) {
	for _, spec := range a.lists("--spec -s") {
		s.add(pathPlace, spec)
	}
}

// yarnMember reads yarn workspace web test.
func yarnMember(c Call, _ Args, s *Scope) {
	if at := slices.Index(c.Words, "workspace"); at > 0 && at+1 < len(c.Words) {
		s.Places = append(s.Places, memberPlace(c.Words[at+1]))
	}
}

// ngParts reads the project and the files that ng test names.
func ngParts(_ Call, a Args, s *Scope) {
	if of := a.Operand(0); of != "" {
		s.Places = append(s.Places, Place{Of: of})
	}
	for _, included := range a.Values("--include") {
		s.Places = append(s.Places, pathPlace(included))
	}
}

func nxRun(_ Call, a Args, s *Scope) {
	of, _, _ := strings.Cut(a.Operand(0), ":")
	s.Places = append(s.Places, Place{Of: of})
}

// nxProject reads nx test app, nx app:test.
func nxProject(_ Call, a Args, s *Scope) {
	switch of := a.Operand(1); {
	case of != "":
		s.Places = append(s.Places, Place{Of: of})
	case strings.Contains(a.Operand(0), ":"):
		nxRun(Call{}, a, s)
	}
}

func nxExcludes(_ Call, a Args, s *Scope) {
	for _, of := range a.lists("--exclude") {
		s.Places = append(s.Places, Place{Of: of, Not: true})
	}
}

// affected notes that only what depends on changes is taken.
func affected(c Call, _ Args, s *Scope) { s.Marks = append(s.Marks, strings.Join(c.Words[:2], " ")) }
