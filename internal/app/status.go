package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
)

// Status says where things stand in a project.
type Status struct {
	Root         string             `json:"root"`                    // the work tree
	Modes        map[string]string  `json:"modes"`                   // the mode in force here, by agent
	Clients      []ClientStatus     `json:"clients"`                 // that are installed or have Piton's hooks
	Sessions     []Session          `json:"sessions"`                // those that are open here
	Open         []piton.Checkpoint `json:"open"`                    // the newest of the unfinished work that is not a run, at most 3
	OpenMore     int                `json:"open_more,omitempty"`     // how many more there are
	Needs        []OpenNeed         `json:"needs"`                   // what the work here leaves open
	LastDecision *agent.Decision    `json:"last_decision,omitempty"` // of the project's last stop; absent: there was none
	Saved        bool               `json:"-"`                       // there is something to list
	Next         []NextCommand      `json:"next"`                    // the commands that matter now, at most 3; texts for people
	Waiting      []Work             `json:"waiting"`                 // those of `work` that wait for a person
	Work         []Work             `json:"work"`                    // all that is unfinished here, what waits for a person first
	Runs         []planruns.RunRow  `json:"runs"`                    // the unfinished runs of the project
	StoreError   string             `json:"store_error,omitempty"`   // why a store could not be read, so that what it holds is not known; absent: it was read
	StoreHint    string             `json:"store_hint,omitempty"`    // what to do then; absent: it was read
	LeftOut      []string           `json:"left_out,omitempty"`      // keys of the project's settings that need `piton trust`
	Unusable     string             `json:"unusable,omitempty"`      // the first that cannot be used of the settings in force here
	// AtWork is the head of a live session, where that is why there is no unfinished work.
	AtWork *piton.Checkpoint `json:"-"`
}

// ClientStatus is an agent client, and whether its hooks run.
type ClientStatus struct {
	Agent     string     `json:"agent"`
	Hooks     bool       `json:"hooks"`               // they are in its settings
	SeenAt    piton.Time `json:"seen_at,omitzero"`    // when one last ran, in any project
	Prevented string     `json:"prevented,omitempty"` // why it does not run them here, in the words of `doctor`, as far as its files say
	Hint      string     `json:"hint,omitempty"`      // what to do
}

// NextCommand is a command, and why it matters now.
type NextCommand struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

const (
	maxStatusOpen = 3  // unfinished work that a status shows
	maxStatusRows = 20 // sessions that are looked at
)

// Status says where things stand in the project of the caller's folder. Nothing is
// created, and no client is asked. A store that cannot be read is not an error: it is said,
// with what is known without it.
func (a Overview) Status(ctx context.Context) (Status, error) {
	x := Status{Sessions: []Session{}, Open: []piton.Checkpoint{}, Clients: []ClientStatus{}, Needs: []OpenNeed{}, Waiting: []Work{}, Work: []Work{}, Runs: []planruns.RunRow{}}
	var err error
	if x.Root, err = a.Root(); err != nil {
		return x, err
	}
	x.Modes = insight.Insight(a).Modes(x.Root)
	set := a.Config(x.Root)
	x.LeftOut = set.Project.LeftOut
	if i := slices.IndexFunc(set.Problems, func(err error) bool { return !errors.Is(err, config.ErrUntrusted) }); i >= 0 {
		x.Unusable = strings.TrimPrefix(caller.AsError(set.Problems[i]).Error(), "piton: ")
	}
	p, errProject := a.Project(ctx, "", false)
	var errClients error
	x.Clients, errClients = a.clientStatus(ctx)
	open, errWork := a.workHere(ctx, p.ID)
	x.Work, x.Runs, x.Needs = append(x.Work, open.list()...), append(x.Runs, open.runs...), append(x.Needs, open.needs...)
	x.Waiting, x.Sessions = append(x.Waiting, waiting(x.Work)...), append(x.Sessions, open.sessions...)
	x.Open = append(x.Open, open.heads[:min(len(open.heads), maxStatusOpen)]...)
	x.OpenMore = len(open.heads) - len(x.Open) + open.more
	for _, err := range []error{a.statusHere(ctx, &x), errClients, errProject, errWork} {
		switch {
		case ctx.Err() != nil:
			return x, ctx.Err()
		case err != nil && !caller.Missing(err) && x.StoreError == "":
			x.StoreError, x.StoreHint = caller.Message(err), caller.AsError(err).Hint
		}
	}
	x.Next = x.next()
	return x, nil
}

