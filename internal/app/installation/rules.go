package installation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/redact"
)

// RuleList is the rules that are in force in the caller's work tree, in the order
// in which they ask.
type RuleList struct {
	Rules    []Rule   `json:"rules"` // all that are in force, by precedence
	Found    []string `json:"-"`     // test commands of the work tree (TestCommands)
	Accepted []string `json:"-"`     // test commands that somebody has named
	Problems []error  `json:"-"`     // settings that were left out
}

// Rule is a rule with the names it has in a file.
type Rule struct {
	Name        string   `json:"name"`
	From        string   `json:"from,omitempty"`    // `built-in`, a file's path or a variable; absent: never
	Profile     string   `json:"profile,omitempty"` // its profile in `debrief.profiles`; absent: it is not built in
	Precedence  int      `json:"precedence"`
	Include     []string `json:"include"`
	Exclude     []string `json:"exclude,omitempty"`
	Instruction string   `json:"instruction,omitempty"`
	Evidence    []string `json:"evidence,omitempty"`
	Then        *Follow  `json:"then,omitempty"`
	Ecosystem   string   `json:"ecosystem,omitempty"`
	Advice      bool     `json:"advice,omitempty"`
	Sole        bool     `json:"sole,omitempty"`
	Rest        bool     `json:"rest,omitempty"`
	Untested    bool     `json:"untested,omitempty"`
	Off         bool     `json:"off,omitempty"`
	Untrusted   bool     `json:"untrusted,omitempty"` // it comes from a project's file that is not trusted
	Here        bool     `json:"here"`                // it is not built in, or the project has files of its kind, or tests of its language; without git true for all
	// `instruction` with this project's test commands in place of `{test}`; of several, the one
	// nearest to the changed file is asked for; absent: nothing is asked for here
	Asks     string   `json:"asks,omitempty"`
	ProvenBy []string `json:"proven_by,omitempty"` // `evidence` with these commands in place of `{test}`
}

// Follow is what a rule asks for once it is proven.
type Follow struct {
	Instruction string   `json:"instruction"`
	Evidence    []string `json:"evidence"`
}

// Rules lists the rules that are in force. What cannot be used of the settings is
// named, and the rest counts as it does in a hook.
func (a Setup) Rules(ctx context.Context, _ piton.RulesRequest) (RuleList, error) {
	root, err := a.Root()
	if err != nil {
		return RuleList{}, err
	}
	c := a.Config(root)
	out := RuleList{Rules: []Rule{}, Found: TestCommands(root), Accepted: c.Debrief.Tests, Problems: c.Problems}
	named := found(root)
	tests := c.Debrief.TestCommands(named)
	files, err := git.Repo{Dir: root}.Files(ctx)
	unknown := err != nil // then every rule may be about some file
	for _, r := range c.Debrief.InForce() {
		from := config.BuiltIn
		if at, ok := c.Layers[r.Name]; ok && r.Profile == "" {
			from = at
		}
		if r.Untrusted {
			from = c.Project.Path
		}
		x := ruleOf(r, from, r.Preview(tests))
		x.Here = unknown || from != config.BuiltIn || r.Takes(files) ||
			slices.ContainsFunc(named, func(t debrief.Test) bool { return t.Ecosystem != "" && t.Ecosystem == r.Ecosystem })
		out.Rules = append(out.Rules, x)
	}
	slices.SortStableFunc(out.Rules, func(x, y Rule) int { return x.Precedence - y.Precedence })
	return out, nil
}

// found are the test commands of the work tree at root as the rules take them,
// without secrets: they are shown.
func found(root string) (list []debrief.Test) {
	for _, x := range project.AtRoot(root).Commands() {
		run, _ := redact.Text(x.Run)
		list = append(list, debrief.Test{Run: run, Matches: x.Matches, Ecosystem: x.Ecosystem, Dir: x.Dir})
	}
	return list
}

