package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// selectFlags adds the ways to name a checkpoint other than by id.
func selectFlags(c *cobra.Command, s *history.Selector, dir *string) {
	c.Flags().StringVar(&s.Workflow, "workflow", "", "the newest of this `WORKFLOW`, by id or name")
	c.Flags().StringVar(&s.Session, "session", "", "the newest of this `SESSION`, by our id or the client's")
	c.Flags().StringVar(dir, "project", ".", "a folder (`DIR`) of the project that a workflow's name belongs to")
}

// selector completes a selector: the id from the arguments, the project from
// the folder.
func (a *app) selector(c *cobra.Command, args []string, s *history.Selector, dir string) error {
	if len(args) == 1 && !mayBeName(args[0]) {
		s.ID = args[0]
	} else if len(args) == 1 {
		s.Name = args[0]
	}
	p, err := a.project(c.Context(), dir, false)
	if err != nil && !missing(err) && (s.ID == "" || c.Flags().Changed("project")) {
		return err // an id needs no project
	}
	s.Project = p.ID
	if s.Workflow == "" {
		return nil
	}
	if _, err = (history.Keeper{Store: a.checkpoints()}).Workflow(c.Context(), s.Workflow, p.ID); missing(err) && !strings.HasPrefix(s.Workflow, piton.WorkflowPrefix) {
		return piton.Errorf(piton.NotFound, "find workflow "+s.Workflow, "a name belongs to its project: give --project DIR, or the id that 'piton list --json' shows", "no workflow of this project has the name")
	}
	return err
}

// nameFlag is another way to give a checkpoint's name, as it was saved.
func nameFlag(c *cobra.Command, s *history.Selector) {
	c.Flags().StringVar(&s.Name, "name", "", "the newest of this `NAME` in the project, or in --workflow or --session")
}

// id finds the checkpoint that an argument names, by id or by its name in the
// project of the folder we are in.
func (a *app) id(c *cobra.Command, k history.Keeper, arg string) (string, error) {
	if arg == "" || !mayBeName(arg) {
		return arg, nil
	}
	p, err := a.project(c.Context(), ".", false)
	if err != nil && !missing(err) {
		return "", err
	}
	x, err := k.Find(c.Context(), history.Selector{Name: arg, Project: p.ID})
	return x.ID, err
}

func loadCommand(a *app) *cobra.Command {
	var s history.Selector
	var dir string
	var nearest bool
	c := &cobra.Command{
		Use:   "load [ID | NAME]",
		Short: "Print a checkpoint's state, byte for byte in compact form",
		Long: `Print a checkpoint's state in compact form: order of keys, numbers and escapes
are as they were given. --session and --workflow take the newest of theirs. A
NAME is a checkpoint's own, as 'piton save --name' gave it: the newest of that
name in the project.

A damaged checkpoint is never replaced silently: the command fails (exit 5), and
the hint names the nearest intact ancestor. --nearest takes that one and says so.`,
		Example: `  piton load chk_7m2k
  piton load before-refactor
  piton load --workflow import | jq .next`,
		Args:              chosen(false),
		ValidArgsFunction: a.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			if err := a.selector(c, args, &s, dir); err != nil {
				return err
			}
			l, err := k.Load(c.Context(), s, nearest)
			if err != nil {
				return err
			}
			if l.RecoveredFrom != "" {
				fmt.Fprintf(a.err, "piton: %s is damaged (%s); this is its nearest intact ancestor %s\n", l.RecoveredFrom, clean(l.Why), l.Checkpoint.ID)
			}
			if isTerminal(a.out) {
				l.State = cleanJSON(l.State)
			}
			_, err = fmt.Fprintf(a.out, "%s\n", l.State)
			return err
		},
	}
	selectFlags(c, &s, &dir)
	nameFlag(c, &s)
	c.Flags().BoolVar(&nearest, "nearest", false, "take the nearest intact ancestor of a damaged checkpoint")
	return c
}
