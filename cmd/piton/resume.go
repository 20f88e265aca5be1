package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/agent"
	"github.com/piton-project/piton/history"
)

func resumeCommand(a *app) *cobra.Command {
	var s history.Selector
	var dir, client string
	var start bool
	c := &cobra.Command{
		Use:   "resume [ID]",
		Short: "Print the brief to go on from a checkpoint",
		Long: `Print the brief that lets an agent go on from a checkpoint: what is done, what is
at work, what was decided, and what in the work tree is no longer as it was.

Without an ID it takes the newest unfinished work of the project that no live
session is at. A damaged checkpoint is replaced by its nearest intact ancestor,
and the brief says so.

--agent prints the command that starts a client on the brief, --exec runs it.`,
		Example: `  piton resume
  piton resume chk_7m2k --agent claude --exec`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			k, err := a.keeper(c.Context(), true)
			if missing(err) {
				return piton.Errorf(piton.NotFound, "resume", "save something first: piton save", "nothing has been saved yet")
			}
			if err != nil {
				return err
			}
			if err := a.selector(c, args, &s, dir); err != nil {
				return err
			}
			if len(args) == 0 && s.Workflow == "" && s.Session == "" && s.Project == "" {
				return piton.Errorf(piton.NotFound, "resume", "'piton list' shows all checkpoints; 'piton resume ID' takes any of them", "no unfinished work in this project")
			}
			var adapter agent.Adapter
			if client != "" || start {
				var ok bool
				if adapter, ok = agent.ByName(firstOf(client, "claude")); !ok {
					return piton.Errorf(piton.Invalid, "resume", "one of "+clientNames(), "no client is called %q", client)
				}
			}
			if len(args) == 0 && s.Workflow == "" && s.Session == "" && a.outTerminal() {
				a.showOpen(c, k, s.Project)
			}
			r, err := k.Resume(c.Context(), s)
			if err != nil {
				return err
			}
			if r.RecoveredFrom != "" {
				fmt.Fprintf(a.err, "piton: %s is damaged (%s); going on from its nearest intact ancestor %s\n", r.RecoveredFrom, r.Why, r.Checkpoint.ID)
			}
			command := a.resumeWith(c, adapter, r)
			switch {
			case start:
				return a.execute(c, command)
			case a.json:
				return a.printResumption(r, command)
			case adapter != nil:
				_, err := fmt.Fprintln(a.out, quote(command))
				return err
			}
			if a.outTerminal() {
				fmt.Fprintf(a.out, "Restoring checkpoint %s...\n\n", a.bold(r.Checkpoint.ID))
			}
			_, err = fmt.Fprint(a.out, r.Brief)
			return err
		},
	}
	selectFlags(c, &s, &dir)
	c.Flags().StringVar(&client, "agent", "", "print the command that starts this client on the brief: "+clientNames())
	c.Flags().BoolVar(&start, "exec", false, "run that command here")
	return c
}

// showOpen tells a person what else there is to resume.
func (a *app) showOpen(c *cobra.Command, k history.Keeper, project string) {
	open, more, err := k.Detect(c.Context(), project, "", openShown)
	if err == nil && len(open) > 1 {
		fmt.Fprintf(a.err, "Unfinished work here (%d); going on with the newest:\n", len(open)+more)
		_ = a.printList(piton.Page{Checkpoints: open}, true)
		fmt.Fprintln(a.err)
	}
}

// resumeWith is the command that goes on: the client asked for, started on the
// brief; else the session's own client, in its own conversation.
func (a *app) resumeWith(c *cobra.Command, adapter agent.Adapter, r history.Resumption) []string {
	if adapter != nil {
		return adapter.StartCommand(r.Brief)
	}
	s, err := a.store.Session(c.Context(), r.Checkpoint.SessionID)
	if err != nil {
		return nil
	}
	if own, ok := agent.ByName(s.Agent); ok {
		return own.ResumeCommand(s.ClientID)
	}
	return nil
}

func (a *app) printResumption(r history.Resumption, command []string) error {
	return a.printJSON(struct {
		Checkpoint    piton.Checkpoint `json:"checkpoint"`
		State         json.RawMessage  `json:"state"`
		Drift         []history.Drift  `json:"drift"`
		Brief         string           `json:"brief"`
		Command       []string         `json:"command,omitempty"`
		RecoveredFrom string           `json:"recovered_from,omitempty"`
	}{r.Checkpoint, r.State, r.Drift, r.Brief, command, r.RecoveredFrom})
}

// execute runs a client in our place, with our terminal.
func (a *app) execute(c *cobra.Command, argv []string) error {
	if len(argv) == 0 {
		return piton.Errorf(piton.Invalid, "start the client", "give --agent", "there is no command for this checkpoint")
	}
	x := exec.CommandContext(c.Context(), argv[0], argv[1:]...)
	x.Stdin, x.Stdout, x.Stderr = os.Stdin, a.out, a.err
	err := x.Run()
	var ended *exec.ExitError
	if asExit(err, &ended) {
		a.status = max(ended.ExitCode(), 1)
		return nil
	}
	if err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "start " + argv[0], Hint: "see that it is installed and in PATH", Err: err}
	}
	return nil
}

func clientNames() string {
	var names []string
	for _, x := range agent.All {
		names = append(names, x.Name())
	}
	return strings.Join(names, ", ")
}

// quote writes a command so that a shell reads it back.
func quote(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@") == "" {
			words[i] = w
			continue
		}
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}