func ruleOf(r debrief.Rule, from string, here debrief.Preview) Rule {
	out := Rule{r.Name, from, r.Profile, r.Precedence, append([]string{}, r.Include...), r.Exclude, r.Instruction, r.Evidence, nil, r.Ecosystem, r.Advice, r.Sole, r.Rest, r.Untested, r.Off, r.Untrusted, false, here.Asks, here.ProvenBy}
	if r.Then != nil {
		out.Then = &Follow{r.Then.Instruction, append([]string{}, r.Then.Evidence...)}
	}
	return out
}

// TestRequest names a command that runs the tests.
type TestRequest struct {
	Command string
	User    bool          // for the user's own file, not the project's
	Timeout time.Duration // of one that Piton runs; 0: the usual limit
	// Confirmed: a person has just typed it at a terminal, or agreed to it there. A
	// project's file that is new, or was trusted as it was, is trusted with it.
	Confirmed bool
}

// AcceptedTest is a command that was added to debrief.tests or debrief.verify.
type AcceptedTest struct {
	Changed    bool            `json:"changed"` // false if the file had it already
	Command    string          `json:"command"`
	File       string          `json:"file"`
	Line       int             `json:"-"`                 // where it stands in the file; 0: not known
	Trusted    bool            `json:"trusted,omitempty"` // the project's file is trusted as it is now
	NeedsTrust bool            `json:"needs_trust"`       // the command does not count before `piton trust`
	Known      bool            `json:"-"`                 // a run of it counts without an entry
	Warning    string          `json:"warning,omitempty"` // why Piton cannot tell whether the command runs tests
	Missing    string          `json:"missing,omitempty"` // a program, script or target that is not here
	Waits      bool            `json:"waits,omitempty"`   // Piton does not run the command while the file is not trusted
	Tried      *agent.Verified `json:"tried,omitempty"`   // of `verify`: how it went when it was run once now; absent: the file had it already
}

// AcceptTest adds a command that runs the tests to the settings of the caller's
// project, or to the user's own.
func (a Setup) AcceptTest(ctx context.Context, r TestRequest) (AcceptedTest, error) {
	return a.addTest(ctx, "accept the command", r, config.File.AddTest)
}

// VerifyTest adds to the same settings a command that runs the tests, for Piton to
// run at a stop where what they check is unproven.
// Rule: docs/spec.md, "Modes".
func (a Setup) VerifyTest(ctx context.Context, r TestRequest) (AcceptedTest, error) {
	const op = "let Piton run the command"
	if r.Timeout < 0 || r.Timeout > debrief.VerifyLimit {
		return AcceptedTest{}, piton.Errorf(piton.Invalid, op, "all commands of a stop together may take "+debrief.VerifyLimit.String(), "a timeout of %s", r.Timeout)
	}
	x, err := a.addTest(ctx, op, r, func(f config.File, command string) (bool, error) {
		return f.AddVerify(command, r.Timeout)
	})
	x.Waits = x.NeedsTrust
	return x, err
}

// CheckTest tells what a command line is as one that runs the tests, and writes nothing.
// Invalid: it can be no evidence. Missing says what it runs that is not here.
func (a Setup) CheckTest(command string) (AcceptedTest, error) {
	const hint = "give the line that runs the tests, as an agent would run it: 'make test'"
	root, err := a.Root()
	if err != nil {
		return AcceptedTest{}, err
	}
	command = strings.TrimSpace(command)
	if err := proves(command); err != nil {
		command, _ = redact.Text(command)
		return AcceptedTest{}, piton.Errorf(piton.Invalid, "", hint, "%q %w", command, err)
	}
	tests := project.AtRoot(root)
	read := tests.Read(command)
	said, _ := redact.Text(read.Said)
	if read.Nothing {
		return AcceptedTest{}, piton.Errorf(piton.Invalid, "", hint, "it would prove nothing: %s", said)
	}
	missing := tests.Missing(command, a.Options.Getenv("PATH"))
	return AcceptedTest{Command: command, Known: read.Tests && missing == "", Warning: said, Missing: missing}, nil
}

