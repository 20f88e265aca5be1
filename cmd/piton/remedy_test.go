package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton/internal/verbs"
)

// TestRemediesExist: each verb that a hint may name is a command, each option a
// flag of some command.
func TestRemediesExist(t *testing.T) {
	var commands, flags []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		commands = append(commands, c.Name())
		add := func(f *pflag.Flag) { flags = append(flags, f.Name) }
		c.Flags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand(newConsole(nil, nil, nil, os.Getenv)))
	names := slices.Clone(verbs.CommandsAlone)
	for _, v := range verbs.All {
		names = append(names, strings.Fields(v.Command + " list")[0])
	}
	for _, v := range names {
		if !slices.Contains(commands, v) {
			t.Errorf("%q is not a command", v)
		}
	}
	for _, o := range verbs.FlagsAlone {
		if got := verbs.CommandLine("give '" + o + " X'"); !verbs.IsVerb(o) && !slices.Contains(flags, got[len("give --"):len(got)-len(" X")]) {
			t.Errorf("%q is not a flag", o)
		}
	}
}
