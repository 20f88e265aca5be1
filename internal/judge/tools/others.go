package tools

import (
	"path"
	"slices"
	"strings"
)

// variables notes that a target may do anything with a variable.
func variables(c Call, a Args, s *Scope) {
	s.Unread = s.Unread || slices.ContainsFunc(a.Operands, Assignment)
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
			p := &Find("ruby").Picks[0]
			inner := p.args(NewCall(slices.Concat([]string{"rails"}, strings.Fields(strings.Trim(value, `"'`)))))
			p.choices(inner, s)
			minitest(Call{}, inner, s)
		default:
			s.Unread = true
		}
	}
}

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

// packagePlace is what stack and cabal name: a package, or a target of one.
func packagePlace(word string) Place {
	of, _, _ := strings.Cut(word, ":")
	return Place{Of: of}
}

// cargoCommand takes the toolchain off and spells short commands out.
func cargoCommand(ops []string) []string {
	if len(ops) > 0 && strings.HasPrefix(ops[0], "+") {
		ops = ops[1:]
	}
	if len(ops) > 0 {
		if long := map[string]string{"t": "test", "b": "build", "c": "check", "r": "run"}[ops[0]]; long != "" {
			return slices.Concat([]string{long}, ops[1:])
		}
	}
	return ops
}

func cargoWatch(words []string) (string, bool) {
	if len(words) > 3 && words[1] == "watch" && Among("-x --exec", words[2]) {
		return "cargo " + words[3], true
	}
	return "", false
}

// gradleTasks names the tasks of sub-projects (:app:test) and of variants
// (testDebugUnitTest) as those of the whole.
func gradleTasks(ops []string) []string {
	tasks := make([]string, len(ops))
	for i, op := range ops {
		tasks[i] = op[strings.LastIndexByte(op, ':')+1:]
		if strings.HasPrefix(tasks[i], "test") && strings.HasSuffix(tasks[i], "UnitTest") {
			tasks[i] = "test"
		}
	}
	return tasks
}

// lastText is the shell's text that sops exec-env is given last.
func lastText(words []string) (string, bool) {
	if len(words) < 4 || !Among("exec-env exec-file", words[1]) {
		return "", false
	}
	return words[len(words)-1], true
}

// envText is what env -S splits into words.
func envText(words []string) (string, bool) {
	for i, w := range words {
		if i+1 < len(words) && Among("-S --split-string", w) {
			return strings.Join(words[i+1:], " "), true
		}
	}
	return "", false
}
