package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/screen"
)

func sessionsAttachCommand(con *console) *cobra.Command {
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
				x, err := con.app().Detach(c.Context(), r.Session)
				return answer(con, x, err, con.printAttached)
			}
			x, err := con.app().Attach(c.Context(), r)
			return answer(con, x, err, con.printAttached)
		},
	}
	c.Flags().StringVar(&r.Pane, "pane", "", "the pane's name (`%N`)")
	c.Flags().StringVar(&r.Socket, "socket", "", "the tmux server's socket (`PATH`; default: that of $TMUX, else tmux's own)")
	c.Flags().BoolVar(&detach, "detach", false, "forget the session's pane")
	return c
}

func (con *console) printAttached(x app.Attached) error {
	if x.Pane == nil {
		return con.Print(fmt.Sprintf("%s: no pane.\n", x.SessionID))
	}
	return con.Print(fmt.Sprintf("%s: pane %s of the tmux server at %s.\n", x.SessionID, x.Pane.ID, screen.Clean(x.Pane.Socket)))
}

// oneSession takes the id of one session.
func oneSession(c *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return piton.Errorf(piton.Invalid, "", "'piton sessions' lists them", "one session is to be named")
	}
	return nil
}
