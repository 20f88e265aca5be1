package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/screen"
)

func sessionsRestartCommand(con *console) *cobra.Command {
	return asks(con, &cobra.Command{
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
	}, func(c *cobra.Command, r piton.SessionRequest) error {
		x, err := con.app().Restart(c.Context(), r)
		return answer(con, x, err, con.printRestarted)
	})
}

func (con *console) printRestarted(x app.Restarted) error {
	text := fmt.Sprintf("%s: started again in pane %s: %s\n", x.SessionID, x.Pane.ID, screen.Clean(strings.Join(x.Command, " ")))
	if err := con.Print(text); err != nil {
		return err
	}
	if x.Killed > 0 {
		con.Say("%d of the %d processes that were ended had to be killed.", x.Killed, x.Ended)
	}
	return nil
}
