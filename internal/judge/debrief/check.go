package debrief

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/judge/tools"
)

// Bounds of a rule.
const (
	maxGlobs    = 100
	maxEvidence = 200
	maxPattern  = 300 // bytes of a glob or an evidence command
)

// fault is what is wrong with a rule, and what to do about it.
type fault struct{ what, hint string }

// Check tells what is wrong with a rule of someone's own: piton.Invalid, with a
// hint. A rule that only takes another one out of force needs a name, no more.
// An instruction without evidence is no fault: it becomes an observation.
// Rule: docs/spec.md, "Rules".
func (r Rule) Check() error {
	op := "read the rule " + quote(r.Name)
	if label(r.Name) == label("") {
		op = "read a rule"
	}
	for _, look := range []func() fault{r.checkName, r.checkGlobs, r.checkWords, r.checkEvidence, r.checkKind} {
		if f := look(); f.what != "" {
			return &piton.Error{Code: piton.Invalid, Op: op, Hint: f.hint, Err: errors.New(f.what)}
		}
		if r.Off {
			return nil
		}
	}
	return nil
}

func (r Rule) checkName() fault {
	switch n := len([]rune(r.Name)); {
	case strings.TrimSpace(safe(r.Name)) == "":
		return fault{"it has no name", "give it a `name`; that of a built-in rule replaces that rule"}
	case n > labelShown:
		return fault{fmt.Sprintf("its name has %d characters, at most %d are shown", n, labelShown), "shorten `name`"}
	}
	return fault{}
}

func (r Rule) checkGlobs() fault {
	if len(r.Include) == 0 {
		return fault{"it includes no files", "add globs such as `src/**` to `include`, or `off: true` to take a rule of this name out of force"}
	}
	if n := max(len(r.Include), len(r.Exclude)); n > maxGlobs {
		return fault{fmt.Sprintf("it has %d globs, at most %d are looked at", n, maxGlobs), "use `**` or `{a,b}` to say the same with fewer"}
	}
	for _, glob := range slices.Concat(r.Include, r.Exclude) {
		if f := checkGlob(glob); f.what != "" {
			return f
		}
	}
	return fault{}
}

func checkGlob(glob string) fault {
	said := quote(glob)
	switch {
	case strings.TrimSpace(glob) == "":
		return fault{"one of its globs is empty", "write `**` for all files"}
	case !doublestar.ValidatePattern(glob):
		return fault{said + " is no glob", "close its brackets; a `\\` takes a special sign as it stands"}
	case len(glob) > maxPattern || tooWild(glob):
		return fault{said + " is too long or has too many stars", "split it into several globs"}
	case strings.HasPrefix(glob, "/") || strings.HasPrefix(glob, "~"):
		return fault{said + " is no path from the project's root", "leave out what leads to the root: `src/**`"}
	case strings.HasPrefix(glob, "./") || strings.HasPrefix(glob, "../") || strings.Contains(glob, "/../") || strings.Contains(glob, "/./"):
		return fault{said + " has a `.` or `..` for a folder and fits no file", "write paths from the project's root: `src/**`"}
	case strings.HasSuffix(glob, "/"):
		return fault{said + " fits no file, only a folder", "write `" + strings.ReplaceAll(safe(glob), "`", "") + "**` for all that lies in it"}
	}
	return fault{}
}

func (r Rule) checkWords() fault {
	for _, text := range []string{r.Instruction, r.then().Instruction} {
		if n := len([]rune(text)); n > ruleShown {
			return fault{fmt.Sprintf("its instruction has %d characters, at most %d are shown", n, ruleShown), "say it shorter: it is a line in a message"}
		}
	}
	return fault{}
}

func (r Rule) checkEvidence() fault {
	if n := max(len(r.Evidence), len(r.then().Evidence)); n > maxEvidence {
		return fault{fmt.Sprintf("it names %d commands as evidence, at most %d are looked at", n, maxEvidence), "name the program alone where any of its commands will do"}
	}
	for _, p := range slices.Concat(r.Evidence, r.then().Evidence) {
		switch {
		case strings.TrimSpace(p) == "":
			return fault{"one of its evidence commands is empty", "write the command's first words, such as `make restart`"}
		case len(p) > maxPattern:
			return fault{quote(p) + " is too long for evidence", "the command's first words will do"}
		case p != testMark && strings.Contains(p, testMark):
			return fault{quote(p) + " has " + testMark + " inside", "as evidence " + testMark + " stands alone, for the project's test commands"}
		}
	}
	switch {
	case r.Then != nil && (len(r.Evidence) == 0 || len(r.Then.Evidence) == 0 || strings.TrimSpace(r.Then.Instruction) == ""):
		return fault{"its `then` is never asked for", "`then` needs `instruction` and `evidence` of its own, and follows on the rule's `evidence`"}
	case slices.Contains(r.then().Evidence, testMark):
		return fault{testMark + " cannot be the evidence of `then`", "name the command that shows it"}
	case len(r.Evidence) > 0 && strings.TrimSpace(r.Instruction) == "":
		return fault{"it names evidence for no instruction", "say in `instruction` what is to be done, or leave out `evidence`"}
	}
	return fault{}
}

func (r Rule) checkKind() fault {
	switch {
	case r.Sole && r.Rest:
		return fault{"it is both `sole` and `rest`", "choose one: all files and no others, or what no other rule takes"}
	case r.Ecosystem != "" && !slices.ContainsFunc(tools.Ecosystems, func(e *tools.Ecosystem) bool { return e.Name == r.Ecosystem }):
		return fault{quote(r.Ecosystem) + " is no ecosystem", "one of " + ecosystems()}
	}
	return fault{}
}

// then is what follows, empty where nothing does.
func (r Rule) then() Follow {
	if r.Then == nil {
		return Follow{}
	}
	return *r.Then
}

func ecosystems() string {
	var names []string
	for _, l := range tools.Ecosystems {
		names = append(names, l.Name)
	}
	return strings.Join(names, ", ")
}
