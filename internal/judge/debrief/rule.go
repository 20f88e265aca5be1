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

// Rule makes a category of the files it includes and says what is to be done
// after they changed. In YAML its fields have the names below (docs/rules.md).
type Rule struct {
	// the name of the category in messages, at most 60 characters. A rule with the name of a
	// built-in rule, or of a rule of the user, replaces it completely; case does not matter
	Name       string   `yaml:"name"`
	Include    []string `yaml:"include,omitempty"`    // globs on the whole path from the project's root: `*` stays in one folder, `**` matches any number, also none; `{a,b}`, `?` and `[…]` work
	Exclude    []string `yaml:"exclude,omitempty"`    // globs of what it does not take
	Precedence int      `yaml:"precedence,omitempty"` // lower numbers come first; 0 if not given. The built-in rules have 20 to 100. Rules with equal numbers keep the order of the files
	// what the agent is asked to do, at most 400 characters; none if the category asks for nothing.
	// `{test}` stands for the test command of the changed files. If there is none, the instruction
	// is dropped, or only its clause `, or run {test}`
	Instruction string `yaml:"instruction,omitempty"`
	// commands. If one succeeded after the category's last edit, the instruction is dropped. Without
	// evidence the instruction is an observation, because it cannot be proven
	Evidence  []string `yaml:"evidence,omitempty"`
	Then      *Follow  `yaml:"then,omitempty"`      // a second `instruction` with its own `evidence`, asked for after the first is done: after a restart its status
	Ecosystem string   `yaml:"ecosystem,omitempty"` // whose tests `{test}` means; by default each file's name decides
	Advice    bool     `yaml:"advice,omitempty"`    // `true`: an observation, although evidence is named
	Sole      bool     `yaml:"sole,omitempty"`      // `true`: applies only if nothing but these files and documents changed; then it stands for the rules that ask for a test run
	// `true`: asks for nothing; its evidence (builds, checks of types) stands for a test run where a
	// file's project has no tests, or a changed helper serves a suite that needs a server
	Untested bool `yaml:"untested,omitempty"`
	Rest     bool `yaml:"rest,omitempty"` // `true`: takes only files that are in no other category
	Off      bool `yaml:"off,omitempty"`  // `true`: disables the rule of this name; only the name is needed

	Profile   string `yaml:"-"` // of a built-in rule: what Settings.Profiles choose it by
	Untrusted bool   `yaml:"-"` // from a file that nobody vouched for: its words are quoted
	Beside    bool   `yaml:"-"` // it takes nothing from another: neither a name's place nor files nor words
}

// Follow is a second action that the first one's evidence demands: after a
// restart, its status.
type Follow struct {
	Instruction string   `yaml:"instruction"`
	Evidence    []string `yaml:"evidence"`
}

// named tells whether the rule bears a name; how it is capitalised says
// nothing.
func (r Rule) named(name string) bool {
	return strings.EqualFold(strings.TrimSpace(r.Name), strings.TrimSpace(name))
}

// docsName is the category that needs nothing.
const docsName = "docs"

// docs tells whether the rule is the one of documents, which need nothing.
func (r Rule) docs() bool { return r.named(docsName) && !r.added() }

// added tells whether the rule may only add to what others ask for.
func (r Rule) added() bool { return r.Untrusted || r.Beside }

// title is the rule's name as messages have it: a stranger's is quoted.
func (r Rule) title() string {
	if r.Untrusted {
		return quote(label(r.Name))
	}
	return label(r.Name)
}

const (
	testMark = "{test}"
	runTests = "run " + testMark
)

// tests tells whether a test run is evidence for the rule.
func (r Rule) tests() bool { return slices.Contains(r.Evidence, testMark) }

// runsTests tells whether the rule asks for a test run and nothing else.
func (r Rule) runsTests() bool {
	return r.tests() && strings.Contains(r.Instruction, testMark) && !strings.Contains(r.Instruction, ", or "+runTests)
}

// judged tells whether the rule is a built-in one of code: its files are judged by
// what ran (docs/spec.md, "What holds").
func (r Rule) judged() bool { return r.Profile != "" && r.runsTests() }

// untestedEvidence are the commands that people's rules name as builds of projects
// without tests.
func untestedEvidence(rules []Rule) (all []string) {
	for _, r := range rules {
		if r.Untested && !r.added() {
			all = append(all, r.Evidence...)
		}
	}
	return all
}

// includes tells whether the rule takes a path.
func (r Rule) includes(path string) bool {
	fits := func(glob string) bool { return match(glob, path) }
	return slices.ContainsFunc(r.Include, fits) && !slices.ContainsFunc(r.Exclude, fits)
}

// Takes tells whether the rule is about any of these files.
func (r Rule) Takes(paths []string) bool { return slices.ContainsFunc(paths, r.includes) }

// maxStars bounds what a glob may cost: its matching goes back and forth.
const maxStars = 12

func tooWild(glob string) bool {
	return strings.Count(glob, "*") > maxStars || strings.Count(glob, "{") > 4 || len(glob) > 1000
}

// match is doublestar.Match with a short way for the frequent **/*.go; a
// pattern that is none, or more than anyone needs, fits nothing.
func match(glob, path string) bool {
	if suffix, ok := strings.CutPrefix(glob, "**/*"); ok && !strings.ContainsAny(suffix, `*?[]{}\/`) {
		return strings.HasSuffix(path, suffix)
	}
	if tooWild(glob) {
		return false
	}
	ok, err := doublestar.Match(glob, path)
	return err == nil && ok
}

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
// An instruction without evidence is not a fault: it becomes an observation.
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
			fault{!doublestar.ValidatePattern(glob), said + " is not a glob", "close its brackets; a `\\` takes a special sign as it stands"},
			fault{len(glob) > maxPattern || tooWild(glob), said + " is too long or has too many stars", "split it into several globs"},
			fault{strings.HasPrefix(glob, "/") || strings.HasPrefix(glob, "~"), said + " is not a path from the project's root", "leave out what leads to the root: `src/**`"},
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
		{r.Ecosystem != "" && !slices.Contains(names, r.Ecosystem), quote(r.Ecosystem) + " is not an ecosystem", "one of " + strings.Join(names, ", ")},
	}
}
