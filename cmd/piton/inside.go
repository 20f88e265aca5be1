package main

import (
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// inside tells which agent this program runs in: by what the clients put into
// the environment, ours or that of a process above us, by these processes, and by
// those of the sessions that are alive. "" where there is no sign of one.
func (a *app) inside(ctx context.Context) string {
	if name := marked(a.getenv); name != "" {
		return name
	}
	look := a.ancestors
	if look == nil {
		look = proc.Ancestors
	}
	above := look()
	for _, p := range above {
		if name := clients.Runs(p.Name, p.Argv); name != "" {
			return name
		}
		if name := marked(p.Getenv); name != "" { // it was taken out on the way, as by env -i
			return name
		}
	}
	st, err := a.open(ctx, true)
	if err != nil {
		return "" // no session is known
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Limit: sessionsAsked})
	if err != nil {
		return ""
	}
	now := piton.At(time.Now())
	for _, s := range list {
		is := func(p proc.Ancestor) bool {
			return p.PID == s.Process.PID && (p.Start == s.Process.Start || p.Start == "" || s.Process.Start == "")
		}
		if s.Process.PID != 0 && slices.ContainsFunc(above, is) && turn.Alive(s, now) {
			return firstOf(s.Agent, "an agent")
		}
	}
	return ""
}

// marked tells which client has put its variables into an environment.
func marked(getenv func(string) string) string {
	for _, c := range clients.All {
		if c.Inside(getenv) {
			return c.Name()
		}
	}
	return ""
}

// sessionsAsked bounds the sessions whose processes are looked for above us:
// the last seen.
const sessionsAsked = 200

// byPerson refuses what only a person may do.
func (a *app) byPerson(ctx context.Context, op string) error {
	if name := a.inside(ctx); name != "" {
		return piton.Errorf(piton.Invalid, op, "a person does this, in a terminal of their own", "%s runs this program, and an agent cannot vouch for a file", name)
	}
	return nil
}