// statusHere adds what else is known of the project. What was saved may be in a shared
// store, where another machine knows the project and this one has seen nothing of it.
func (a Overview) statusHere(ctx context.Context, x *Status) error {
	if err := a.lastDecision(ctx, x); err != nil && !caller.Missing(err) {
		return err
	}
	if len(x.Open)+len(x.Runs) == 0 && len(x.Sessions) > 0 {
		list, err := Checkpoints(a).List(ctx, piton.ListRequest{Open: true, Limit: 1})
		if err != nil && !caller.Missing(err) {
			return err
		}
		x.AtWork = list.AtWork
	}
	if x.Saved = len(x.Open)+len(x.Runs) > 0; !x.Saved {
		list, err := Checkpoints(a).List(ctx, piton.ListRequest{Limit: 1})
		if err != nil && !caller.Missing(err) {
			return err
		}
		x.Saved = len(list.Checkpoints) > 0
	}
	return nil
}

// lastDecision adds the last decision of the project.
func (a Overview) lastDecision(ctx context.Context, x *Status) error {
	p, err := a.Project(ctx, "", false)
	if err != nil {
		return err
	}
	st, err := a.Local(ctx, true)
	if err != nil {
		return err
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Project: p.ID, Limit: maxStatusRows})
	if err != nil {
		return err
	}
	for _, s := range list {
		if x.LastDecision != nil && !s.SeenAt.After(x.LastDecision.At.Time) {
			continue // the last seen come first: none of the rest has decided later
		}
		last, err := st.Decisions(ctx, s.ID, 1)
		if err != nil {
			return err
		}
		if len(last) > 0 && (x.LastDecision == nil || last[0].At.After(x.LastDecision.At.Time)) {
			x.LastDecision = &last[0]
		}
	}
	return nil
}

// clientStatus lists the clients that are installed or set up.
func (a Overview) clientStatus(ctx context.Context) ([]ClientStatus, error) {
	out := []ClientStatus{}
	st, err := a.Local(ctx, true)
	none, unread := err != nil, err
	if caller.Missing(err) {
		unread = nil
	}
	all, err := installation.Setup(a).AllTargets(setup.User)
	for _, t := range all {
		inProject := t
		inProject.Scope = setup.Project
		x := ClientStatus{Agent: t.Agent, Hooks: setup.Installed(t) || setup.Installed(inProject)}
		if !x.Hooks && !installation.IsHere(t) {
			continue
		}
		if !none {
			last, err := st.Sessions(ctx, store.SessionQuery{Agent: t.Agent, Limit: 1})
			if err != nil {
				none, unread = true, err
			}
			for _, s := range last {
				x.SeenAt = s.SeenAt
			}
		}
		switch why := setup.Prevented(t, setup.Probe{Getenv: a.Options.Getenv}); {
		case x.Hooks || why.Name == setup.Unreadable:
			x.Prevented, _ = redact.Text(why.Detail)
			x.Hint = why.Hint
		case t.Hook == "": // init would refuse
			x.Prevented, x.Hint = installation.NoHook, installation.HowToInstall
		}
		out = append(out, x)
	}
	return out, errors.Join(err, unread)
}

// next are the commands that matter now, at most three.
func (x Status) next() []NextCommand {
	var list []NextCommand
	add := func(when bool, command, why string) {
		if when && len(list) < 3 {
			list = append(list, NextCommand{command, why})
		}
	}
	if x.StoreError != "" {
		add(true, "piton doctor", "finds out what is wrong")
		return list
	}
	setUp, waits, ready := false, false, false
	for _, c := range x.Clients {
		setUp = setUp || c.Hooks
		ready = ready || !c.Hooks && c.Prevented == ""
	}
	for _, s := range x.Sessions {
		waits = waits || s.WaitsFor != "" && s.WaitsFor != agent.WaitLimit
	}
	add(!setUp && ready, "piton init", "sets up the agents' hooks") // it refuses where there is no client, and settings that it cannot read
	add(!setUp, "piton demo", "shows what they do")
	add(len(x.LeftOut) > 0, "piton trust", "looks at what this project's .piton.yaml asks for")
	add(waits, "piton sessions", "says who waits for you")
	if i := slices.IndexFunc(x.Runs, func(r planruns.RunRow) bool { return len(r.Stood) > 0 && r.Stood[0].Idle }); i >= 0 {
		r := x.Runs[i]
		add(true, r.Stood[0].Command, "goes on with the run "+r.Label()+" ("+r.Word()+")")
	}
	add(len(x.Open) > 0, "piton resume", "prints the brief of unfinished work")
	add(x.LastDecision != nil && x.LastDecision.Held, "piton explain", "says why the agent was held")
	add(x.Saved, "piton list", "shows what was saved")
	add(setUp || !ready && len(x.Clients) > 0, "piton doctor", "checks the setup")
	add(!x.Saved, "piton help", "lists the commands")
	return list
}
