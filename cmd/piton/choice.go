package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
)

// choice is what a command's flags choose a checkpoint by, beside its argument.
type choice struct{ app.Choice }

// flags adds the ways to name a checkpoint other than by id.
func (x *choice) flags(c *cobra.Command) {
	c.Flags().StringVar(&x.Workflow, "workflow", "", "the newest of this `WORKFLOW`, by id or name")
	c.Flags().StringVar(&x.Session, "session", "", "the newest of this `SESSION`, by Piton's id or the client's")
	c.Flags().StringVar(&x.Dir, "project", ".", "a folder (`DIR`) of the project that a workflow's name belongs to")
}

// nameFlag is another way to give a checkpoint's name, as it was saved.
func (x *choice) nameFlag(c *cobra.Command) {
	c.Flags().StringVar(&x.Name, "name", "", "the newest of this `NAME` in the project, or in --workflow or --session")
}

// of is the choice that the flags and the argument make.
func (x choice) of(c *cobra.Command, args []string) app.Choice {
	if len(args) == 1 {
		x.Ref = args[0]
	}
	if !c.Flags().Changed("project") {
		x.Dir = "" // nobody has named a folder
	}
	return x.Choice
}
