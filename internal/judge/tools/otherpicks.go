package tools

import (
	"path"
	"slices"
	"strings"
)

// taskPicks are those of tools that run targets: what a target takes stands in
// the project's own file.
var taskPicks = []Picks{{Fixed: anyTarget, More: variables}}

// variables notes that a target may do anything with a variable.
func variables(c Call, a Args, s *Scope) {
	s.Unread = s.Unread || slices.ContainsFunc(a.Operands, Assignment)
}

var (
	labelPicks   = []Picks{{Sub: "test|coverage|build", Operand: labelPlace, Values: "--config -c", Names: []Chooser{{Flags: "--test_filter", By: Contains}}, Marks: "--test_tag_filters --build_tests_only"}}
	earthlyPicks = []Picks{{Fixed: anyTarget}}
)

const cargoValues = "--test --bin --example --bench --exclude --target --target-dir --profile --message-format --color --config -Z -j --jobs --timings --lockfile-path -E --filterset --filter-expr --run-ignored --retries --test-threads -P --partition --no-tests --status-level --final-status-level --success-output --failure-output"

var cargoPicks = []Picks{
	cargoTests("nextest run|insta test|llvm-cov nextest"), cargoTests("test|nextest|llvm-cov|tarpaulin|bench"),
	{Sub: "check|clippy|build|doc|fmt", Values: cargoValues, Members: "-p --package", Roots: "--manifest-path", Tags: cargoTags, Fixed: anyTarget},
}

const cargoTags = "--features -F --all-features --no-default-features"

func cargoTests(sub string) Picks {
	return Picks{Sub: sub, Values: cargoValues, Roots: "--manifest-path", Tags: cargoTags, Fixed: anyTarget, More: cargoFilters, Marks: "--doc --examples --benches -E --filterset --filter-expr --run-ignored --partition"}
}

// cargoFilters reads what cargo test takes: members, targets of them, and parts
// of names, which the harness is given after --.
func cargoFilters(c Call, a Args, s *Scope) {
	harness := Read(append([]string{""}, a.Rest...), "--skip --test-threads --format --color -Z --logfile --report-time --shuffle-seed")
	by := Contains
	if harness.Has("--exact") {
		by = Exactly
	}
	own := a.Operands[:max(len(a.Operands)-len(a.Rest), 0)]
	if names := slices.Concat(own, harness.Operands); len(names) > 0 {
		s.Names, s.Said = append(s.Names, Choice{By: by, Texts: names}), append(s.Said, names...)
	}
	if skips := harness.Values("--skip"); len(skips) > 0 {
		s.Names, s.Said = append(s.Names, Choice{By: by, Texts: skips, Not: true}), append(s.Said, "--skip "+strings.Join(skips, " "))
	}
	if harness.Has("--ignored") {
		s.Marks = append(s.Marks, "--ignored")
	}
	s.Stops = !a.Has("--no-fail-fast")
	var targets []Place
	for _, test := range a.Values("--test") {
		targets = append(targets, Place{Shape: Dotted, Path: "tests/" + test})
	}
	if a.Has("--lib --bins --bin --doc") {
		targets = append(targets, Place{Path: "src"})
	}
	s.Places = product(a.lists("-p --package"), targets)
	for _, of := range a.lists("--exclude") {
		s.Places = append(s.Places, Place{Of: of, Not: true})
	}
}

// product are places in each of some members of a workspace.
func product(members []string, places []Place) (all []Place) {
	if len(members) == 0 {
		return places
	}
	if len(places) == 0 {
		places = []Place{{}}
	}
	for _, of := range members {
		for _, p := range places {
			p.Of, _, _ = strings.Cut(of, "@")
			all = append(all, p)
		}
	}
	return all
}

var (
	gradlePicks = []Picks{{Fixed: anyTarget, Values: "--tests --max-workers --console -D -P", Names: []Chooser{{Flags: "--tests", By: Globbed}}, More: gradleMembers}}
	mavenPicks  = []Picks{{Fixed: anyTarget, Values: "-pl --projects -rf --resume-from -T --threads -l --log-file", Roots: "-f --file", Marks: "-Dgroups -DexcludedGroups -Dsurefire.excludedGroups -Dtags", More: mavenTests}}
)

func gradleMembers(c Call, a Args, s *Scope) {
	s.Stops = !a.Has("--continue")
	for _, task := range a.Operands {
		at := strings.LastIndexByte(task, ':')
		if at <= 0 {
			if gradleVerifies(task) {
				s.Places = nil
				return
			}
			continue
		}
		s.Places = append(s.Places, Place{Of: task[:at]})
	}
}

// gradleVerifies reports whether a task of that name verifies in all projects.
func gradleVerifies(task string) bool {
	task = strings.TrimPrefix(task, ":")
	return strings.HasPrefix(task, "test") || strings.HasSuffix(task, "Test") || strings.HasSuffix(task, "Tests") || Among("check build assemble", task)
}

