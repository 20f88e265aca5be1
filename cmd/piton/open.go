package main

import (
	"fmt"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func openCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "open CLIENT [-- ARGUMENTS]",
		Short: "Start a client in a tmux pane that Piton knows",
		Long: `Start a client (` + app.ClientNames() + `) in this folder, in a new window of your tmux server;
outside of tmux in a new tmux session, which is shown on a terminal. Its session is
attached to the pane from the start, as by 'piton sessions attach': debriefs that cannot
reach the agent otherwise are typed into it, and 'piton sessions restart' works. Words
after -- go to the client. tmux 3.2 or newer is needed.`,
		Example: "  piton open claude\n  piton open codex -- --model gpt-5.5",
		Args:    cli.Takes("give one of " + app.ClientNames()),
		RunE: func(c *cobra.Command, args []string) error {
			x, err := con.App().Open(c.Context(), args[0], args[1:])
			if err == nil && !con.JSON && len(x.Attach) > 0 && con.ForPerson() {
				return con.lend(exec.Command(x.Attach[0], x.Attach[1:]...))
			}
			if err == nil {
				x, err = con.App().OpenedReady(c.Context(), x)
			}
			if err != nil || con.JSON {
				return cli.Answer(con, x, err, nil)
			}
			text := fmt.Sprintf("%s runs in pane %s.\n", x.Agent, x.Pane)
			if !x.Ready {
				text = fmt.Sprintf("%s runs in pane %s and shows no input field yet: if it asks something there, answer it.\n", x.Agent, x.Pane)
			}
			if len(x.Attach) > 0 {
				text += "See it: " + screen.Clean(screen.Quote(x.Attach...)) + "\n"
			}
			return con.Print(text)
		},
	}
}
