package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/headless"
)

// TestDocsCommands: docs/commands.md is made of the commands and what their options say.
func TestDocsCommands(t *testing.T) {
	root := rootCommand(newConsole(nil, nil, nil, func(string) string { return "" }))
	var b strings.Builder
	b.WriteString("# Commands\n\nMade of what the program says of itself: `piton help COMMAND` has more, with examples.\n\n**All commands** take these options:\n\n")
	root.InitDefaultHelpFlag()
	listOptions(&b, root.PersistentFlags())
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(group.Title, ":"))
		listCommands(&b, root, group.ID)
	}
	b.WriteString("\n## More\n")
	listCommands(&b, root, "")
	fresh(t, "commands.md", b.String(), "TestDocsCommands")
}

// listCommands writes the commands of a group below a command, and all below them.
func listCommands(b *strings.Builder, c *cobra.Command, group string) {
	for _, below := range c.Commands() {
		if below.Hidden || below.GroupID != group {
			continue
		}
		use := strings.TrimSuffix(below.UseLine(), " [flags]")
		also := ""
		for _, name := range below.Aliases {
			also += " (also `" + name + "`)"
		}
		fmt.Fprintf(b, "\n**`%s`**%s %s\n", use, also, sentence(below.Short))
		if below.NonInheritedFlags().HasAvailableFlags() {
			b.WriteString("\n")
			listOptions(b, below.NonInheritedFlags())
		}
		listCommands(b, below, "")
	}
}

// options writes a line for each option.
func listOptions(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, says := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(b, "- `%s`: %s\n", name, says)
	})
}

// sentence is a text with a full stop.
func sentence(s string) string { return strings.TrimSuffix(s, ".") + "." }

// TestDocsActions: the tables of docs/actions.md are made of what the actions say of their
// parameters.
func TestDocsActions(t *testing.T) {
	const head = "\n| parameter | value |\n|---|---|\n"
	sections := strings.Split(docsPage(t, "actions.md"), "\n## ")
	actions := action.All(action.Tools{})
	actions["agent"] = &headless.Agent{}
	for name, a := range actions {
		i := slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, name+"\n") })
		if i < 0 || strings.Count(sections[i], head) != 1 {
			t.Errorf("docs/actions.md has no table of %s", name)
			continue
		}
		above, table, _ := strings.Cut(sections[i], head)
		_, below, _ := strings.Cut(table+"\n", "\n\n")
		rows := ""
		for _, p := range a.(action.Documented).Doc().Parameters {
			required := ""
			if p.Required {
				required = "**required**: "
			}
			rows += fmt.Sprintf("| `%s` | %s%s |\n", p.Name, required, p.Meaning)
		}
		sections[i] = strings.TrimSuffix(above+head+rows+"\n"+below, "\n")
	}
	fresh(t, "actions.md", strings.Join(sections, "\n## "), "TestDocsActions")
}
