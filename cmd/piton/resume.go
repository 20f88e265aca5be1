package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/runs"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func resumeCommand(con console) *cobra.Command {
	var start bool
	var later struct {
		on     bool
		within time.Duration
		tokens int64
	}
	c := cli.Asks(&cobra.Command{
		Use:   "resume [ID | NAME]",
		Short: "Print a brief to continue from a checkpoint",
		Long: `Print the brief with which an agent continues from a checkpoint: what is done, what
is in progress, what was decided, and what has changed in the work tree since.

It takes an ID, or the NAME given by 'piton save --name', or the newest checkpoint
of --workflow or --session. Without any of these it takes unfinished work of the
project that no live session works on: what was saved by itself before what hooks
captured, and of each the newest. If a checkpoint is damaged, its nearest intact
ancestor is taken, and the brief says so.

--agent prints the command that starts a client with the brief. --exec runs it
(claude unless --agent names another) and exits with its status.

--when-limit-ends goes on by itself with the work of a session that waits for the end of a
limit of the API: it waits until then, and starts the client (the session's own, or that of
--agent) on the brief, without a terminal, with the rights to edit, in a run that
'piton runs' shows and cancels. It begins within --within (2h) of the end or not at all,
lasts as long at most, and ends when --max-tokens are used. Only a person may say so, each
time anew. Ctrl-C stops it; 'piton run --resume' goes on.`,
		Example: `  piton resume
  piton resume chk_7m2k --agent claude --exec
  piton resume --session ses_9p4q --when-limit-ends --max-tokens 2000000`,
		Args:              cli.AtMostOne(piton.CheckpointPrefix),
		ValidArgsFunction: con.CompleteIDs,
	}, func(c *cobra.Command, asked piton.ResumeRequest) error {
		if later.on {
			r, err := con.App().AfterLimit(c.Context(), asked, later.within, later.tokens)
			if err != nil {
				return err
			}
			return runs.Run(c.Context(), con.Console, r, "")
		}
		if later.within != 0 || later.tokens != 0 {
			return piton.Errorf(piton.Invalid, c.CommandPath(), "add --when-limit-ends, or leave them out", "--within and --max-tokens bound what goes on by itself, and nothing does")
		}
		if start && asked.Agent == "" {
			asked.Agent = "claude"
		}
		first := asked.Choice == (piton.Choice{InProject: asked.InProject}) && con.ForPerson()
		r, err := con.App().Resume(c.Context(), asked)
		if err != nil {
			return again(err, start, asked.Agent)
		}
		if r.RecoveredFrom != "" && !con.JSON {
			con.Say("piton: %s is damaged (%s); going on from its nearest intact ancestor %s", r.RecoveredFrom, screen.Clean(r.Why), r.Checkpoint.ID)
		}
		switch {
		case start:
			if first {
				con.Say("Going on with %s (%s, %s ago). 'piton list --open' shows what else is unfinished.", r.Checkpoint.ID, screen.Line(r.Checkpoint.Step()), con.Age(r.Checkpoint.CreatedAt))
			}
			return con.execute(r.Command, agent.ResumesEnv+"="+r.Checkpoint.ID)
		case con.JSON:
			return con.PrintJSON(r)
		case asked.Agent != "":
			return con.Print(screen.Clean(screen.Quote(r.Command...)) + "\n")
		case con.ForPerson():
			return con.InPager(c.Context(), func() error {
				err := con.Print(fmt.Sprintf("Restoring checkpoint %s...\n\n%s", con.Bold(r.Checkpoint.ID), con.Rendered(screen.Clean(con.localBrief(r)))))
				if first && err == nil {
					err = con.showOthers(c.Context(), asked.InProject, r)
				}
				con.showWays(r)
				return err
			})
		}
		return con.Print(screen.Clean(r.Brief))
	})
	x := c.Flags()
	x.BoolVar(&start, "exec", false, "run that command here")
	x.BoolVar(&later.on, "when-limit-ends", false, "go on by itself when the limit of the session's API has ended")
	x.DurationVar(&later.within, "within", 0, "then begin within this `DURATION`, and last as long at most (default 2h)")
	x.Int64Var(&later.tokens, "max-tokens", 0, "then use at most `N` tokens")
	c.MarkFlagsMutuallyExclusive("exec", "when-limit-ends")
	return c
}

