package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app/event"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func statuslineCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "statusline",
		Short: "Print one line about a session, for a client's status line",
		Long: `Print what a person should know of a session, on at most one line, for clients that
show the output of a command: how often the agent was held in this turn, how much
work of the project is unfinished, and how many other agents wait. The client's JSON
with the session_id is read from stdin. It prints nothing where there is nothing to
say, and never fails. 'piton-hook statusline' does the same and is faster.`,
		Example: `  echo '{"session_id":"6152e381-4c21-432b-8da3-8b6a5782ebeb"}' | piton statusline`,
		Args:    cli.None("the session is named in the JSON on stdin"),
		RunE: func(c *cobra.Command, _ []string) error {
			if screen.IsTerminal(con.In) {
				con.In = strings.NewReader("") // nobody waits for a person to type JSON
			}
			event.Statusline(c.Context(), con.In, con.Out, con.Getenv)
			return nil
		},
	}
}
