package app

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// Attached is a session and its pane.
type Attached struct {
	SessionID string `json:"session_id"`
	Agent     string `json:"agent"`
	Pane      *Pane  `json:"pane,omitempty"` // absent: after `--detach`
}

// Pane is the tmux pane of a session.
type Pane struct {
	Socket    string     `json:"socket"` // of the tmux server
	ID        string     `json:"id"`     // `%3`
	ServerPID int        `json:"server_pid"`
	PID       int        `json:"pid"` // the pane's own process
	At        piton.Time `json:"at"`  // when it was attached
}

func attached(s agent.Session) Attached {
	x := Attached{SessionID: s.ID, Agent: s.Agent}
	if s.Pane != nil {
		p := paneOf(*s.Pane)
		x.Pane = &p
	}
	return x
}

func paneOf(p agent.Pane) Pane {
	return Pane{Socket: p.Socket, ID: p.ID, ServerPID: p.Server.PID, PID: p.Process.PID, At: p.At}
}
