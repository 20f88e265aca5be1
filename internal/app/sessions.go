package app

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// maxSessions bounds the sessions among which one is looked for: the last seen.
const maxSessions = 200

// SessionList is the agents' sessions, the last seen first.
type SessionList struct {
	Sessions []Session `json:"sessions"`
}

// Session is a session and how it stands.
type Session struct {
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

// State is how a session stands, in words.
func (s Session) State() string {
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

// Sessions lists the sessions of the project of dir; of all projects where dir is
// empty. limit 0 is all.
func (a *App) Sessions(ctx context.Context, dir string, limit int) (SessionList, error) {
	out := SessionList{[]Session{}}
	if limit < 0 {
		return out, piton.Errorf(piton.Invalid, "list sessions", "give a number, 0 for all", "the limit %d is negative", limit)
	}
	st, err := a.Local(ctx, true)
	q := store.SessionQuery{Limit: limit}
	if err == nil && dir != "" {
		var p piton.Project
		p, err = a.Project(ctx, dir, false)
		q.Project = p.ID
	}
	if missing(err) {
		return out, nil
	}
	var list []agent.Session
	if err == nil {
		list, err = st.Sessions(ctx, q)
	}
	for _, s := range list {
		out.Sessions = append(out.Sessions, Session{
			s.ID, s.Agent, s.ClientID, s.Project, s.Root, s.ClientVersion, s.StartedAt, s.SeenAt, s.EndedAt, s.WorkflowID, s.Turn, s.TurnOpen,
			turn.Alive(s, a.now()),
		})
	}
	return out, err
}
