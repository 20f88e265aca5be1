package tools

import (
	"slices"
	"strings"
)

// onlyLints is the flag or the variable by which tox or nox is told to run environments
// of which none tests, by their names.
func onlyLints(c Call) string {
	names := slices.Clone(c.Operands[:len(c.Operands)-len(c.Rest)])
	chosen := ""
	for i, o := range names {
		if name, value, ok := strings.Cut(o, "="); ok {
			chosen, names[i] = name, value
		}
	}
	for _, f := range c.Flags {
		if Among("-e -s --session --sessions --env", f.Name) {
			chosen = f.Name
			names = append(names, strings.Fields(f.Value)...)
		}
	}
	for _, list := range names {
		for name := range strings.SplitSeq(list, ",") {
			if !Among(lintEnvironments, name) {
				return ""
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return chosen
}

// hatchEnvironment takes the environment off: hatch run +py=3.11 test:pytest.
func hatchEnvironment(ops []string) []string {
	named := slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return strings.HasPrefix(op, "+") })
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
