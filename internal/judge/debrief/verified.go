package debrief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// What the commands that Piton runs may take (docs/spec.md, "Modes").
const (
	VerifyTimeout = time.Minute      // one of them, unless it says otherwise
	VerifyLimit   = 10 * time.Minute // all of one stop together
)

// Limit is how long the command may take.
func (v Verify) Limit() time.Duration {
	if v.Timeout <= 0 {
		return VerifyTimeout
	}
	return min(v.Timeout, VerifyLimit)
}

// Applies tells whether the command is to run for these files of the agent's,
// paths relative to the work tree's root.
func (v Verify) Applies(files []string) bool {
	if v.Files == nil {
		return len(files) > 0
	}
	return Rule{Include: v.Files}.Takes(files)
}

// VerifyBound is how long all the commands together may take at most, one
// after the other; 0 when there is none. What else a stop takes comes on top.
func (s Settings) VerifyBound() time.Duration {
	var sum time.Duration
	for _, v := range s.Verify {
		sum = min(sum+v.Limit(), VerifyLimit)
	}
	return sum
}

// atLast is when a command ended that Piton ran at the stop: after every edit.
// One that ran before, on the very same tree, says as much.
var atLast = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// ranItself adds what Piton ran to the turn's calls: evidence like any other.
// One that does not count says nothing.
func (t *turn) ranItself() {
	for _, v := range t.Verified {
		if !v.Counts() {
			continue
		}
		c := &call{turn: t, at: len(t.calls), own: true, Call: agent.Call{
			Tool: "piton", Kind: agent.CallShell, Command: v.Command, Dir: t.Root,
			StartedAt: atLast, EndedAt: atLast, Failed: !v.OK, ExitCode: &v.ExitCode, Output: v.Output,
		}}
		if v.OK {
			c.ExitCode = nil
		}
		c.commands = t.commands(v.Command)
		t.calls = append(t.calls, c)
	}
}

// ownFailures are the commands that Piton ran and that failed.
func (t *turn) ownFailures() []*call {
	return keep(t.calls, func(c *call) bool { return c.own && c.Failed && !c.unavailable() })
}

// unavailable tells a failure that says nothing of the changes: what should
// run is not there.
func (c *call) unavailable() bool {
	return c.ExitCode != nil && (*c.ExitCode == 126 || *c.ExitCode == 127) && c.impossible()
}

// ownRed is a run of an ecosystem's tests that Piton made, and that failed without
// counting: nothing tells whether the turn's changes are the cause. nil for none.
func (t *turn) ownRed(ecosystem string) *agent.Verified {
	for i := range t.Verified {
		v := &t.Verified[i]
		red := v.Answered() && !v.OK && !v.Counts()
		if red && cmp.Or(ecosystemOf(v.Command), ecosystem) == ecosystem {
			return v
		}
	}
	return nil
}

// ran says which run of Piton's failed, with the line that says so, and how it went.
func ran(v *agent.Verified) string {
	text := quote(v.Command)
	if line := tools.Summarize(v.Output).Line; line != "" {
		text += " (" + quote(line) + ")"
	}
	return text + ", which " + Went(*v)
}

// verified words what Piton ran: failures as actions, what came to no answer
// as observations, but for what the facts say already.
func (t *turn) verified(facts []Fact) (failed, unsure []string) {
	if len(t.files) == 0 {
		return nil, nil
	}
	for i := range t.Verified {
		v := &t.Verified[i]
		told := slices.ContainsFunc(facts, func(f Fact) bool { return f.Ran == ran(v) })
		if !v.Counts() && !told {
			unsure = append(unsure, quote(v.Command)+" "+Went(*v)+" (Piton ran it)")
		}
	}
	for _, c := range t.calls {
		switch {
		case !c.own || !c.Failed:
		case c.unavailable():
			unsure = append(unsure, quote(c.Command)+" cannot run here (Piton tried it)")
		default:
			text := quote(c.Command) + " fails (Piton ran it"
			if *c.ExitCode > 0 {
				text += fmt.Sprintf(", exit status %d", *c.ExitCode)
			}
			if text += ")"; excerpt(c.Output()) != "" {
				text += ": " + quoteTo(excerpt(c.Output()), excerptShown+1)
			}
			failed = append(failed, text)
		}
	}
	return failed, unsure
}

// unknownBefore are the reasons why nobody knows how a command went before the turn.
var unknownBefore = map[string]string{
	"":                  "; whether it did so before this turn is not known",
	agent.BeforeFailed:  ", as it did on a copy of the tree as this turn found it",
	agent.BeforeChanged: "; whether it did so before this turn is not known, as the tree had changes then",
	agent.BeforeNoTime:  "; whether it did so before this turn is not known, as the time ran out",
}

// Went says how a command went that Piton ran, and why it does not count where it
// does not.
func Went(v agent.Verified) string {
	switch {
	case v.TimedOut:
		return strings.TrimSuffix(fmt.Sprintf("did not end within %ds: %s", max(1, (v.TookMS+500)/1000), v.Unsure), ": ")
	case v.Unsure != "":
		return "was not counted: " + v.Unsure
	case v.OK:
		return "passed"
	}
	failed := "failed"
	if v.ExitCode > 0 {
		failed = fmt.Sprintf("failed with exit status %d", v.ExitCode)
	}
	if !v.Counts() {
		failed += unknownBefore[v.Before]
	}
	return failed
}

// excerptShown bounds, in characters, what is shown of an output.
const excerptShown = 420

// excerpt is the beginning and the end of an output on one line.
func excerpt(output string) string {
	var lines []string
	for line := range strings.Lines(told(output)) {
		if line = safe(tools.Uncoloured(line)); line != "" {
			lines = append(lines, line)
		}
	}
	text := []rune(strings.Join(lines, " / "))
	if len(text) <= excerptShown {
		return string(text)
	}
	half := (excerptShown - 3) / 2
	return strings.TrimSpace(string(text[:half])) + " … " + strings.TrimSpace(string(text[len(text)-half:]))
}

// OnlyFor are the agent's files, of those that are unproven, that the command is to
// run for; always is a command that runs for any.
func (v Verify) OnlyFor(unproven []string) []string {
	ecosystem := ecosystemOf(v.Run)
	return keep(unproven, func(f string) bool {
		of := tools.EcosystemOf(f)
		return v.Applies([]string{f}) && (ecosystem == "" || of == "" || of == ecosystem)
	})
}

// maxNarrowed is how many folders a line is narrowed to at most.
const maxNarrowed = 20

// plainPath are the characters that no shell reads anything into.
const plainPath = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"

// Narrowed is the command's line for some folders only ("./a"), where it is one
// command that takes folders in place of all packages (go test ./...); else the
// line as it is.
func (v Verify) Narrowed(folders []string) string {
	found, err := shell.Parse(v.Run)
	if err != nil || len(found) != 1 || found[0].Dir != "" || strings.Join(found[0].Words, " ") != strings.TrimSpace(v.Run) {
		return v.Run
	}
	words := found[0].Words
	all := tools.Of(words[0]).All
	at := slices.Index(words, all)
	odd := func(folder string) bool { return strings.Trim(folder, plainPath) != "" }
	fit := len(folders) > 0 && len(folders) <= maxNarrowed && !slices.ContainsFunc(folders, odd)
	if all == "" || at < 0 || !fit {
		return v.Run
	}
	return strings.Join(slices.Concat(words[:at], folders, words[at+1:]), " ")
}
