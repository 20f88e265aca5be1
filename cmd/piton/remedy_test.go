package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestCommandLine(t *testing.T) {
	for hint, want := range map[string]string{
		"":                           "",
		"give two ids":               "give two ids",
		"'list' shows what there is": "'piton list' shows what there is",
		"an id, 'session' or 'workflow', one of them":            "an id, --session or --workflow, one of them",
		"'fork ID branch NAME' starts a branch":                  "'piton fork ID --branch NAME' starts a branch",
		"number them; give 'phase_total N'":                      "number them; give --phase-total N",
		"save again with 'parent chk_1'":                         "save again with --parent chk_1",
		"run 'repair': it writes; to begin: 'repair accept'":     "run 'piton repair': it writes; to begin: 'piton repair --accept'",
		"'export workflow wf_1' and 'import' (see 'verify')":     "'piton export --workflow wf_1' and 'piton import' (see 'piton verify')",
		"'zstd -dc FILE' shows it; it's 'piton list'":            "'zstd -dc FILE' shows it; it's 'piton list'",
		"'rules test save' wrote it ('uninstall scope project')": "'piton rules test --save' wrote it ('piton uninstall --scope project')",
		"'store file:DIR', or 'store' in the settings":           "--store file:DIR, or 'store' in the settings",
		"another project has it: chk_1 (import, 3d ago)":         "another project has it: chk_1 (import, 3d ago)",
	} {
		if got := commandLine(hint); got != want {
			t.Errorf("%q: got %q, want %q", hint, got, want)
		}
		if got := commandLine(want); got != want {
			t.Errorf("%q again: got %q, want it unchanged", want, got)
		}
	}
}

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
	for _, v := range remedyVerbs {
		if !slices.Contains(verbs, v) {
			t.Errorf("%q is no command", v)
		}
	}
	for _, o := range remedyOptions {
		if got := commandLine("give '" + o + " X'"); !slices.Contains(remedyVerbs, o) && !slices.Contains(options, got[len("give --"):len(got)-len(" X")]) {
			t.Errorf("%q is no flag", o)
		}
	}
}
