package app

import (
	"cmp"
	"context"
	"os/exec"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// SessionList is the agents' sessions, the last seen first.
type SessionList struct {
	Sessions []Session `json:"sessions"`       // most recent first
	More     bool      `json:"more,omitempty"` // older ones were left out
}

// Session is a session and how it stands.
type Session struct {
	ID            string      `json:"id"`                       // `ses_…`
	Agent         string      `json:"agent,omitempty"`          // `claude`, `gemini` or `codex`; absent: a caller made the session
	ClientID      string      `json:"client_id,omitempty"`      // the client's own id of the conversation; absent: not known
	Project       string      `json:"project,omitempty"`        // a project id, `prj_…`; absent: no project
	Root          string      `json:"root,omitempty"`           // the project's work tree on this machine; absent: not known
	ClientVersion string      `json:"client_version,omitempty"` // absent: not known
	StartedAt     piton.Time  `json:"started_at,omitzero"`      // the first event; absent: not known
	SeenAt        piton.Time  `json:"seen_at,omitzero"`         // the last event; absent: not known
	EndedAt       piton.Time  `json:"ended_at,omitzero"`        // when it reported its end; absent: it has not
	WorkflowID    string      `json:"workflow_id,omitempty"`    // its own workflow, of type `session`; absent: nothing was captured yet
	RunID         string      `json:"run_id,omitempty"`         // of the step of a run in which it works; absent: none started it
	StepID        string      `json:"step_id,omitempty"`        // likewise; absent: none started it
	Prompt        string      `json:"prompt,omitempty"`         // the person's last prompt, cut, without secrets; absent: none was seen
	Turn          int         `json:"turn"`                     // human prompts that opened a turn
	Holds         int         `json:"holds,omitempty"`          // how often it was held since the last prompt, at most 2
	TurnOpen      bool        `json:"turn_open"`                // the turn has not ended: the agent was not let go yet
	Alive         bool        `json:"alive"`                    // its agent is working or waiting now
	Damaged       bool        `json:"damaged,omitempty"`        // its record cannot be read: `piton verify --repair` begins it anew and keeps its checkpoints
	Pane          *Pane       `json:"pane,omitempty"`           // the tmux pane of its client; absent: none is attached
	State         agent.State `json:"state"`
	WaitsFor      agent.Wait  `json:"waits_for,omitempty"`    // what a live session waits for; absent: it waits for nothing
	WaitingSince  piton.Time  `json:"waiting_since,omitzero"` // absent: as `waits_for`
	Asks          string      `json:"asks,omitempty"`         // what it waits for permission to do, or what it said last before it asked something, without secrets; absent: the client's log does not tell, or no person is waited for
	ResetsAt      piton.Time  `json:"resets_at,omitzero"`     // when the limit ends, where the client says so; absent: not known, or no limit
	GoOn          string      `json:"go_on,omitempty"`        // of a session at a limit: the command with which another client, which is installed and at no limit, goes on with its work; absent: there is none, or it was taken over
	TakenBy       string      `json:"taken_by,omitempty"`     // `ses_…` that has taken over its work; absent: none has
}

// Stands is how a session stands, in words.
func (s Session) Stands() string {
	words := map[agent.State]string{agent.StateWorking: "at work", agent.StateHeld: "held", agent.StateBrokenOff: "broken off"}
	waits := map[agent.Wait]string{agent.WaitPermission: "waits for permission", agent.WaitAnswer: "waits for an answer", agent.WaitLimit: "waits for the API's limit"}
	return cmp.Or(waits[s.WaitsFor], words[s.State], string(s.State))
}

// session is a session as it is shown.
func (a Agents) session(s agent.Session) Session {
	alive := turn.Alive(s, a.Now()) && !s.Damaged
	x, asks := a.stands(s, alive)
	return Session{
		ID: s.ID, Agent: s.Agent, ClientID: s.ClientID, Project: s.Project, Root: s.Root, ClientVersion: s.ClientVersion,
		StartedAt: s.StartedAt, SeenAt: s.SeenAt, EndedAt: s.EndedAt, WorkflowID: s.WorkflowID, RunID: s.Run, StepID: s.Step,
		Prompt: s.LastMessage, Turn: s.Turn, Holds: s.Holds, TurnOpen: s.TurnOpen, Alive: alive, Damaged: s.Damaged, Pane: attached(s).Pane,
		State: x.State, WaitsFor: x.Wait, WaitingSince: x.Since, Asks: asks, ResetsAt: x.Until, TakenBy: s.TakenBy,
	}
}

// stands is how a session stands, by its events and, in a turn, by its client's log: not
// every client reports a request that has failed, or an interruption. asks is what it waits
// for permission to do.
func (a Agents) stands(s agent.Session, alive bool) (x agent.Standing, asks string) {
	x = s.Stands(alive, a.Now())
	c, ok := clients.ByName(s.Agent)
	if !ok || !alive || !s.TurnOpen || s.Transcript == "" {
		return x, ""
	}
	log, err := c.Transcript(s.Transcript, s.LastMessageAt.Time, 0)
	if err != nil {
		return x, ""
	}
	x = s.AsLogged(log).Stands(alive, a.Now())
	pending := slices.DeleteFunc(log.Calls, func(c agent.Call) bool { return !c.EndedAt.IsZero() })
	switch {
	case x.Wait == agent.WaitAnswer:
		asks = log.LastOutput
	case x.Wait == agent.WaitPermission && len(pending) == 1: // of several nobody knows which it is
		asks = pending[0].Tool + " " + cmp.Or(pending[0].Command, strings.Join(pending[0].Paths, " "))
	}
	asks, _ = redact.Text(strings.TrimSpace(asks))
	return x, piton.Cut(asks, maxAsks)
}

// maxAsks bounds what is shown of what a session asks, in bytes.
const maxAsks = 500

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
	if caller.Missing(err) {
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
	offerOthers(out.Sessions)
	return out, err
}

// offerOthers names, for sessions at a limit, the command with which another client goes on
// with the work: one that is installed and has no session at a limit itself.
func offerOthers(list []Session) {
	limited := map[string]bool{}
	for _, s := range list {
		limited[s.Agent] = limited[s.Agent] || s.WaitsFor == agent.WaitLimit
	}
	for i := range list {
		s := &list[i]
		if s.WaitsFor != agent.WaitLimit || s.TakenBy != "" {
			continue
		}
		for _, c := range clients.All {
			if _, err := exec.LookPath(c.Program().Name); err == nil && !limited[c.Name()] {
				s.GoOn = "piton resume --session " + s.ID + " --agent " + c.Name() + " --exec"
				break
			}
		}
	}
}
