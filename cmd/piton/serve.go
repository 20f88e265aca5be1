package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/daemon"
)

func serveCommand(con console) *cobra.Command {
	var listen string
	var install, uninstall, dry bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon: letters, upkeep, runs and the HTTP API",
		Long: `Run Piton's daemon in the foreground. There is one for each $PITON_HOME. It carries
letters to agents, prunes the stores once a day, copies what hooks saved to the
shared store, continues runs, and serves the HTTP API on the socket
$PITON_HOME/piton.sock, which only you can open. With --listen programs on this
machine can call it over TCP too, with the token in $PITON_HOME/token.

Hooks and commands work without it. SIGTERM and Ctrl-C end it in order: the runs it
works on are saved, and the next daemon continues them. A second one ends it at once.
SIGHUP has it read the settings again.

--install writes a unit for systemd, or a property list for launchd, that starts the
daemon of this $PITON_HOME when you log in, and says how to start it now. --uninstall
removes that file. Neither starts or ends anything.`,
		Example: "  piton serve\n  piton serve --listen 127.0.0.1:7433\n  curl --unix-socket \"${PITON_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/piton}/piton.sock\" http://piton/healthz",
		Args:    cli.None(""),
		RunE: func(c *cobra.Command, _ []string) error {
			if install || uninstall {
				x, err := con.App().Service(c.Context(), installation.ServiceRequest{Listen: listen, Remove: uninstall, DryRun: dry})
				return cli.Answer(con, x, err, func(x installation.Changed) error {
					if uninstall {
						return con.printChanged(x, removed, "no service of Piton's for this home is installed")
					}
					return con.printChanged(x, "Written", "the service is installed as it should be")
				})
			}
			if dry {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "add --install or --uninstall", "--dry-run shows what these would change")
			}
			o := con.AppOptions()
			o.Progress = nil // its log tells
			return daemon.Serve(c.Context(), o, listen, con.Out, con.JSON)
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "listen on this `ADDRESS` of the loopback too, as 127.0.0.1:7433; port 0 takes a free one")
	c.Flags().BoolVar(&install, "install", false, "write the file by which systemd or launchd starts the daemon")
	c.Flags().BoolVar(&uninstall, "uninstall", false, "remove that file")
	c.MarkFlagsMutuallyExclusive("install", "uninstall")
	c.Flags().BoolVar(&dry, "dry-run", false, "with --install or --uninstall: show the change as a diff and write nothing")
	return c
}
