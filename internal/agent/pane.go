package agent

import "github.com/piton-project/piton"

// Pane is the tmux pane that a person has named for a session. A pane's number is
// given out once by a tmux server, and again by the next one; so the server and
// the pane's own process belong to it.
type Pane struct {
	Socket  string  `redact:"name"` // path of the server's socket
	Server  Process // the tmux server
	ID      string  `redact:"name"` // %3
	Process Process // the pane's own: the client, or the shell that it was started from
	At      piton.Time
}
