package main

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/states"
)

func sessionsCommand(con *console) *cobra.Command {
	var dir string
	var limit int
	c := &cobra.Command{
		Use:   "sessions",
		Short: "List the agents' sessions, most recent first",
		Long: `List the agents' sessions, most recent first: at work (in a turn), waiting (for its
person), ended, or broken off (it ended inside a turn without an event).`,
		Example: "  piton sessions\n  piton sessions --project . --json",
		Args:    none("to see what was decided in a session: piton explain %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := con.app().Sessions(c.Context(), dir, limit)
			return answer(con, list, err, con.printSessions)
		},
	}
	c.Flags().StringVar(&dir, "project", "", "a folder (`DIR`) of the project (default: all)")
	c.Flags().IntVar(&limit, "limit", 20, "maximum number, 0 for all")
	return c
}

func (con *console) printSessions(list app.SessionList) error {
	if len(list.Sessions) == 0 {
		con.say("No sessions. 'piton init' sets up the agents' hooks.")
		return nil
	}
	table := [][]string{{"ID", "Agent", "Client's id", "Work tree", "Turn", "State", "Seen"}}
	for _, s := range list.Sessions {
		table = append(table, []string{
			s.ID, orDash(line(s.Agent)), orDash(short(s.ClientID, 36)), orDash(con.shortPath(s.Root, 40)),
			strconv.Itoa(s.Turn), s.State(), states.Age(time.Since(s.SeenAt.Time)) + " ago",
		})
	}
	return con.table(con.fitted(table, 2, 3))
}
