package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/setup"
)

// Waiting is something that waits for a person, and the command that answers it.
type Waiting struct {
	// `approval`, `in_doubt`, `answered`, `interrupted`, `no_daemon` (runs, as they stand),
	// `permission`, `answer`, `limit` (sessions), `lost` (files), `letters`, `hooks` (their program cannot run), `elsewhere`
	// (in other projects)
	Kind    WaitingKind `json:"kind"`
	ID      string      `json:"id,omitempty"` // of the run, the session or the letter
	Text    string      `json:"text"`         // for people
	Command string      `json:"command"`      // answers it or shows how
	Since   piton.Time  `json:"since,omitzero"`
	Count   int         `json:"count,omitempty"` // how many it is, if `elsewhere`
}

// WaitingList is what waits for a person, the most urgent first.
type WaitingList struct {
	Waiting []Waiting `json:"waiting"`
}

// WaitingFor is what waits for a person in a project, in whose folder the caller stands from
// then on, and how much in others.
func (a Overview) WaitingFor(ctx context.Context, r piton.WaitingRequest) (WaitingList, error) {
	x := WaitingList{Waiting: []Waiting{}}
	dir, err := a.Path(cmp.Or(r.Project, "."))
	if err != nil {
		return x, err
	}
	a.Options.Dir = dir
	p, err := a.Project(ctx, "", false)
	if err != nil && !caller.Missing(err) {
		return x, err
	}
	list, _, err := a.waitingHere(ctx, p.ID)
	x.Waiting = append(x.Waiting, list...)
	return x, err
}

// WaitingKind is what waits for a person, the most urgent first.
type WaitingKind string

// The kinds.
const (
	WaitingApproval    = WaitingKind(planruns.StandApproval)
	WaitingInDoubt     = WaitingKind(planruns.StandInDoubt)
	WaitingAnswered    = WaitingKind(planruns.StandAnswered)
	WaitingInterrupted = WaitingKind(planruns.StandInterrupted)
	WaitingNoDaemon    = WaitingKind(planruns.StandNoDaemon)

	WaitingPermission WaitingKind = "permission" // an agent asks for it
	WaitingAnswer     WaitingKind = "answer"     // an agent asks something
	WaitingLimit      WaitingKind = "limit"      // an agent waits for the end of a limit of the API, and another client could go on
	WaitingLost       WaitingKind = "lost"       // a command took away files that can be brought back
	WaitingLetters    WaitingKind = "letters"    // letters were given up
	WaitingHooks      WaitingKind = "hooks"      // the program of a client's hooks is gone
	WaitingElsewhere  WaitingKind = "elsewhere"  // runs or sessions of other projects
)

// runsHere are the unfinished runs of a project, and how many of others wait.
func (a Overview) runsHere(ctx context.Context, project string) (here []planruns.RunRow, others int, err error) {
	all, err := planruns.PlanRuns(a).Runs(ctx, piton.RunsRequest{Open: true})
	if piton.CodeOf(err) == piton.Invalid {
		err = nil // this store keeps no runs; one that cannot be named is told with its checkpoints
	}
	for _, r := range all.Runs {
		switch {
		case r.Project == project && project != "":
			here = append(here, r)
		case r.Waits():
			others++
		}
	}
	return here, others, err
}

// runWaits is what a run waits for.
func runWaits(r planruns.RunRow) (list []Waiting) {
	for _, s := range r.Stood {
		if s.Waits {
			list = append(list, Waiting{Kind: WaitingKind(s.Is), ID: r.ID, Text: r.Label() + s.Says, Command: s.Command, Since: r.UpdatedAt})
		}
	}
	return list
}

// sessionsWaiting is what open sessions of a project wait for, and how many of others
// wait.
func (a Overview) sessionsWaiting(ctx context.Context, project string) (list []Waiting, others int, err error) {
	all, err := Agents(a).Sessions(ctx, piton.SessionsRequest{Limit: caller.MaxSessions})
	for _, s := range all.Sessions {
		kind := map[agent.Wait]WaitingKind{agent.WaitPermission: WaitingPermission, agent.WaitAnswer: WaitingAnswer}[s.WaitsFor]
		switch {
		case s.GoOn != "" && s.Project == project && project != "":
			list = append(list, Waiting{Kind: WaitingLimit, ID: s.ID, Text: s.Agent + " " + s.ID + " " + s.Stands() + ": another client can go on with its work", Command: s.GoOn, Since: s.WaitingSince})
		case kind == "":
		case s.Project != project || project == "":
			others++
		default:
			text := cmp.Or(s.Agent, "session") + " " + s.ID + " " + s.Stands() + ": answer it in its own terminal"
			list = append(list, Waiting{Kind: kind, ID: s.ID, Text: text, Command: "piton sessions " + s.ID, Since: s.WaitingSince})
		}
	}
	return list, others, err
}

// waitingHere is what waits for a person: of the project first, then of the machine. runs
// are the unfinished ones of the project.
func (a Overview) waitingHere(ctx context.Context, project string) (list []Waiting, runs []planruns.RunRow, err error) {
	runs, otherRuns, err := a.runsHere(ctx, project)
	for _, r := range runs {
		list = append(list, runWaits(r)...)
	}
	sessions, otherSessions, errSessions := a.sessionsWaiting(ctx, project)
	list = append(append(list, sessions...), a.hooksGone()...)
	if lost, n := marks.Marks(a).Lost(ctx); n > 0 {
		list = append(list, Waiting{Kind: WaitingLost, ID: lost.ID, Text: lost.Says() + " took away " + fmt.Sprint(n) + " of your files that were not committed", Command: "piton undo", Since: lost.At})
	}
	letters, errLetters := Agents(a).Letters(ctx)
	parked := slices.DeleteFunc(letters.Letters, func(l Letter) bool { return l.Status != letterParked })
	if n := len(parked); n > 0 {
		text := "letters given up: " + fmt.Sprint(n) + "; the last: " + cmp.Or(parked[0].Reason, string(parked[0].Kind))
		list = append(list, Waiting{Kind: WaitingLetters, ID: parked[0].ID, Text: text, Command: "piton letters", Since: parked[0].ParkedAt})
	}
	elsewhere := func(n int, what, command string) {
		text := fmt.Sprintf("%d %ss wait in other projects", n, what)
		if n == 1 {
			text = "1 " + what + " waits in another project"
		}
		if n > 0 {
			list = append(list, Waiting{Kind: WaitingElsewhere, Text: text, Command: command, Count: n})
		}
	}
	elsewhere(otherRuns, "run", "piton runs list --open --limit 0")
	elsewhere(otherSessions, "session", "piton sessions")
	for _, e := range []error{err, errSessions, errLetters} {
		if e != nil && !caller.Missing(e) {
			return list, runs, e
		}
	}
	return list, runs, nil
}

// hooksGone names clients whose settings run a program of ours that is not there.
func (a Overview) hooksGone() (list []Waiting) {
	all, err := installation.Setup(a).AllTargets(setup.User)
	if err != nil {
		return nil
	}
	for _, t := range all {
		if gone := setup.HookGone(t, setup.Probe{Getenv: a.Options.Getenv}); gone.Name != "" {
			text, command := setup.Title(t.Agent)+": the program of its hooks cannot run: "+gone.Detail, "piton doctor --agent "+t.Agent
			if first, rest, ok := strings.Cut(gone.Hint, "run 'piton init"); ok {
				text, command = strings.TrimRight(text+"; "+first, "; "), "piton init"+strings.TrimSuffix(rest, "'")
			}
			list = append(list, Waiting{Kind: WaitingHooks, Text: text, Command: command})
		}
	}
	return list
}
