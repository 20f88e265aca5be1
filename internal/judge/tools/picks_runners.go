package tools

import (
	"slices"
	"strings"
)

// discover reads the names of files that unittest looks for, below the first place.
func (s *Scope) discover(a Args) {
	for _, glob := range a.Values("-p --pattern") {
		if glob != "test*.py" && glob != "test_*.py" {
			s.Places = []Place{{Shape: PathGlob, Path: "**/" + glob, Under: append(s.Places, Place{})[0].Path}}
		}
	}
	for i, c := range s.Names {
		if strings.Contains(strings.Join(c.Texts, ""), "*") {
			s.Names[i].By = Globbed
		}
	}
}

// cargo reads what cargo test takes: members, targets of them, and parts of
// names, which the harness is given after --.
func (s *Scope) cargo(a Args) {
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
	var targets []Place
	for _, test := range a.Values("--test") {
		targets = append(targets, Place{Shape: Dotted, Path: "tests/" + test})
	}
	if a.Has("--lib --bins --bin --doc") {
		targets = append(targets, Place{Path: "src"})
	}
	s.Places = slices.Concat(product(a.lists("-p --package"), targets), s.Places)
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

// gradlePlaces are the projects of tasks; none where a task verifies in all of them.
func gradlePlaces(tasks []string) (all []Place) {
	for _, task := range tasks {
		project, name := cutLast(task, ":")
		switch {
		case project != "":
			all = append(all, Place{Of: project})
		case fits("^test|Tests?$|^(?:check|build|assemble)$", name):
			return nil
		}
	}
	return all
}

// maven reads the classes and methods of -Dtest, of which those with ! are left out.
func (s *Scope) maven(a Args) {
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
		chosen := slices.DeleteFunc([]Choice{in, out}, func(c Choice) bool { return len(c.Texts) == 0 })
		s.Names = append(s.Names, chosen...)
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

// dotnet reads the conjunctions of a filter. What is not a name leaves tests out that
// nobody tells.
func (s *Scope) dotnet(a Args) {
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

// dotnetNames reads alternatives: Name=x|ClassName~y, or x alone.
func dotnetNames(part string) (all []Choice, ok bool) {
	in := Choice{By: Contains}
	for alt := range strings.SplitSeq(part, "|") {
		m := expression(`(?s)^([^=~!]*)([=~!])(~?)[=~!]*(.*)$`).FindStringSubmatch(alt)
		if m == nil {
			in.Texts = append(in.Texts, alt)
			continue
		}
		name, op, value := strings.TrimSpace(m[1]), m[2]+m[3], m[4]
		if !Among("FullyQualifiedName Name DisplayName ClassName Class", name) || value == "" {
			return nil, false
		}
		by := Exactly
		if strings.Contains(op, "~") {
			by = Contains
		}
		if op[0] == '!' {
			all = append(all, Choice{By: by, Texts: []string{value}, Not: true})
			continue
		}
		in.By, in.Texts = max(in.By, by), append(in.Texts, value)
	}
	if len(in.Texts) > 0 {
		all = append(all, in)
	}
	return all, true
}
