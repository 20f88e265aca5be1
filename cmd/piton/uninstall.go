package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/verbs"
)

func uninstallCommand(con console) *cobra.Command {
	var t target
	var ask cli.Confirmation
	c := &cobra.Command{
		Use:     "uninstall",
		Short:   "Remove the hooks and restore the files",
		Long:    "Remove Piton's hooks, its /checkpoint command and its MCP server from the settings\nof every agent client that has them. The files are restored as they were before\n'piton init'. What was saved stays where it is. On a terminal it asks first, unless\nyou give --yes; where nobody can be asked, as in a script, it needs --yes.",
		Example: "  piton uninstall --dry-run\n  piton uninstall --agent claude\n  piton uninstall --scope project\n  piton uninstall --yes",
		Args:    cli.None("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			if !t.dry {
				question := func() (string, error) { return con.askUninstall(c.Context(), t.request(c)) }
				if ok, err := ask.Agreed(c, con, true, question); err != nil || !ok {
					return err
				}
			}
			x, err := con.App().Uninstall(c.Context(), t.request(c))
			for i, n := range x.Notes {
				x.Notes[i] = verbs.CommandLine(n)
			}
			return cli.Answer(con, x, err, func(x installation.Changed) error {
				return con.printChanged(x, removed, "Piton's hooks are not in these settings")
			})
		},
	}
	t.flags(c, true, "all that have Piton's hooks")
	ask.Flag(c)
	return c
}

// askUninstall is the question to a person who sees which files change; "" where none does.
func (con console) askUninstall(ctx context.Context, r installation.SetupRequest) (string, error) {
	r.DryRun = true
	x, err := con.App().Uninstall(ctx, r)
	if err != nil || len(x.Changes) == 0 {
		return "", err
	}
	var b strings.Builder
	b.WriteString("These files change:\n")
	for _, c := range x.Changes {
		fmt.Fprintf(&b, "  %s (%s)\n", screen.Line(c.Path), c.What)
	}
	return b.String() + "Remove Piton from them?", nil
}
