package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
)

// selectFlags adds the ways to name a checkpoint other than by id.
func selectFlags(c *cobra.Command, s *history.Selector, dir *string) {
	c.Flags().StringVar(&s.Workflow, "workflow", "", "the newest of this workflow, by id or name")
	c.Flags().StringVar(&s.Session, "session", "", "the newest of this session, by our id or the client's")
	c.Flags().StringVar(dir, "project", ".", "a folder of the project that a workflow's name belongs to")
}

// selector completes a selector: the id from the arguments, the project from
// the folder.
func (a *app) selector(c *cobra.Command, args []string, s *history.Selector, dir string) error {
	if len(args) == 1 {
		s.ID = args[0]
	}
	p, err := a.project(c.Context(), dir, false)
	if err != nil && !missing(err) {
		return err
	}
	s.Project = p.ID
	return nil
}

func loadCommand(a *app) *cobra.Command {
	var s history.Selector
	var dir string
	var nearest bool
	c := &cobra.Command{
		Use:   "load [ID]",
		Short: "Print a checkpoint's state, byte for byte in compact form",
		Long: `Print a checkpoint's state in compact form: order of keys, numbers and escapes
are as they were given.

A damaged checkpoint is never replaced silently: the command fails (exit 5), and
the hint names the nearest intact ancestor. --nearest takes that one and says so.`,
		Example: `  piton load chk_7m2k
  piton load --workflow import | jq .next`,
		Args:              cobra.MaximumNArgs(1),
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
				fmt.Fprintf(a.err, "piton: %s is damaged (%s); this is its nearest intact ancestor %s\n", l.RecoveredFrom, l.Why, l.Checkpoint.ID)
			}
			_, err = fmt.Fprintf(a.out, "%s\n", l.State)
			return err
		},
	}
	selectFlags(c, &s, &dir)
	c.Flags().BoolVar(&nearest, "nearest", false, "take the nearest intact ancestor of a damaged checkpoint")
	return c
}

// completeIDs offers the newest checkpoints to the shell's completion.
func (a *app) completeIDs(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	k, err := a.keeper(c.Context(), true)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	page, err := k.List(c.Context(), piton.Query{Limit: 50})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, cp := range page.Checkpoints {
		ids = append(ids, cp.ID+"\t"+short(cp.Label()+": "+cp.Step(), 60))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