// localBrief is the brief as a person reads it: the time of the save is in their own
// zone, as in lists. Agents and programs get UTC.
func (con console) localBrief(r app.Resumption) string {
	const label = "\n**Saved**: "
	at := r.Checkpoint.CreatedAt
	return strings.Replace(r.Brief, label+at.String()+",", label+con.When(at)+",", 1)
}

// showOthers tells a person what else is unfinished here.
func (con console) showOthers(ctx context.Context, dir piton.InProject, r app.Resumption) error {
	x, err := con.App().WaitingFor(ctx, piton.WaitingRequest{InProject: dir})
	taken := []string{r.Checkpoint.ID, r.RecoveredFrom, r.Checkpoint.SessionID, r.Next}
	others := slices.DeleteFunc(x.Work, func(w app.Work) bool {
		return w.ID != "" && (slices.Contains(taken, w.ID) || slices.Contains(taken, w.Command))
	})
	if err != nil {
		return nil // the brief was asked for
	}
	if err := con.printWork(others[:min(len(others), maxOpen)], true); err != nil || len(others) <= maxOpen {
		return err
	}
	return con.Print(fmt.Sprintf("and %d more: piton status\n", len(others)-maxOpen))
}

// showWays tells a person how to go on: the brief alone starts nobody. A run of a plan goes
// on by its own command.
func (con console) showWays(r app.Resumption) {
	con.Say("")
	if r.Next != "" {
		con.Say("Go on with the run: %s", screen.Clean(r.Next))
		return
	}
	if len(r.Command) > 0 {
		con.Say("Go on in its own conversation: %s", screen.Clean(screen.Quote(r.Command...)))
	}
	con.Say("Start an agent on this brief: piton resume %s --agent X --exec (X: %s)", r.Checkpoint.ID, app.ClientNames())
}

// execute runs a client with our terminal, and a variable more, and ends as it does.
func (con console) execute(argv []string, variable string) error {
	if len(argv) == 0 {
		return piton.Errorf(piton.Invalid, "start the client", "give --agent", "unknown command for this checkpoint")
	}
	x := exec.Command(argv[0], argv[1:]...)
	x.Env = append(os.Environ(), variable)
	return con.lend(x)
}

// lend runs a program with our terminal, and ends as it does.
func (con console) lend(x *exec.Cmd) error {
	x.Stdin, x.Stdout, x.Stderr = con.In, con.Out, con.Err
	program := x.Args[0]
	start, err := screen.Attend(x)
	var ended *exec.ExitError
	switch {
	case start != nil:
		return &piton.Error{Code: piton.Unavailable, Op: "start " + program, Hint: "see that it is installed and in PATH", Err: start}
	case !errors.As(err, &ended) && err != nil:
		return &piton.Error{Code: piton.Unavailable, Op: "run " + program, Err: err}
	}
	con.Status = exitOf(ended)
	return nil
}

// exitOf is a program's exit status as shells have it; nil ended well.
func exitOf(ended *exec.ExitError) int {
	if ended == nil {
		return 0
	}
	if w, ok := ended.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return max(ended.ExitCode(), 1)
}

// resumeHint is the command in a hint of Resume.
var resumeHint = regexp.MustCompile(`'(resume chk_\w+)'`)

// again is an error of Resume whose hint has the options that were typed.
func again(err error, start bool, client string) error {
	e := *caller.AsError(err)
	words := "'$1"
	if client != "" {
		words += " agent " + client
	}
	if start {
		words += " --exec"
	}
	e.Hint = resumeHint.ReplaceAllString(e.Hint, words+"'")
	return &e
}
