package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/judge"
	"github.com/piton-project/piton/cmd/piton/internal/runs"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/demo"
)

func demoClientCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "client CLIENT",
		Short: "Have your own client be held, in a temporary folder",
		Long: `Have your own client, with your own account, change a file of a small project in a
temporary folder, and show how Piton holds it until the project's test was run. It takes
about half a minute and costs what two short answers of your model cost. Its hooks must be
set up (piton init). The folder is removed, with all that Piton has kept of it.`,
		Example: "  piton demo client claude",
		Args:    cli.Takes("give one of " + app.ClientNames()),
		RunE:    func(c *cobra.Command, args []string) error { return con.trial(c.Context(), args[0]) },
	}
}

// trial has a client be held, and shows why.
func (con console) trial(ctx context.Context, client string) error {
	if _, err := exec.LookPath(client); err != nil {
		return piton.Errorf(piton.NotFound, "piton demo client", "install it, or name another one: "+app.ClientNames(), "%q is not in PATH", client)
	}
	dir, plan, err := demo.Trial(ctx, client)
	if dir != "" {
		defer os.RemoveAll(dir)
	}
	if err != nil {
		return err
	}
	there := con.At(dir) // so that nothing of it belongs to the person's own project
	there.Options.Home = demo.TrialHome(dir)
	there.Options.Store = "sqlite:" + filepath.Join(there.Options.Home, "piton.db")
	defer there.Close()
	r := planruns.RunRequest{RunRequest: piton.RunRequest{Plan: plan}, Dir: dir}
	err = runs.Run(ctx, there, r, "see that "+client+" works and is logged in; then try again: piton demo client "+client)
	if con.Status = there.Status; err != nil || con.Status != 0 {
		return err
	}
	x, err := there.App().ExplainHere(ctx, piton.ExplainRequest{Limit: 5})
	return cli.Answer(con, x, err, judge.Decisions(con.Console))
}

// offerTrial asks a person who has just set a client up whether to try it.
func (con console) offerTrial(ctx context.Context, client string) error {
	if client == "" || !con.MayAsk(ctx) {
		return nil
	}
	ok, err := con.Yes("See "+client+" be held once? In a temporary folder, half a minute, with your account.", con.Lines(ctx))
	if err != nil || !ok {
		con.Say("Later: piton demo client %s", client)
		return err
	}
	return con.trial(ctx, client)
}
