package tools

import (
	"cmp"
	"slices"
	"strings"
)

// DryRun is the flag, subcommand or variable of env that keeps the program from
// doing what it is for; "" if there is none.
func (c Call) DryRun(env []string) string {
	sub := c.begins(c.Tool.DrySubs)
	if word := cmp.Or(c.dryCall(), sub[strings.LastIndexByte(sub, ' ')+1:]); word != "" {
		return word
	}
	flags := c.Flags
	if c.Tool.HandsOn {
		flags = slices.Concat(flags, c.handedOn(c.Tool.Takes))
	}
	for _, f := range flags {
		switch {
		case c.dryFlag(f):
			return f.Name
		case !c.idles(f.Name + "=" + f.Value):
		case f.Value != "" && c.Has(c.Tool.Instead):
			return first(c.Tool.Instead)
		default:
			return f.Name
		}
	}
	if at := slices.IndexFunc(c.Operands, c.idles); at >= 0 {
		return c.Operands[at]
	}
	return c.dryByEnv(env)
}

// handedOn are the flags that a program hands on after --.
func (a Args) handedOn(takes string) []Flag {
	return Read(append([]string{""}, a.Rest...), takes).Flags
}

func (c Call) dryFlag(f Flag) bool {
	usual := Among("--help --dry-run --dryrun", f.Name) && !Among("false none", f.Value)
	version := f.Name == "--version" && !c.Tool.VersionOf
	return usual || version || Among(c.Tool.Dry, f.Name)
}

// idles reports whether a flag with its value, or an operand, keeps the program from
// doing anything.
func (c Call) idles(word string) bool {
	return c.Tool.DryFits != "" && fits(c.Tool.DryFits, c.Operand(0)+" "+word)
}

func (c Call) dryCall() string {
	switch c.Tool.DryCall {
	case idleVariable:
		if at := slices.IndexFunc(c.Operands, idlesTool); at >= 0 {
			return c.Operands[at]
		}
	case onlyLints:
		return c.lintsBy()
	}
	return ""
}

// idlesTool reports whether a variable of a Makefile that holds a tool is given a program
// that does nothing.
func idlesTool(operand string) bool {
	name, value, _ := strings.Cut(operand, "=")
	return variableOfTool(strings.TrimRight(name, ":?+!")) && Of(first(strings.Trim(value, `"'`))).Does&Idle != 0
}

// variableOfTool reports whether a variable of a Makefile customarily holds a
// tool: GO, CARGO, TEST_RUNNER.
func variableOfTool(name string) bool {
	return Among("SHELL GOCMD GOTEST TEST TESTCMD TEST_CMD RUNNER TEST_RUNNER", name) ||
		name == strings.ToUpper(name) && Find(strings.ToLower(name)).Does&Variable != 0
}

// lintsBy is the flag or the variable by which tox or nox is told to run environments
// of which none tests, by their names.
func (c Call) lintsBy() (chosen string) {
	var names []string
	for _, o := range c.Operands[:len(c.Operands)-len(c.Rest)] {
		name, value, ok := strings.Cut(o, "=")
		if !ok {
			name, value = chosen, o
		}
		chosen, names = name, append(names, value)
	}
	for _, f := range c.Flags {
		if Among("-e -s --session --sessions --env", f.Name) {
			chosen, names = f.Name, append(names, strings.Fields(f.Value)...)
		}
	}
	tests := func(name string) bool { return !Among(lintEnvironments, name) }
	if len(names) == 0 || slices.ContainsFunc(strings.Split(strings.Join(names, ","), ","), tests) {
		return ""
	}
	return chosen
}

// dryByEnv is the variable that does what a dry flag does: GOFLAGS=-n,
// PYTEST_ADDOPTS=--co. A name of DryEnv may end in *. The last value of a name counts.
func (c Call) dryByEnv(env []string) string {
	for want := range strings.FieldsSeq(c.Tool.DryEnv) {
		for _, set := range slices.Backward(env) {
			name, value, _ := strings.Cut(set, "=")
			if !fitsWord(want, name) {
				continue
			}
			if NewCall(c.with(append(flagsIn(value), set))).DryRun(nil) != "" {
				return name
			}
			if name == want {
				break
			}
		}
	}
	return ""
}

// WithFlagsOf are the call's words with the flags that variables of env give it
// (GOFLAGS, PYTEST_ADDOPTS), behind its subcommand.
func (c Call) WithFlagsOf(env []string) []string {
	for _, set := range env {
		name, value, _ := strings.Cut(set, "=")
		if Among("GOFLAGS PYTEST_ADDOPTS SPEC_OPTS MOCHA_OPTIONS", name) && Among(c.Tool.DryEnv, name) {
			return c.with(flagsIn(value))
		}
	}
	return c.Words
}

// with are the call's words with more of them behind its subcommand.
func (c Call) with(words []string) []string {
	at := min(1+len(strings.Fields(c.begins("test|vet|build"))), len(c.Words))
	return slices.Concat(c.Words[:at], words, c.Words[at:])
}

func flagsIn(value string) []string { return strings.Fields(strings.Trim(value, `"'`)) }
