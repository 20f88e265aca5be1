package main

import (
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestRemediesExist: each verb that a hint may name is a command, each option a
// flag of some command.
func TestRemediesExist(t *testing.T) {
	root := rootCommand(&console{})
	var verbs, options []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		verbs = append(verbs, c.Name())
		c.Flags().VisitAll(func(f *pflag.Flag) { options = append(options, f.Name) })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { options = append(options, f.Name) })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, v := range cli.RemedyVerbs {
		if !slices.Contains(verbs, v) {
			t.Errorf("%q is no command", v)
		}
	}
	for _, o := range cli.RemedyOptions {
		if got := cli.CommandLine("give '" + o + " X'"); !slices.Contains(cli.RemedyVerbs, o) && !slices.Contains(options, got[len("give --"):len(got)-len(" X")]) {
			t.Errorf("%q is no flag", o)
		}
	}
}
