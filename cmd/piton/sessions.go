package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
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
		Use:   "sessions",
		Short: "List the agents' sessions, the last seen first",
		Long: `List the agents' sessions, the last seen first: at work (in a turn), waiting (for
its person), ended, or broken off (it ended inside a turn without a word).`,
		Example: "  piton sessions\n  piton sessions --project . --json",
		Args:    none("to see what was decided in a session: piton explain %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := atLeastZero(c, limit); err != nil {
				return err
			}
			st, err := a.open(c.Context(), true)
			if missing(err) {
				return a.printSessions(nil)
			}
			if err != nil {
				return err
			}
			q := store.SessionQuery{Limit: limit}
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
	c.Flags().StringVar(&dir, "project", "", "a folder (`DIR`) of the project (default: all)")
	c.Flags().IntVar(&limit, "limit", 20, "at most so many, 0 for all")
	return c
}

func (a *app) printSessions(list []agent.Session) error {
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
	table := [][]string{{"ID", "Agent", "Client's id", "Work tree", "Turn", "State", "Seen"}}
	for _, s := range rows {
		table = append(table, []string{
			s.ID, firstOf(line(s.Agent), "-"), firstOf(short(s.ClientID, 36), "-"), firstOf(a.shortPath(s.Root, 40), "-"),
			strconv.Itoa(s.Turn), s.state(), states.Age(now.Sub(s.SeenAt.Time)) + " ago",
		})
	}
	return a.table(a.fitted(table, 2, 3))
}

func (s sessionJSON) state() string {
	switch {
	case s.Alive && s.TurnOpen:
		return "at work"
	case s.Alive:
		return "waiting"
	case s.EndedAt.IsZero() && s.TurnOpen:
		return "broken off"
	}
	return "ended"
}

// shortPath writes a path in at most n characters: its end says more than its
// beginning.
func (a *app) shortPath(path string, n int) string {
	if home := config.UserHome(a.getenv); home != "/" && (path == home || strings.HasPrefix(path, home+"/")) {
		path = "~" + path[len(home):]
	}
	return ending(line(path), n)
}

// ending is a text in at most n characters, its end.
func ending(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n+1:])
}
