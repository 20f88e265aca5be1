package tools

import (
	"slices"
	"strings"
)

// goProgram is the program that go tool and go run module@version start.
func goProgram(words []string) []string {
	takes := Find("go").Takes
	at := NextOperand(words, 1, takes)
	if at+1 >= len(words) {
		return nil
	}
	sub := words[at]
	at = NextOperand(words, at+1, takes)
	if at >= len(words) {
		return nil
	}
	module := words[at]
	if sub == "tool" && Among(ownGoTools, module) {
		return nil
	}
	if i := strings.IndexByte(module, '@'); i >= 0 {
		module = module[:i]
	} else if first, _, _ := strings.Cut(module, "/"); sub == "run" && (!strings.Contains(first, ".") || strings.Trim(first, ".") == "" || !strings.Contains(module, "/")) {
		return nil // a package of its own
	}
	if base := module[strings.LastIndexByte(module, '/')+1:]; len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		module = strings.TrimSuffix(module, "/"+base)
	}
	if sub != "tool" && sub != "run" || module == "" {
		return nil
	}
	return slices.Concat([]string{module}, words[at+1:])
}

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
