package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
)

// Waiting is something that waits for a person, and the command that answers it.
type Waiting struct {
	Kind    WaitingKind `json:"kind"`
	ID      string      `json:"id,omitempty"` // of the run, the session or the letter
	Text    string      `json:"text"`
	Command string      `json:"command"`
	Since   piton.Time  `json:"since,omitzero"`
}

// WaitingKind is what waits for a person, the most urgent first.
type WaitingKind string

// The kinds.
const (
	WaitingApproval    WaitingKind = "approval"    // a step asks
	WaitingInDoubt     WaitingKind = "in_doubt"    // nobody knows whether a step took effect
	WaitingAnswered    WaitingKind = "answered"    // a run has its answers and has not gone on
	WaitingInterrupted WaitingKind = "interrupted" // a run's process has died
	WaitingPermission  WaitingKind = "permission"  // an agent asks for it
	WaitingAnswer      WaitingKind = "answer"      // an agent asks something
	WaitingHeld        WaitingKind = "held"        // an agent was held at its last stop
	WaitingLetters     WaitingKind = "letters"     // letters were given up
	WaitingHooks       WaitingKind = "hooks"       // the program of a client's hooks is gone
	WaitingElsewhere   WaitingKind = "elsewhere"   // runs or sessions of other projects
)

// runsWaiting is what the runs of a project wait for, and how many of others wait.
func (a *App) runsWaiting(ctx context.Context, project string) (list []Waiting, others int, err error) {
	all, err := a.Runs(ctx, RunFilter{Open: true})
	if piton.CodeOf(err) == piton.Invalid {
		err = nil // this store keeps no runs; one that cannot be named is told with its checkpoints
	}
	for _, r := range all.Runs {
		known := r.Status == piton.RunRunning && r.Alive != OwnerDead
		waits := slices.Contains([]piton.RunStatus{piton.RunWaiting, piton.RunInDoubt, piton.RunRunning}, r.Status)
		switch {
		case !waits, r.Project != project && known:
		case r.Project != project || project == "":
			others++
		default:
			v, err := a.ShowRun(ctx, r.ID)
			if err != nil {
				return list, others, err
			}
			list = append(list, v.waits()...)
		}
	}
	return list, others, err
}

// waits is what a run waits for.
func (v RunView) waits() (list []Waiting) {
	add := func(kind WaitingKind, text, command string) {
		list = append(list, Waiting{kind, v.Run.ID, v.Run.Label() + text, command, v.Run.UpdatedAt})
	}
	resume := "piton run --resume " + v.Run.ID
	for _, q := range v.Questions {
		if asks, _, _ := strings.Cut(strings.TrimSpace(q.Text), "\n"); q.Answer == nil {
			add(WaitingApproval, ", step "+q.StepID+" asks: "+asks, "piton runs approve "+v.Run.ID+" "+q.StepID)
		}
	}
	for _, s := range v.Steps {
		if s.Status == runner.InDoubt && v.Run.Alive != OwnerAlive {
			add(WaitingInDoubt, ", step "+s.ID+": nobody knows whether it took effect; see, then --took if it did, --redo if not", resume+" --took "+s.ID)
		}
	}
	switch {
	case len(list) > 0 || v.goesOn:
	case v.Run.Answered:
		add(WaitingAnswered, ": a person has answered, and it has not gone on", resume)
	case v.Run.Alive == OwnerDead:
		add(WaitingInterrupted, ": its process has died", resume)
	}
	return list
}

// sessionsWaiting is what open sessions of a project wait for, and how many of others
// wait.
func (a *App) sessionsWaiting(ctx context.Context, project string) (list []Waiting, others int, err error) {
	st, err := a.Local(ctx, true)
	if err != nil {
		return nil, 0, err
	}
	all, err := st.Sessions(ctx, store.SessionQuery{Limit: maxSessions})
	for _, s := range all {
		shown := a.session(s)
		kind, asks := map[agent.Wait]WaitingKind{agent.WaitPermission: WaitingPermission, agent.WaitAnswer: WaitingAnswer}[shown.WaitsFor]
		text, command := shown.Stands()+": answer it in its own terminal", "piton sessions "+s.ID
		if !asks && shown.Alive && s.TurnOpen && s.Holds > 0 {
			last, err := st.Decisions(ctx, s.ID, 1)
			if err != nil {
				return list, others, err
			}
			if asks = len(last) > 0 && last[0].Held && last[0].Turn == s.Turn; asks {
				text, command = "held: "+append(last[0].Actions, Why(last[0].Reason))[0], "piton explain "+s.ID
				kind, shown.WaitingSince = WaitingHeld, last[0].At
			}
		}
		switch {
		case !asks, s.Project != project && kind == WaitingHeld: // it works on by itself
		case s.Project != project || project == "":
			others++
		default:
			list = append(list, Waiting{kind, s.ID, cmp.Or(s.Agent, "session") + " " + s.ID + " " + text, command, shown.WaitingSince})
		}
	}
	return list, others, err
}

// waitingHere is what waits for a person: of the project first, then of the machine.
func (a *App) waitingHere(ctx context.Context, project string) (list []Waiting, err error) {
	runs, otherRuns, err := a.runsWaiting(ctx, project)
	sessions, otherSessions, errSessions := a.sessionsWaiting(ctx, project)
	list = append(append(append(list, runs...), sessions...), a.hooksGone()...)
	letters, errLetters := a.Letters(ctx)
	parked := slices.DeleteFunc(letters.Letters, func(l Letter) bool { return l.Status != letterParked })
	if n := len(parked); n > 0 {
		text := "letters given up: " + fmt.Sprint(n) + "; the last: " + cmp.Or(parked[0].Reason, string(parked[0].Kind))
		list = append(list, Waiting{WaitingLetters, parked[0].ID, text, "piton letters", parked[0].ParkedAt})
	}
	elsewhere := func(n int, what, command string) {
		text := fmt.Sprintf("%d %ss wait for a person in other projects", n, what)
		if n == 1 {
			text = "1 " + what + " waits for a person in another project"
		}
		if n > 0 {
			list = append(list, Waiting{Kind: WaitingElsewhere, Text: text, Command: command})
		}
	}
	elsewhere(otherRuns, "run", "piton runs list --open")
	elsewhere(otherSessions, "session", "piton sessions")
	for _, e := range []error{err, errSessions, errLetters} {
		if e != nil && !missing(e) {
			return list, e
		}
	}
	return list, nil
}

// hooksGone names clients whose settings run a program of ours that is not there.
func (a *App) hooksGone() (list []Waiting) {
	all, err := a.allTargets(setup.User)
	if err != nil {
		return nil
	}
	for _, t := range all {
		if gone := setup.HookGone(t, setup.Probe{Getenv: a.o.Getenv}); gone.Name != "" {
			command := "piton doctor --agent " + t.Agent
			if _, rest, ok := strings.Cut(gone.Hint, "'piton init"); ok {
				command = "piton init" + strings.TrimSuffix(rest, "'")
			}
			list = append(list, Waiting{Kind: WaitingHooks, Text: setup.Title(t.Agent) + ": the program of its hooks cannot run: " + gone.Detail, Command: command})
		}
	}
	return list
}
