package event

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/turn"
)

// Bounds of a status line: a client asks for one several times a second.
const (
	maxStatus      = 1 << 20               // bytes of what the client says
	maxSessions    = 20                    // the last seen, among which others that wait are looked for
	statusPatience = 2 * time.Second       // for what the client says
	statusWait     = 50 * time.Millisecond // for a store that another program opens
)

// Statusline prints what a person should know of a session, on one line, for the
// status line of its client: how often the agent was held in this turn, how much
// work of the project is unfinished, and how many other agents wait. in holds the
// client's JSON. It prints nothing where there is nothing to say, makes nothing,
// and does not fail.
func Statusline(ctx context.Context, in io.Reader, out io.Writer, getenv func(string) string) {
	home := config.Home(getenv)
	defer func() {
		if r := recover(); r != nil {
			log := hook.Log(place.Log(home))
			log.ErrorContext(ctx, "panic", "err", fmt.Sprint(r))
		}
	}()
	var said struct {
		Session string `json:"session_id"`
	}
	read := make(chan error, 1)
	go func() { read <- json.NewDecoder(io.LimitReader(in, maxStatus)).Decode(&said) }()
	select {
	case err := <-read:
		if err != nil || said.Session == "" {
			return
		}
	case <-time.After(statusPatience): // somebody holds stdin open and says nothing
		return
	}
	path, named := place.SQLite(config.Load(place.Settings(getenv, nil, "")).Store)
	if !named {
		path = place.Database(home)
	}
	st, err := sqlite.Open(ctx, path, sqlite.Options{Wait: statusWait, Existing: true})
	if err != nil {
		return
	}
	defer st.Close()
	if line := statusOf(ctx, st.Local(), said.Session, piton.At(time.Now())); line != "" {
		fmt.Fprintln(out, line)
	}
}

// statusOf is the line for a client's session.
func statusOf(ctx context.Context, st *store.Local, clientID string, now piton.Time) string {
	sessions, err := st.Sessions(ctx, store.SessionQuery{Limit: maxSessions})
	if err != nil {
		return ""
	}
	var own agent.Session
	alive := map[string]bool{}
	var permission, waiting int
	for _, s := range sessions {
		if s.ClientID == clientID && own.ID == "" {
			own = s
			continue
		}
		if s.Damaged || s.Agent == "" || !turn.Alive(s, now) {
			continue
		}
		alive[s.ID] = true
		switch s.Stands(true, now).Wait {
		case agent.WaitPrompt:
			waiting++
		case agent.WaitPermission, agent.WaitAnswer:
			permission++
		}
	}
	if own.ID == "" {
		if own, err = st.Session(ctx, clientID); err != nil {
			return ""
		}
	}
	unfinished := 0
	if open, err := st.Checkpoints.CountOpen(ctx, own.Project); err == nil && own.Project != "" {
		for session, n := range open {
			if session != own.ID && !alive[session] {
				unfinished += n
			}
		}
	}
	return statusText(own, unfinished, permission, waiting)
}

// statusText puts the line together.
func statusText(own agent.Session, unfinished, permission, waiting int) string {
	var parts []string
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	if own.TurnOpen && own.Holds > 0 {
		parts = append(parts, fmt.Sprintf("held %d of %d", own.Holds, agent.MaxHolds))
	}
	say(unfinished, "unfinished", "unfinished")
	say(permission, "other agent needs you", "other agents need you")
	say(waiting, "other agent is idle", "other agents are idle")
	if len(parts) == 0 {
		return ""
	}
	return "piton: " + strings.Join(parts, " · ")
}
