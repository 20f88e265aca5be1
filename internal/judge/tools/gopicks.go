package tools

import (
	"slices"
	"strings"
)

// anyTarget is more operands than a line has.
const anyTarget = 1 << 10

const goValues = "-cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -pkgdir -asmflags -toolexec -vet -covermode -o --run --skip --tags --timeout --count -test.run -test.skip"

var goTests = []Chooser{{Flags: "-run --run -test.run", By: Levels}, {Flags: "-skip --skip -test.skip", By: Levels, Not: true}}

var goPicks = []Picks{
	{Sub: "test", Ends: "-args --args", Values: goValues, Operand: goPlace, Names: goTests, Marks: "-short --short -test.short", Tags: "-tags --tags", Stops: "-failfast --failfast", More: goDefaults},
	{Sub: "build|vet|install|fmt", Values: goValues, Operand: goPlace, Tags: "-tags --tags", More: goDefaults},
}

var gotestsumPicks = []Picks{{Values: gotestsumValues, Fixed: anyTarget, More: gotestsumRest}}

const gotestsumValues = "-f --format --format-hide-empty-pkg --format-icons --junitfile --junitfile-testsuite-name --junitfile-testcase-classname --jsonfile --jsonfile-timing-events --packages --post-run-command --rerun-fails-report --rerun-fails-max-failures --max-fails --hide-summary"

var ginkgoPicks = []Picks{{
	Ends: "--", Values: "-p -procs --procs -nodes --nodes -tags --tags -timeout --timeout -seed --seed --junit-report --json-report --output-dir --coverprofile -o --flake-attempts --poll-progress-after --repeat",
	Operand: goPlace, Names: []Chooser{{Flags: "-focus --focus", By: Expr}, {Flags: "-skip --skip", By: Expr, Not: true}},
	Marks: "--label-filter -label-filter --focus-file -focus-file --skip-file -skip-file", Tags: "-tags --tags", More: ginkgoFolders,
}}

var goLintPicks = []Picks{{Sub: "run", Operand: goPlace, Values: lintValues, Tags: "--build-tags"}, {Operand: goPlace, Values: lintValues, Tags: "-tags"}}

const lintValues = "-c --config -E --enable -D --disable -p --presets --out-format --timeout --go -j --concurrency --new-from-rev --exclude --issues-exit-code -checks -f --output.text.path"

// goDefaults knows that go takes the package of its folder where it is told
// none, that the last -run counts, and which -run leaves nothing out.
func goDefaults(_ Call, _ Args, s *Scope) {
	if len(s.Places) == 0 {
		s.Places = []Place{{Shape: Folder}}
	}
	s.Names = slices.DeleteFunc(s.Names, func(c Choice) bool {
		return !c.Not && Among(". .* .+ ^ ^.* ^.*$ Test ^Test Test.* ^Test.*", c.Texts[len(c.Texts)-1])
	})
	for i, c := range s.Names {
		s.Names[i].Texts = c.Texts[len(c.Texts)-1:]
	}
}

// gotestsumRest reads the words that gotestsum hands to go test, which are all
// from its first operand on. Without a package it takes all.
func gotestsumRest(c Call, a Args, s *Scope) {
	at := NextOperand(c.Words, 1, gotestsumValues)
	if end := slices.Index(c.Words, "--"); end > 0 && end < at {
		at = end + 1
	}
	rest := c.Words[min(at, len(c.Words)):]
	*s = NewCall(slices.Concat([]string{"go", "test"}, rest)).Scope()
	named := Read(append([]string{"go"}, rest...), Find("go").Takes+" "+goValues).Operands
	if packages := a.lists("--packages"); len(packages) > 0 {
		s.Places = nil
		for _, p := range packages {
			s.add(goPlace, p)
		}
	} else if len(named) == 0 && !s.Unread {
		s.Places = nil
	}
}

// ginkgoFolders knows that -r takes all below the folders, and that a suite that
// fails ends the run.
func ginkgoFolders(_ Call, a Args, s *Scope) {
	s.Stops = !a.Has("--keep-going -keep-going")
	if len(s.Places) == 0 {
		s.Places = []Place{{Shape: Folder}}
	}
	for i, p := range s.Places {
		if a.Has("-r -R --recurse") && p.Shape == Folder || p.Shape == Import && !strings.Contains(p.Path, ".") {
			s.Places[i] = Place{Path: strings.TrimSuffix(strings.TrimSuffix(p.Path, "..."), "/")}
		}
	}
}

// goTestWords are those of programs that stand for go test.
var goTestWords = Picks{Ends: "-args --args", Values: goValues, Operand: goPlace, Names: goTests, Marks: "-short --short", Tags: "-tags --tags", Stops: "-failfast", More: goDefaults}
