package tools

import (
	"slices"
	"strings"
)

// goDryFlag knows the flags by which go test runs no test. Benchmarks alone are
// evidence for a pattern that names them.
func goDryFlag(c Call, f Flag) string {
	switch {
	case c.Operand(0) != "test":
	case Among("-c --c -list --list", f.Name):
		return f.Name
	case goNothing(f) && c.Has("-bench --bench"):
		return "-bench"
	case goNothing(f):
		return f.Name
	}
	return ""
}

// goNothing reports whether a flag of go test leaves no test to run.
func goNothing(f Flag) bool {
	switch strings.TrimPrefix(strings.TrimPrefix(f.Name, "-"), "-") {
	case "run":
		return noTest(f.Value)
	case "skip":
		return Among(". .* ^ ^.* .+ ^.*$ Test ^Test", f.Value)
	case "count":
		return f.Value == "0"
	case "exec":
		words := strings.Fields(f.Value)
		return len(words) > 0 && idle(words[0])
	}
	return false
}

// noTest reports whether -run's pattern matches no test: it has a ^ behind
// something or something behind a $, or it is empty; or it is one of the words
// that people write for that.
func noTest(pattern string) bool {
	first, _, _ := strings.Cut(pattern, "/")
	if strings.Contains(first, "|") {
		return false
	}
	begin, end := strings.LastIndexByte(first, '^'), strings.IndexByte(first, '$')
	if first == "^$" || begin > 0 && !strings.ContainsAny(first[begin-1:begin], `([\`) || end >= 0 && end < len(first)-1 && !strings.ContainsAny(first[end+1:end+2], `)]`) && (end == 0 || first[end-1] != '\\') {
		return true
	}
	word := strings.ToLower(strings.Trim(first, "^$_"))
	return Among("none nothing nomatch nosuchtest notests donotrun dontrun donotmatch doesnotexist nonexistent", word) ||
		len(word) > 1 && (strings.Trim(word, "x") == "" || strings.Trim(word, "z") == "")
}

// goRest is the one of go test's flags after -- by which it runs no test.
func goRest(c Call) string { return goTestDry(c.rest(Find("go").Takes)) }

func goTestDry(flags []Flag) string {
	for _, f := range flags {
		if Among("-c --c -list --list -n -h -help", f.Name) || goNothing(f) {
			return f.Name
		}
	}
	return ""
}

// goFlags reads GOFLAGS.
func goFlags(c Call, _, value string) bool {
	words := append([]string{"go"}, strings.Fields(strings.Trim(value, `"'`))...)
	return c.Operand(0) == "test" && goTestDry(Read(words, Find("go").Takes).Flags) != "" || len(words) > 1 && words[1] == "-n"
}

// ownGoTools come with Go.
const ownGoTools = "addr2line api asm buildid cgo compile covdata cover dist doc fix link nm objdump pack pprof preprofile test2json trace vet"

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