// UsableTest is CheckTest of a command that is to run here: Invalid where it lacks something.
func (a Setup) UsableTest(command string) (AcceptedTest, error) {
	x, err := a.CheckTest(command)
	if err == nil && x.Missing != "" {
		err = piton.Errorf(piton.Invalid, "take the test command", "check the spelling", "%s", x.Missing)
	}
	return x, err
}

// addTest adds a command that runs the tests to the settings, once it can be
// evidence.
func (a Setup) addTest(ctx context.Context, op string, r TestRequest, add func(f config.File, command string) (bool, error)) (AcceptedTest, error) {
	x, err := a.CheckTest(r.Command)
	if err != nil {
		with := *caller.AsError(err)
		with.Op = op
		return x, &with
	}
	f, err := a.settingsFile(ctx, op, !r.User)
	if err != nil {
		return AcceptedTest{}, err
	}
	var vouched []byte // the text of a project's file that a person has vouched for
	f.Wrote = func(before, after []byte) {
		if r.Confirmed && (len(bytes.TrimSpace(before)) == 0 || a.trustedText(f, before)) {
			vouched = after
		}
	}
	x.File = f.Path
	if x.Changed, err = add(f, x.Command); err != nil {
		return x, err
	}
	text, err := f.Text()
	if x.Line = config.LineOf(text, x.Command); err != nil || r.User {
		return x, err
	}
	if vouched != nil && a.ByPerson(ctx, op, noVouching) == nil {
		if err := a.Trust(TrustQuestion{Path: f.Path, Text: vouched, root: f.Within}); err != nil {
			return x, err
		}
	}
	x.Trusted = a.trustedText(f, text)
	x.NeedsTrust = !x.Trusted
	return x, nil
}

// trustedText tells whether a text of the project's file is trusted.
func (a Setup) trustedText(f config.File, text []byte) bool {
	all, err := config.LoadTrusts(a.Options.Home)
	return err == nil && all.Holds(f.Path, text, func() string { return git.RepositoryOf(f.Within) })
}

// maxTestCommand bounds a command that debriefs ask for.
const maxTestCommand = 300

// proves tells what keeps a command line from ever being evidence; nil if
// nothing does.
func proves(line string) error {
	switch _, secrets := redact.Text(line); {
	case line == "":
		return errors.New("is empty")
	case len(line) > maxTestCommand:
		return fmt.Errorf("is longer than %d bytes; a script or a target of a Makefile can hold it", maxTestCommand)
	case line != piton.Printable(line):
		return errors.New("contains invisible characters")
	case secrets > 0:
		return errors.New("holds a secret, which would be kept and told")
	}
	found, err := shell.Parse(line)
	if err != nil {
		return fmt.Errorf("is not a command line that can be read: %w", err)
	}
	found = slices.DeleteFunc(found, func(c shell.Command) bool { return len(c.Words) == 0 })
	tests := func(c shell.Command) bool { return !slices.Contains(talkers, c.Words[0]) }
	known := slices.DeleteFunc(slices.Clone(found), func(c shell.Command) bool { return !c.Matches(line) })
	switch {
	case len(found) == 0:
		return errors.New("runs nothing")
	case slices.ContainsFunc(found, shell.Command.DryRun):
		return errors.New("proves nothing: its own flags keep it from running anything")
	case slices.ContainsFunc(found, func(c shell.Command) bool { return c.Status == shell.Background }):
		return errors.New("proves nothing: it is only started in the background")
	case !slices.ContainsFunc(found, tests):
		return errors.New("proves nothing: it succeeds whatever the tests do")
	case len(known) == 0 || slices.ContainsFunc(known, func(c shell.Command) bool { return !tests(c) }):
		return errors.New("would not be known again when an agent runs it; give the command that runs the tests alone")
	}
	return nil
}

// talkers are programs that test nothing.
var talkers = []string{"echo", "printf", "true", ":", "false", "cat", "ls", "cd", "pwd", "sleep", "exit", "export", "set", "date", "env", "test", "[", "touch", "mkdir", "head", "tail", "grep", "which", "type"}
