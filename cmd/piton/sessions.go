package main

import (
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func sessionsCommand(con console) *cobra.Command {
	c := cli.Asks(&cobra.Command{
		Use:   "sessions [SESSION]",
		Short: "List the agents' sessions, most recent first",
		Long: `List the agents' sessions, most recent first: at work (in a turn), held (in a turn whose
last stop was held), waiting (for its person: to go on, for permission or for an answer;
or for the end of a limit of the API; and how long), ended, or broken off (it ended
inside a turn without an event). With a SESSION (an id, its beginning, or the client's own id) that one alone.`,
		Example: "  piton sessions\n  piton sessions --project . --json\n  piton sessions ses_9p4q --json",
		Args:    cli.AtMostOne(piton.SessionPrefix),
	}, func(c *cobra.Command, r piton.SessionsRequest) error {
		if args := c.Flags().Args(); len(args) == 1 {
			if c.Flags().Changed("project") || c.Flags().Changed("limit") {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "leave --project and --limit out", "they do not go with a session")
			}
			s, err := con.App().ShowSession(c.Context(), piton.SessionRequest{Session: args[0]})
			return cli.Answer(con, s, err, func(s app.Session) error { return con.printSessions(app.SessionList{Sessions: []app.Session{s}}) })
		}
		list, err := con.App().Sessions(c.Context(), r)
		return cli.Answer(con, list, err, cli.Paged(con, c, func(list app.SessionList) error {
			err := con.printSessions(list)
			if err == nil && list.More {
				con.Say("Show all: %s", cli.AllAgain(c))
			}
			return err
		}))
	})
	c.AddCommand(sessionsAttachCommand(con), sessionsRestartCommand(con))
	return c
}

// ofRun names the run in whose step a session works.
func ofRun(s app.Session) string {
	if s.RunID == "" {
		return ""
	}
	return ", in " + screen.Line(s.RunID)
}

// waitingFor says how long a session has waited for its person.
func (con console) waitingFor(s app.Session) string {
	if s.WaitingSince.IsZero() {
		return ""
	}
	if !s.ResetsAt.IsZero() {
		return " " + con.Age(s.WaitingSince) + ", until " + con.When(s.ResetsAt)
	}
	return " " + con.Age(s.WaitingSince)
}

func (con console) printSessions(list app.SessionList) error {
	if len(list.Sessions) == 0 {
		con.Say("No sessions. 'piton status' says whether the agents' hooks are set up.")
		return nil
	}
	t := screen.NewTable(
		screen.Whole("ID"), screen.Whole("Agent"), screen.Wording("State"), screen.Whole("Seen"), screen.Whole("Turn").Spared(),
		screen.PathWise("Work tree").Spared(), screen.Wording("Pane").Spared(), screen.Whole("Client's id").Spared(),
	)
	for _, s := range list.Sessions {
		pane := ""
		if s.Pane != nil {
			pane = screen.Line(s.Pane.ID)
		}
		t.Add(s.ID, screen.Line(s.Agent), s.Stands()+con.waitingFor(s)+ofRun(s), con.Ago(s.SeenAt), strconv.Itoa(s.Turn), con.HomePath(s.Root), pane, screen.Line(s.ClientID))
	}
	err := con.PrintTable(t)
	for _, s := range list.Sessions {
		if err == nil && s.GoOn != "" {
			con.Say("Another client goes on with the work of %s: %s", s.ID, s.GoOn)
		}
	}
	if err == nil && slices.ContainsFunc(list.Sessions, func(s app.Session) bool { return s.Damaged }) {
		con.Say("A damaged record cannot be read, and its agent is not held: 'piton verify --repair' begins it anew and keeps its checkpoints.")
	}
	return err
}
