package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
	"github.com/piton-project/piton/turn"
)

// sessionJSON is a session as docs/json.md has it.
type sessionJSON struct {
	ID            string     `json:"id"`
	Agent         string     `json:"agent,omitempty"`
	ClientID      string     `json:"client_id,omitempty"`
	Project       string     `json:"project,omitempty"`
	Root          string     `json:"root,omitempty"`
	ClientVersion string     `json:"client_version,omitempty"`
	StartedAt     piton.Time `json:"started_at,omitzero"`
	SeenAt        piton.Time `json:"seen_at,omitzero"`
	EndedAt       piton.Time `json:"ended_at,omitzero"`
	WorkflowID    string     `json:"workflow_id,omitempty"`
	Turn          int        `json:"turn"`
	TurnOpen      bool       `json:"turn_open"`
	Alive         bool       `json:"alive"`
}

func sessionsCommand(a *app) *cobra.Command {
	var dir string
	var limit int
	c := &cobra.Command{
		Use:     "sessions",
		Short:   "List the agents' sessions, the last seen first",
		Example: "  piton sessions\n  piton sessions --project . --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			st, err := a.open(c.Context(), true)
			if missing(err) {
				return a.printSessions(nil)
			}
			if err != nil {
				return err
			}
			q := piton.SessionQuery{Limit: limit}
			if dir != "" {
				p, err := a.project(c.Context(), dir, false)
				if missing(err) {
					return a.printSessions(nil)
				}
				if err != nil {
					return err
				}
				q.Project = p.ID
			}
			list, err := st.Sessions(c.Context(), q)
			if err != nil {
				return err
			}
			return a.printSessions(list)
		},
	}
	c.Flags().StringVar(&dir, "project", "", "a folder of the project (default: all)")
	c.Flags().IntVar(&limit, "limit", 20, "at most so many, 0 for all")
	return c
}

func (a *app) printSessions(list []piton.Session) error {
	now := piton.At(time.Now())
	rows := []sessionJSON{}
	for _, s := range list {
		rows = append(rows, sessionJSON{s.ID, s.Agent, s.ClientID, s.Project, s.Root, s.ClientVersion, s.StartedAt, s.SeenAt, s.EndedAt, s.WorkflowID, s.Turn, s.TurnOpen, turn.Alive(s, now)})
	}
	if a.json {
		return a.printJSON(map[string]any{"sessions": rows})
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.err, "No sessions. 'piton init' sets the agents' hooks up.")
		return nil
	}
	table := [][]string{{"ID", "AGENT", "CLIENT ID", "PROJECT", "TURN", "STATE", "SEEN"}}
	for _, s := range rows {
		state := "ended"
		switch {
		case s.Alive && s.TurnOpen:
			state = "at work"
		case s.Alive:
			state = "waiting"
		case s.EndedAt.IsZero() && s.TurnOpen:
			state = "broken off"
		}
		table = append(table, []string{s.ID, firstOf(s.Agent, "-"), short(s.ClientID, 36), short(s.Root, 40), strconv.Itoa(s.Turn), state, history.Age(now.Sub(s.SeenAt.Time)) + " ago"})
	}
	a.table(table)
	return nil
}
