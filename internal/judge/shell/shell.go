// Package shell tells what a command line really runs: its simple commands in
// order, the directory each runs in, and what the line's exit status says of
// it. Nothing is executed and no file is looked at.
package shell

import (
	"slices"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Command is one simple command of a line as it is really run.
// Rule: docs/spec.md, "Evidence".
type Command struct {
	// Words is the literal argv without assignments and wrappers (sudo,
	// timeout 60, uv run, docker compose exec web …). What only the shell
	// could expand stays as written: $X, *.go. It is empty for a redirection
	// that stands alone or around a compound command.
	Words []string
	// Dir is where it runs, relative to where the line began ("" is that place).
	Dir    string
	Status Status
	Writes []string // targets of its output redirections as written, devices left out
	Stdin  string   // its here-document, here-string or echoed input, if the line holds it
	Env    []string // NAME=value, in order, as the line sets them for it
	Away   *Away    // the container or machine that runs it; nil: none

	fate             // with what its shell says of it
	argv    []string // Words before the wrappers were taken off
	inputs  []string // targets of <
	muted   bool     // all that it prints goes to /dev/null
	limited bool     // a time limit may have ended it, and nothing looks at its status
	masked  string   // why its first word may stand for another program
	fed     bool     // xargs adds words to it
}

// fate is what becomes of the exit status at one place of the line.
type fate struct {
	runs    bool   // a line that succeeded has run it
	counts  bool   // its failure is the failure of the shell it runs in
	stops   bool   // its failure ends that shell (set -e)
	suspect bool   // a line that failed may have failed here
	first   bool   // of a pipe: the failure of its first command is that of the shell
	dropped bool   // nothing looks at its status
	then    string // see Command.Then
	setting
}

// setting is what holds of a place whatever is done with its status.
type setting struct {
	ignored    bool // set -e has no say here, nor anywhere inside
	background bool
	unsure     bool   // it is forgiven, or one choice of several
	maybe      bool   // the line may pass it by and still succeed
	forced     bool   // what follows makes up for its failure
	after      string // see Command.After
}

// hidden is the fate of what runs at the same place with its status dropped.
func (f fate) hidden() fate { return fate{runs: f.runs, setting: f.setting} }

// question is the fate of a condition: its status is asked for, and set -e has no say.
func (f fate) question() fate {
	f = f.hidden()
	f.ignored = true
	return f
}

// behind is the fate of what runs in the background.
func (f fate) behind() fate {
	f = f.hidden()
	f.background = true
	return f
}

// repeated is the fate of a loop's body: only the last round gives the status.
func (f fate) repeated(runs bool) fate {
	body := f.hidden()
	body.runs, body.suspect, body.maybe, body.after = runs, f.counts || f.suspect, f.maybe || !runs, ""
	return body
}

// Away is the container or machine that runs a command instead of this one.
type Away struct {
	By     string   // what sends it there: "docker run"
	Image  string   // that the container is made from, if the command makes it
	Mounts []string // the folders of this machine that this container is given, as written
	Apart  bool     // it is another machine, which has files of its own

	Service string   // the service, or the container, that runs already or that a project's files describe
	Files   []string // the compose files that the command names for it, as written
}

// Status says how the line's exit status and a command's are tied.
type Status int

const (
	// Hidden: the line can succeed though the command failed or never ran:
	// a pipe's left side, before ; or ||, a condition, a loop's body.
	Hidden Status = iota
	// Decides: a line that succeeded has run the command, successfully.
	Decides
	// Background: started and not waited for.
	Background
)

func (s Status) String() string { return [...]string{"hidden", "decides", "background"}[s] }

// Verdict answers whether a command succeeded.
type Verdict string

const (
	Unknown Verdict = "unknown" // the exit status does not tell; its output may
	Yes     Verdict = "yes"
	No      Verdict = "no" // it failed, or nothing can show that it succeeded
)

// Succeeded judges the command by the exit status of its line. A failed line
// speaks against every command that may have failed it, so in `a && b` against
// both. A background command is a No either way.
func (c Command) Succeeded(lineOK bool) Verdict {
	switch {
	case c.Status == Background:
		return No
	case lineOK && c.Status == Decides:
		return Yes
	case !lineOK && c.suspect:
		return No
	}
	return Unknown
}

// Program is what the line starts: the wrapper around Words, where there is one.
func (c Command) Program() string {
	for _, words := range [][]string{c.argv, c.Words} {
		if len(words) > 0 {
			return words[0]
		}
	}
	return ""
}

// Argv is Words as the program gets them, as far as the line says: with the flags
// of its variables (GOFLAGS), and with $@ for those that xargs adds.
func (c Command) Argv() []string {
	if len(c.Words) == 0 {
		return nil
	}
	words := tools.NewCall(c.Words).WithFlagsOf(c.Env)
	if c.fed {
		words = append(slices.Clip(words), "$@")
	}
	return words
}

// Silenced reports whether nothing can show how the command ended: its status
// is dropped and its output thrown away, as in `a >/dev/null 2>&1 || true`.
func (c Command) Silenced() bool { return c.Status == Hidden && c.muted && c.dropped }

// Doubt tells why neither the line's success nor silence shows that the command
// did what it is for; "" if nothing does. It may never have run, it may have
// been ended by a time limit, its failure is made up for, or its first word may
// stand for another program. Only what it has printed can tell. reached says that
// the line has come to it: After was printed. passed says that it has succeeded:
// Then was.
func (c Command) Doubt(reached, passed bool) string {
	switch {
	case c.masked != "":
		return c.masked
	case c.Status != Hidden, passed:
	case c.maybe && !reached:
		return "may never have run"
	case c.forced:
		return "has its failure made up for"
	case c.limited:
		return "may have been ended by its time limit"
	}
	return ""
}

// After is what the line prints right before it runs the command, so that an
// output with it shows that the line has come so far: `a && echo text && b`. Empty
// where it prints nothing there, or what only the shell knows.
func (c Command) After() string { return c.after }

// Then is what the line prints right after the command if it succeeded, and else
// does not: `a && echo text`. Empty where it prints nothing there, or what only the
// shell knows.
func (c Command) Then() string { return c.then }

// Demanded reports whether the line is there to run the command and cares how
// it ends: it is not a branch of a case or a question to the line's arguments, not
// in the background, and no `|| true` stands behind it.
func (c Command) Demanded() bool { return c.Status != Background && !c.unsure }

// MayHaveFailed reports whether the failure of its line may be this command's.
func (c Command) MayHaveFailed() bool { return c.suspect }
