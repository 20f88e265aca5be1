package app

import (
	"cmp"
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// maxSessions bounds the sessions among which one is looked for: the last seen.
const maxSessions = 200

// SessionList is the agents' sessions, the last seen first.
type SessionList struct {
	Sessions []Session `json:"sessions"`
	More     bool      `json:"more,omitempty"` // older ones were left out
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
	RunID         string     `json:"run_id,omitempty"` // of the step in which it works
	StepID        string     `json:"step_id,omitempty"`
	Turn          int        `json:"turn"`
	TurnOpen      bool       `json:"turn_open"`
	Alive         bool       `json:"alive"`
	Damaged       bool       `json:"damaged,omitempty"` // its record cannot be read; 'piton verify --repair' begins it anew
	Pane          *Pane      `json:"pane,omitempty"`    // of its client, as far as a person has said
	// State is how it stands. WaitsFor is what it waits for, since WaitingSince, and until
	// ResetsAt where that is a limit whose end its client tells.
	State        agent.State `json:"state"`
	WaitsFor     agent.Wait  `json:"waits_for,omitempty"`
	WaitingSince piton.Time  `json:"waiting_since,omitzero"`
	ResetsAt     piton.Time  `json:"resets_at,omitzero"`
}

// Stands is how a session stands, in words.
func (s Session) Stands() string {
	words := map[agent.State]string{agent.StateWorking: "at work", agent.StateHeld: "held", agent.StateBrokenOff: "broken off"}
	waits := map[agent.Wait]string{agent.WaitPermission: "waits for permission", agent.WaitAnswer: "waits for an answer", agent.WaitLimit: "waits for the API's limit"}
	return cmp.Or(waits[s.WaitsFor], words[s.State], string(s.State))
}

// session is a session as it is shown.
func (a Agents) session(s agent.Session) Session {
	alive := turn.Alive(s, a.now()) && !s.Damaged
	x := a.stands(s, alive)
	return Session{
		ID: s.ID, Agent: s.Agent, ClientID: s.ClientID, Project: s.Project, Root: s.Root, ClientVersion: s.ClientVersion,
		StartedAt: s.StartedAt, SeenAt: s.SeenAt, EndedAt: s.EndedAt, WorkflowID: s.WorkflowID, RunID: s.Run, StepID: s.Step,
		Turn: s.Turn, TurnOpen: s.TurnOpen, Alive: alive, Damaged: s.Damaged, Pane: attached(s).Pane,
		State: x.State, WaitsFor: x.Wait, WaitingSince: x.Since, ResetsAt: x.Until,
	}
}

// stands is how a session stands, by its events and, in a turn, by its client's log: not
// every client reports a request that has failed, or an interruption.
func (a Agents) stands(s agent.Session, alive bool) agent.Standing {
	x := s.Stands(alive, a.now())
	c, ok := clients.ByName(s.Agent)
	if !ok || !alive || !s.TurnOpen || s.Transcript == "" {
		return x
	}
	log, err := c.Transcript(s.Transcript, s.LastMessageAt.Time)
	if err != nil {
		return x
	}
	return s.AsLogged(log).Stands(alive, a.now())
}

// Sessions lists the sessions of a project; of all projects where none is named.
func (a Agents) Sessions(ctx context.Context, r piton.SessionsRequest) (SessionList, error) {
	out, dir, limit := SessionList{Sessions: []Session{}}, r.Project, r.Limit
	st, err := a.Local(ctx, true)
	q := store.SessionQuery{Limit: limit}
	if limit > 0 {
		q.Limit++ // to know whether there are more
	}
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
	if out.More = limit > 0 && len(list) > limit; out.More {
		list = list[:limit]
	}
	for _, s := range list {
		out.Sessions = append(out.Sessions, a.session(s))
	}
	return out, err
}