func mavenTests(_ Call, a Args, s *Scope) {
	s.Stops = !a.Has("-fae --fail-at-end -fn --fail-never")
	for _, of := range a.lists("-pl --projects") {
		of, not := strings.CutPrefix(strings.TrimPrefix(of, "+"), "!")
		if at := strings.LastIndexByte(of, ':'); at >= 0 {
			s.Places = append(s.Places, Place{Of: of[at+1:], Not: not})
		} else {
			s.Places = append(s.Places, Place{Path: slashed(of), Not: not})
		}
	}
	for _, f := range a.Flags {
		if !Among("-Dtest -Dit.test", f.Name) || f.Value == "" {
			continue
		}
		s.Said = append(s.Said, f.Name+"="+f.Value)
		in, out := Choice{By: Globbed}, Choice{By: Globbed, Not: true}
		for text := range strings.SplitSeq(f.Value, ",") {
			if text, not := strings.CutPrefix(strings.TrimSpace(text), "!"); not {
				out.Texts = append(out.Texts, text)
			} else {
				in.Texts = append(in.Texts, mavenMethods(text)...)
			}
		}
		for _, c := range []Choice{in, out} {
			if len(c.Texts) > 0 {
				s.Names = append(s.Names, c)
			}
		}
	}
}

// mavenMethods writes FooTest#a+b out.
func mavenMethods(text string) (all []string) {
	class, methods, ok := strings.Cut(strings.TrimSuffix(text, ".java"), "#")
	if !ok {
		return []string{class}
	}
	for m := range strings.SplitSeq(methods, "+") {
		all = append(all, class+"#"+m)
	}
	return all
}

var dotnetPicks = []Picks{{
	Sub: "test|build", Operand: projectPlace, Paths: "--project --solution", Tags: "-f --framework", More: dotnetFilter,
	Values: "-c --configuration -f --framework --filter -l --logger -v --verbosity -o --output -r --runtime -s --settings --results-directory --collect -a --arch --os -p --property --diag --blame-hang-timeout -e --environment --test-adapter-path",
}}

// projectPlace is a folder by itself or by a project's file in it.
func projectPlace(word string) Place {
	if ext := path.Ext(word); strings.HasSuffix(ext, "proj") || Among(".sln .slnx .slnf", ext) {
		word = path.Dir(strings.ReplaceAll(word, `\`, "/"))
	}
	return pathPlace(word)
}

// dotnetFilter reads FullyQualifiedName~X, its alternatives and conjunctions.
func dotnetFilter(_ Call, a Args, s *Scope) {
	for _, filter := range a.Values("--filter") {
		s.Said = append(s.Said, "--filter "+filter)
		for part := range strings.SplitSeq(filter, "&") {
			if c, ok := dotnetNames(strings.Trim(part, "() ")); ok {
				s.Names = append(s.Names, c...)
			} else {
				s.Marks = append(s.Marks, "--filter "+part)
			}
		}
	}
}

func dotnetNames(part string) (all []Choice, ok bool) {
	in := Choice{By: Contains}
	for alt := range strings.SplitSeq(part, "|") {
		at := strings.IndexAny(alt, "=~!")
		if at < 0 {
			in.Texts = append(in.Texts, alt)
			continue
		}
		op, value := alt[at:], strings.TrimLeft(alt[at:], "=~!")
		if !Among("FullyQualifiedName Name DisplayName ClassName Class", strings.TrimSpace(alt[:at])) || value == "" {
			return nil, false
		}
		switch by := (map[bool]Reading{true: Contains, false: Exactly})[strings.Contains(op[:2], "~")]; {
		case op[0] == '!':
			all = append(all, Choice{By: by, Texts: []string{value}, Not: true})
		case by == Exactly:
			in.By = Exactly
			fallthrough
		default:
			in.Texts = append(in.Texts, value)
		}
	}
	if len(in.Texts) > 0 {
		all = append(all, in)
	}
	return all, true
}

var (
	cmakePicks  = []Picks{{With: "--target -t", Fixed: anyTarget}}
	bustedPicks = []Picks{{
		Operand: pathPlace, Names: []Chooser{{Flags: "--filter", By: Expr}, {Flags: "--filter-out", By: Expr, Not: true}, {Flags: "--name", By: Exactly}}, Marks: "-t --tags --exclude-tags",
		Values: "-p --pattern -o --output -m --lpath -t --tags --exclude-tags --helper --config-file -f --run -r -e", Stops: "--no-keep-going",
	}}
	forgePicks = []Picks{{
		Sub: "test|coverage|build", Operand: pathPlace, Paths: "--match-path --mp", Names: []Chooser{{Flags: "--match-test --mt", By: Expr}, {Flags: "--no-match-test --nmt", By: Expr, Not: true}},
		Marks:  "--match-contract --mc --no-match-contract --nmc --no-match-path --nmp",
		Values: "--match-contract --mc --no-match-contract --nmc --no-match-path --nmp --fork-url -f --rpc-url --fork-block-number --gas-limit --fuzz-runs --fuzz-seed --root --use --etherscan-api-key --report -j --threads", Again: "--rerun", Roots: "--root", Stops: "--fail-fast",
	}}
	hardhatPicks = []Picks{{Sub: "test|coverage|compile", Operand: pathPlace, Names: []Chooser{{Flags: "--grep", By: Expr}}, Values: "--network --config --testfiles", Stops: "--bail"}}
)
