package debrief

import (
	"cmp"
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

// fault is what may be wrong with a rule, whether it is, and what to do about it.
type fault struct {
	is         bool
	what, hint string
}

// Check tells what is wrong with a rule of someone's own: piton.Invalid, with a
// hint. A rule that only takes another one out of force needs a name, no more.
// An instruction without evidence is no fault: it becomes an observation.
// Rule: docs/spec.md, "Rules".
func (r Rule) Check() error {
	op := "read the rule " + quote(r.Name)
	if label(r.Name) == label("") {
		op = "read a rule"
	}
	all := r.nameFaults()
	if !r.Off {
		all = slices.Concat(all, r.globFaults(), r.wordFaults(), r.evidenceFaults(), r.kindFaults())
	}
	for _, f := range all {
		if f.is {
			return &piton.Error{Code: piton.Invalid, Op: op, Hint: f.hint, Err: errors.New(f.what)}
		}
	}
	return nil
}

func (r Rule) nameFaults() []fault {
	n := len([]rune(r.Name))
	return []fault{
		{strings.TrimSpace(safe(r.Name)) == "", "it has no name", "give it a `name`; that of a built-in rule replaces that rule"},
		{n > labelShown, fmt.Sprintf("its name has %d characters, at most %d are shown", n, labelShown), "shorten `name`"},
	}
}

func (r Rule) globFaults() []fault {
	n := max(len(r.Include), len(r.Exclude))
	all := []fault{
		{len(r.Include) == 0, "it includes no files", "add globs such as `src/**` to `include`, or `off: true` to take a rule of this name out of force"},
		{n > maxGlobs, fmt.Sprintf("it has %d globs, at most %d are looked at", n, maxGlobs), "use `**` or `{a,b}` to say the same with fewer"},
	}
	for _, glob := range slices.Concat(r.Include[:min(len(r.Include), maxGlobs)], r.Exclude[:min(len(r.Exclude), maxGlobs)]) {
		said := quote(glob)
		dots := strings.HasPrefix(glob, "./") || strings.HasPrefix(glob, "../") || containsAny(glob, "/../", "/./")
		all = append(all,
			fault{strings.TrimSpace(glob) == "", "one of its globs is empty", "write `**` for all files"},
			fault{!doublestar.ValidatePattern(glob), said + " is no glob", "close its brackets; a `\\` takes a special sign as it stands"},
			fault{len(glob) > maxPattern || tooWild(glob), said + " is too long or has too many stars", "split it into several globs"},
			fault{strings.HasPrefix(glob, "/") || strings.HasPrefix(glob, "~"), said + " is no path from the project's root", "leave out what leads to the root: `src/**`"},
			fault{dots, said + " has a `.` or `..` for a folder and fits no file", "write paths from the project's root: `src/**`"},
			fault{strings.HasSuffix(glob, "/"), said + " fits no file, only a folder", "write `" + strings.ReplaceAll(safe(glob), "`", "") + "**` for all that lies in it"},
		)
	}
	return all
}

func (r Rule) wordFaults() (all []fault) {
	for _, text := range []string{r.Instruction, cmp.Or(r.Then, &Follow{}).Instruction} {
		n := len([]rune(text))
		all = append(all, fault{n > ruleShown, fmt.Sprintf("its instruction has %d characters, at most %d are shown", n, ruleShown), "say it shorter: it is a line in a message"})
	}
	return all
}

func (r Rule) evidenceFaults() []fault {
	then := cmp.Or(r.Then, &Follow{})
	n := max(len(r.Evidence), len(then.Evidence))
	all := []fault{{n > maxEvidence, fmt.Sprintf("it names %d commands as evidence, at most %d are looked at", n, maxEvidence), "name the program alone where any of its commands will do"}}
	for _, p := range slices.Concat(r.Evidence[:min(len(r.Evidence), maxEvidence)], then.Evidence[:min(len(then.Evidence), maxEvidence)]) {
		all = append(all,
			fault{strings.TrimSpace(p) == "", "one of its evidence commands is empty", "write the command's first words, such as `make restart`"},
			fault{len(p) > maxPattern, quote(p) + " is too long for evidence", "the command's first words will do"},
			fault{p != testMark && strings.Contains(p, testMark), quote(p) + " has " + testMark + " inside", "as evidence " + testMark + " stands alone, for the project's test commands"},
		)
	}
	idle := len(r.Evidence) == 0 || len(then.Evidence) == 0 || strings.TrimSpace(then.Instruction) == ""
	return append(all,
		fault{r.Then != nil && idle, "its `then` is never asked for", "`then` needs `instruction` and `evidence` of its own, and follows on the rule's `evidence`"},
		fault{slices.Contains(then.Evidence, testMark), testMark + " cannot be the evidence of `then`", "name the command that shows it"},
		fault{len(r.Evidence) > 0 && strings.TrimSpace(r.Instruction) == "", "it names evidence for no instruction", "say in `instruction` what is to be done, or leave out `evidence`"},
	)
}

func (r Rule) kindFaults() []fault {
	var names []string
	for _, e := range tools.Ecosystems {
		names = append(names, e.Name)
	}
	return []fault{
		{r.Sole && r.Rest, "it is both `sole` and `rest`", "choose one: all files and no others, or what no other rule takes"},
		{r.Ecosystem != "" && !slices.Contains(names, r.Ecosystem), quote(r.Ecosystem) + " is no ecosystem", "one of " + strings.Join(names, ", ")},
	}
}
