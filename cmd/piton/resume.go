package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/turn"
)

func resumeCommand(a *app) *cobra.Command {
	var s history.Selector
	var dir, clientName string
	var start bool
	c := &cobra.Command{
		Use:   "resume [ID | NAME]",
		Short: "Print the brief to go on from a checkpoint",
		Long: `Print the brief that lets an agent go on from a checkpoint: what is done, what is
at work, what was decided, and what in the work tree is no longer as it was.

It takes an ID, the NAME that 'piton save --name' gave, or --workflow or --session,
whose newest it is. Without any it takes the newest unfinished work of the project that no live
session is at. A damaged checkpoint is replaced by its nearest intact ancestor,
and the brief says so.

--agent prints the command that starts a client on the brief, --exec runs it
(claude unless --agent says otherwise) and ends as it does.`,
		Example: `  piton resume
  piton resume chk_7m2k --agent claude --exec`,
		Args:              chosen(true),
		ValidArgsFunction: a.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			var adapter client.Client
			if clientName != "" || start {
				var ok bool
				if adapter, ok = clients.ByName(firstOf(clientName, "claude")); !ok {
					return piton.Errorf(piton.Invalid, c.CommandPath(), "one of: "+clientNames(), "no client is called %q", clientName)
				}
			}
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			if err := a.selector(c, args, &s, dir); err != nil {
				return err
			}
			here := s.Project
			if c.Flags().Changed("project") {
				p, _ := a.project(c.Context(), ".", false)
				here = p.ID
			}
			k.Drift = drift(here)
			if len(args) == 0 && s.Name == "" && s.Workflow == "" && s.Session == "" {
				if s.Project == "" { // never seen, so nothing of it is open
					return piton.Errorf(piton.NotFound, "resume", "'piton list' shows all checkpoints; 'piton resume ID' takes any of them", "no unfinished work in this project")
				}
				if a.outTerminal() && adapter == nil {
					a.showOpen(c.Context(), k, s.Project)
				}
			}
			r, err := k.Resume(c.Context(), s)
			if err != nil {
				return err
			}
			if r.RecoveredFrom != "" && !a.json {
				fmt.Fprintf(a.err, "piton: %s is damaged (%s); going on from its nearest intact ancestor %s\n", r.RecoveredFrom, clean(r.Why), r.Checkpoint.ID)
			}
			command := a.resumeWith(c.Context(), adapter, r)
			switch {
			case start:
				return a.execute(command)
			case a.json:
				return a.printResumption(r, command)
			case adapter != nil:
				_, err = fmt.Fprintln(a.out, clean(quote(command)))
			case a.outTerminal():
				_, err = fmt.Fprintf(a.out, "Restoring checkpoint %s...\n\n%s", a.bold(r.Checkpoint.ID), clean(r.Brief))
				a.showWays(r.Checkpoint.ID, command)
			default:
				_, err = io.WriteString(a.out, clean(r.Brief))
			}
			return err
		},
	}
	selectFlags(c, &s, &dir)
	nameFlag(c, &s)
	c.Flags().Lookup("project").Usage = "a folder (`DIR`) of the project"
	c.Flags().StringVar(&clientName, "agent", "", "print the command that starts this `CLIENT` on the brief: "+clientNames())
	c.Flags().BoolVar(&start, "exec", false, "run that command here")
	return c
}

// drift compares the work tree with the checkpoint, unless we stand in another
// project than the checkpoint's: there every difference would be noise.
func drift(here string) func(context.Context, piton.Checkpoint, []byte) []history.Drift {
	return func(ctx context.Context, c piton.Checkpoint, state []byte) []history.Drift {
		if c.Project != "" && c.Project != here {
			return []history.Drift{{What: "project", Was: c.Project, Is: firstOf(here, "one without checkpoints")}}
		}
		return turn.Drift(ctx, c, state)
	}
}

// showOpen tells a person what else there is to resume.
func (a *app) showOpen(ctx context.Context, k history.Keeper, project string) {
	open, more, err := k.Detect(ctx, project, "", openShown)
	if err == nil && len(open) > 1 {
		fmt.Fprintf(a.out, "Unfinished work here (%d), going on with the first:\n\n", len(open)+more)
		_ = a.markdown(listRows(open, a.stepWidth(open), " ago"))
		fmt.Fprintln(a.out)
	}
}

// showWays tells a person how to go on: the brief alone starts nobody.
func (a *app) showWays(id string, own []string) {
	fmt.Fprintln(a.err)
	if len(own) > 0 {
		fmt.Fprintf(a.err, "Go on in its own conversation: %s\n", clean(quote(own)))
	}
	fmt.Fprintf(a.err, "Start an agent on this brief: piton resume %s --agent X --exec (X: %s)\n", id, clientNames())
}

// resumeWith is the command that goes on: the client asked for, started on the
// brief; else the session's own client, in its own conversation.
func (a *app) resumeWith(ctx context.Context, adapter client.Client, r history.Resumption) []string {
	if adapter != nil {
		return adapter.StartCommand(r.Brief)
	}
	s, err := a.store.Session(ctx, r.Checkpoint.SessionID)
	if err != nil {
		return nil
	}
	if own, ok := clients.ByName(s.Agent); ok {
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
