package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/store"
)

// Now is how all work on this machine stands.
type Now struct {
	Sessions []NowSession
	Ended    int                // sessions that were seen in the last day and are left out
	Runs     []planruns.RunRow  // unfinished
	Needs    []OpenNeed         // what work left open
	Machine  []Work             // what else waits for a person: letters, clients whose hooks cannot run
	Heads    []piton.Checkpoint // unfinished, that neither a session nor a run is at
	Known    bool               // anything was ever seen or saved here
}

// NowSession is a session with what is to be said of it.
type NowSession struct {
	Session
	Last *agent.Decision // its last stop; nil: it had none
}

// Calls tells that a person is waited for.
func (s NowSession) Calls() bool {
	return s.WaitsFor == agent.WaitPermission || s.WaitsFor == agent.WaitAnswer
}

// Held is what holds it; nil: nothing does.
func (s NowSession) Held() *agent.Decision {
	if s.State == agent.StateHeld && s.Last != nil && s.Last.Held && s.Last.Turn == s.Turn {
		return s.Last
	}
	return nil
}

// Bounds of what is shown of sessions that are over.
const (
	endedFor  = 24 * time.Hour
	maxEnded  = 12
	maxNowRun = 50
	maxTold   = 5 // decisions that are looked at: the same stop may be told twice
)

// AllWork tells how all work on this machine stands: what waits for a person first.
func (a Overview) AllWork(ctx context.Context) (Now, error) {
	var x Now
	machine, errMachine := a.machineWork(ctx)
	x.Machine = machine
	st, err := a.Local(ctx, true)
	if err != nil {
		return x, caller.UnlessMissing(err)
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Limit: caller.MaxSessions})
	if err != nil {
		return x, err
	}
	x.Known, x.Needs = len(list) > 0, needsOf(list)
	over := 0
	for _, s := range list {
		n := NowSession{Session: Agents(a).session(s)}
		if !n.Alive {
			if a.Now().Sub(s.SeenAt.Time) > endedFor {
				continue
			}
			if over++; over > maxEnded {
				x.Ended++
				continue
			}
		}
		last, err := st.Decisions(ctx, s.ID, maxTold)
		if err != nil {
			return x, err
		}
		if i := slices.IndexFunc(last, func(d agent.Decision) bool { return d.Reason != agent.ReasonMoved }); i >= 0 {
			n.Last = &last[i]
		}
		x.Sessions = append(x.Sessions, n)
	}
	shown := make([]Session, len(x.Sessions))
	for i, s := range x.Sessions {
		shown[i] = s.Session
	}
	offerOthers(shown)
	for i := range shown {
		x.Sessions[i].GoOn = shown[i].GoOn
	}
	slices.SortStableFunc(x.Sessions, func(p, q NowSession) int { return cmp.Compare(urgency(p), urgency(q)) })
	runs, err := planruns.PlanRuns(a).Runs(ctx, piton.RunsRequest{Open: true, Limit: maxNowRun})
	if err != nil && piton.CodeOf(err) != piton.Invalid && !caller.Missing(err) { // Invalid: this store keeps no runs
		return x, err
	}
	x.Runs = runs.Runs
	open, err := Checkpoints(a).List(ctx, piton.ListRequest{Open: true, Limit: maxHeads + len(x.Runs)})
	if x.Heads = ofNoRun(open.Checkpoints, x.Runs); err != nil {
		return x, err
	}
	if !x.Known {
		saved, err := Checkpoints(a).List(ctx, piton.ListRequest{Limit: 1}) // a run has some, too
		if x.Known = len(saved.Checkpoints) > 0; err != nil {
			return x, err
		}
	}
	return x, errMachine
}

// urgency orders sessions: those that are held, those at a limit, those at work, those that
// wait to go on, those that are over. Who calls a person comes before all.
func urgency(s NowSession) int {
	if s.Calls() {
		return -1
	}
	order := []string{string(agent.StateHeld), string(agent.WaitLimit), string(agent.StateWorking), string(agent.WaitPrompt)}
	if i := slices.Index(order, cmp.Or(string(s.WaitsFor), string(s.State))); i >= 0 {
		return i
	}
	return len(order)
}
