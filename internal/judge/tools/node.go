package tools

import (
	"slices"
	"strings"
)

// nxTarget spells nx run-many --targets=lint,test as nx run-many test, and
// nx run app:test as nx test app.
func nxTarget(words []string) []string {
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		if Among("-t --target --targets", name) && slices.Contains(strings.Split(value, ","), "test") {
			return slices.Concat(words[:i], []string{"test"}, words[i+1:])
		}
		if app, ok := strings.CutSuffix(w, ":test"); ok && i == 2 && words[1] == "run" {
			return slices.Concat([]string{words[0], "test", app}, words[3:])
		}
	}
	return nil
}

// npmScript and yarnScript give `npm run test`, `yarn workspace web test` and
// `npm t` the form of `npm test`. A script that has the name of one of the
// manager's own commands keeps its run: npm ci is not npm run ci.
func npmScript(ops []string) []string { return packageScript(ops, " ci") }

func yarnScript(ops []string) []string { return packageScript(ops, "") }

func packageScript(ops []string, more string) []string {
	if len(ops) > 2 && ops[0] == "workspace" {
		ops = ops[2:]
	}
	if len(ops) > 2 && ops[0] == "workspaces" && Among("foreach run", ops[1]) {
		ops = ops[2:]
	}
	if len(ops) > 1 && Among("run run-script", ops[0]) {
		if Among("install add remove update publish pack version audit exec link init create list config"+more, ops[1]) {
			return slices.Concat([]string{"run"}, ops[1:])
		}
		return ops[1:]
	}
	if len(ops) > 0 && Among("t tst", ops[0]) {
		return slices.Concat([]string{"test"}, ops[1:])
	}
	return ops
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
