package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func sessionsAttachCommand(con console) *cobra.Command {
	var r app.AttachRequest
	var detach bool
	c := &cobra.Command{
		Use:   "attach SESSION --pane %N",
		Short: "Name the tmux pane in which a session's client runs",
		Long: `Name the tmux pane in which a session's client runs. Piton then types debriefs into it
that cannot reach the agent otherwise, only while the client is idle, asks nothing and
has an empty input field; and 'piton sessions restart' starts the client again in it.
'echo $TMUX_PANE' prints a pane's name, 'tmux list-panes -a' lists them all.`,
		Example: "  piton sessions attach ses_7m2k --pane %3\n  piton sessions attach ses_7m2k --detach",
		Args:    oneSession,
		RunE: func(c *cobra.Command, args []string) error {
			r.Session = args[0]
			if detach == (r.Pane != "") {
				return piton.Errorf(piton.Invalid, "attach a pane", "give --pane %3, or --detach", "either a pane or --detach is needed")
			}
			if detach {
				x, err := con.App().Detach(c.Context(), r.Session)
				return cli.Answer(con, x, err, con.printAttached)
			}
			x, err := con.App().Attach(c.Context(), r)
			return cli.Answer(con, x, err, con.printAttached)
		},
	}
	c.Flags().StringVar(&r.Pane, "pane", "", "the pane's name (`%N`)")
	c.Flags().StringVar(&r.Socket, "socket", "", "the tmux server's socket (`PATH`; default: that of $TMUX, else tmux's own)")
	c.Flags().BoolVar(&detach, "detach", false, "forget the session's pane")
	return c
}

func (con console) printAttached(x app.Attached) error {
	if x.Pane == nil {
		return con.Print(fmt.Sprintf("%s: no pane.\n", x.SessionID))
	}
	return con.Print(fmt.Sprintf("%s: pane %s of the tmux server at %s.\n", x.SessionID, x.Pane.ID, screen.Clean(x.Pane.Socket)))
}

// oneSession takes the id of one session.
var oneSession = cli.Takes("'piton sessions' lists them")

func sessionsRestartCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "restart SESSION",
		Short: "End a session's client and start it again in its tmux pane",
		Long: `End a session's client, with all that it has started, and start it again in the same
tmux pane, where it resumes the conversation. It is asked to end first, and killed only
if it does not. What stands in its input field is lost, and so are flags that it was
started with. 5 s later the agent gets a debrief: in the pane, as soon as it is safe to
type into it, or with your next prompt. 'debrief.mode: off' leaves it out.

The pane is named once: 'piton sessions attach SESSION --pane %N'.`,
		Example: "  piton sessions restart ses_7m2k",
		Args:    oneSession,
	}, func(c *cobra.Command, r piton.RestartRequest) error {
		x, err := con.App().Restart(c.Context(), r)
		return cli.Answer(con, x, err, con.printRestarted)
	})
}

func (con console) printRestarted(x app.Restarted) error {
	text := fmt.Sprintf("%s: started again in pane %s: %s\n", x.SessionID, x.Pane.ID, screen.Clean(strings.Join(x.Command, " ")))
	if err := con.Print(text); err != nil {
		return err
	}
	if x.Killed > 0 {
		con.Say("%d of the %d processes that were ended had to be killed.", x.Killed, x.Ended)
	}
	return nil
}
