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

// Work is a piece of unfinished work, the same at every door: what it is, how it stands, and
// the command that brings it on.
type Work struct {
	// `approval`, `in_doubt`, `answered`, `interrupted`, `no_daemon`, `failed` and the other
	// `stands` of runs, `permission`, `answer`, `limit`, `session` (sessions), `checkpoint` (unfinished
	// work that nobody is at), `need` (what work left open), `lost` (files), `letters`, `hooks` (their
	// program cannot run), `elsewhere` (in other projects)
	Kind    WorkKind   `json:"kind"`
	ID      string     `json:"id,omitempty"` // of the run, the session, the checkpoint or the letter
	Text    string     `json:"text"`         // for people
	Command string     `json:"command"`      // brings it on, ends it or shows how
	Waits   bool       `json:"waits"`        // for a person
	Since   piton.Time `json:"since,omitzero"`
	Count   int        `json:"count,omitempty"` // how many it is, if `elsewhere`
}

// WaitingList is what is unfinished, what waits for a person first.
type WaitingList struct {
	Waiting []Work `json:"waiting"` // those of `work` that wait for a person
	Work    []Work `json:"work"`
}

// WaitingFor is what is unfinished in a project, in whose folder the caller stands from
// then on, and how much waits for a person in others.
func (a Overview) WaitingFor(ctx context.Context, r piton.WaitingRequest) (WaitingList, error) {
	x := WaitingList{Waiting: []Work{}, Work: []Work{}}
	dir, err := a.Path(cmp.Or(r.Project, "."))
	if err != nil {
		return x, err
	}
	a.Options.Dir = dir
	p, err := a.Project(ctx, "", false)
	if err != nil && !caller.Missing(err) {
		return x, err
	}
	open, err := a.workHere(ctx, p.ID)
	x.Work = append(x.Work, open.list()...)
	x.Waiting = append(x.Waiting, waiting(x.Work)...)
	return x, err
}

// waiting are those that wait for a person.
func waiting(all []Work) []Work {
	return slices.DeleteFunc(slices.Clone(all), func(w Work) bool { return !w.Waits })
}

// WorkKind is what is unfinished.
type WorkKind string

// The kinds.
const (
	WaitingApproval    = WorkKind(planruns.StandApproval)
	WaitingInDoubt     = WorkKind(planruns.StandInDoubt)
	WaitingAnswered    = WorkKind(planruns.StandAnswered)
	WaitingInterrupted = WorkKind(planruns.StandInterrupted)
	WaitingNoDaemon    = WorkKind(planruns.StandNoDaemon)

	WaitingPermission WorkKind = "permission" // an agent asks for it
	WaitingAnswer     WorkKind = "answer"     // an agent asks something
	WaitingLost       WorkKind = "lost"       // a command took away files that can be brought back
	WaitingLetters    WorkKind = "letters"    // letters were given up
	WaitingHooks      WorkKind = "hooks"      // the program of a client's hooks is gone
	WaitingElsewhere  WorkKind = "elsewhere"  // runs or sessions of other projects

	WorkLimit      WorkKind = "limit"      // an agent waits for its API's limit
	WorkSession    WorkKind = "session"    // an agent is open
	WorkCheckpoint WorkKind = "checkpoint" // nobody is at it
	WorkNeed       WorkKind = "need"       // work left it open
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

// openWork is what is unfinished in a project, each kind as it is kept.
type openWork struct {
	runs     []planruns.RunRow
	sessions []Session          // that are open
	heads    []piton.Checkpoint // that neither a session nor a run is at, the newest
	more     int                // how many there are besides
	needs    []OpenNeed
	other    []Work // of the machine, and of other projects
}

// maxHeads bounds the heads that a list of what is unfinished names.
const maxHeads = 20

// workHere is what is unfinished in a project, and what waits for a person on the machine.
// What cannot be read is left out, and the first reason told.
func (a Overview) workHere(ctx context.Context, project string) (o openWork, err error) {
	runs, otherRuns, errRuns := a.runsHere(ctx, project)
	sessions, otherSessions, errSessions := a.sessionsOf(ctx, project)
	o.runs, o.sessions = runs, sessions
	var errHeads error
	if k, s, err := Checkpoints(a).open(ctx, newest("", "")); err != nil || s.Project == "" {
		errHeads = err
	} else if o.heads, o.more, errHeads = k.Detect(ctx, s.Project, "", maxHeads+len(runs)); errHeads == nil {
		o.heads = ofNoRun(o.heads, runs)
	}
	if over := len(o.heads) - maxHeads; over > 0 {
		o.heads, o.more = o.heads[:maxHeads], o.more+over
	}
	var errNeeds, errOther error
	o.needs, errNeeds = Checkpoints(a).needsHere(ctx, "")
	if o.other, errOther = a.machineWork(ctx); otherRuns > 0 {
		o.other = append(o.other, elsewhere(otherRuns, "run", "piton runs list --open --limit 0"))
	}
	if otherSessions > 0 {
		o.other = append(o.other, elsewhere(otherSessions, "session", "piton sessions"))
	}
	for _, e := range []error{errRuns, errSessions, errHeads, errNeeds, errOther} {
		if e != nil && !caller.Missing(e) {
			return o, e
		}
	}
	return o, nil
}

// ofNoRun are the heads that are not those of runs, which have commands of their own.
func ofNoRun(heads []piton.Checkpoint, runs []planruns.RunRow) []piton.Checkpoint {
	return slices.DeleteFunc(heads, func(c piton.Checkpoint) bool {
		return slices.ContainsFunc(runs, func(r planruns.RunRow) bool { return r.WorkflowID == c.WorkflowID && r.Branch == c.Branch })
	})
}

// list is what is unfinished as every door shows it, what waits for a person first.
func (o openWork) list() (all []Work) {
	for _, r := range o.runs {
		for _, s := range r.Stood {
			text := r.Label() + s.Says
			if !s.Waits {
				text = fmt.Sprintf("%s: %s, %d of %d step%s", r.Label(), r.Word(), r.Done, r.Total, map[bool]string{false: "s"}[r.Total == 1])
			}
			all = append(all, Work{Kind: WorkKind(s.Is), ID: r.ID, Text: text, Command: s.Command, Waits: s.Waits, Since: r.UpdatedAt})
		}
	}
	for _, s := range o.sessions {
		if w := sessionWork(s); w.Kind != WorkSession || s.State != agent.StateWaiting { // one that waits for a prompt has ended its work
			all = append(all, w)
		}
	}
	all = append(all, o.other...)
	for _, c := range o.heads {
		all = append(all, Work{Kind: WorkCheckpoint, ID: c.ID, Text: c.Label() + ": " + c.Says(), Command: "piton resume " + c.ID, Since: c.CreatedAt})
	}
	for _, n := range o.needs {
		all = append(all, Work{Kind: WorkNeed, ID: n.Session, Text: n.says(), Command: "piton rules ignore --why WORDS", Since: n.Since})
	}
	slices.SortStableFunc(all, func(p, q Work) int {
		return cmp.Compare(slices.Index([]bool{true, false}, p.Waits), slices.Index([]bool{true, false}, q.Waits))
	})
	return all
}

// sessionWork is how an open session stands.
func sessionWork(s Session) Work {
	w := Work{Kind: WorkSession, ID: s.ID, Text: cmp.Or(s.Agent, "session") + " " + s.ID + " " + s.Stands(), Command: "piton sessions " + s.ID, Since: s.WaitingSince}
	switch s.WaitsFor {
	case agent.WaitPermission, agent.WaitAnswer:
		w.Kind, w.Waits = WorkKind(s.WaitsFor), true
		w.Text += ": answer it in its own terminal"
	case agent.WaitLimit:
		if w.Kind = WorkLimit; s.GoOn != "" {
			w.Text, w.Command, w.Waits = w.Text+": another client can go on with its work", s.GoOn, true
		}
	}
	return w
}

// sessionsOf are the open sessions of a project, and how many of others wait for a person.
func (a Overview) sessionsOf(ctx context.Context, project string) (list []Session, others int, err error) {
	all, err := Agents(a).Sessions(ctx, piton.SessionsRequest{Limit: caller.MaxSessions})
	for _, s := range all.Sessions {
		switch {
		case project != "" && s.Project == project:
			if s.Alive {
				list = append(list, s)
			}
		case sessionWork(s).Waits:
			others++
		}
	}
	return list, others, err
}

// machineWork is what waits for a person whatever the project.
func (a Overview) machineWork(ctx context.Context) (list []Work, err error) {
	list = a.hooksGone()
	if lost, n := marks.Marks(a).Lost(ctx); n > 0 {
		list = append(list, Work{Kind: WaitingLost, Waits: true, ID: lost.ID, Text: lost.Says() + " took away " + fmt.Sprint(n) + " of your files that were not committed", Command: "piton undo", Since: lost.At})
	}
	letters, err := Agents(a).Letters(ctx)
	parked := slices.DeleteFunc(letters.Letters, func(l Letter) bool { return l.Status != letterParked })
	if n := len(parked); n > 0 {
		text := "letters given up: " + fmt.Sprint(n) + "; the last: " + cmp.Or(parked[0].Reason, string(parked[0].Kind))
		list = append(list, Work{Kind: WaitingLetters, Waits: true, ID: parked[0].ID, Text: text, Command: "piton letters", Since: parked[0].ParkedAt})
	}
	return list, err
}

// elsewhere is how many runs or sessions wait in other projects.
func elsewhere(n int, what, command string) Work {
	text := fmt.Sprintf("%d %ss wait in other projects", n, what)
	if n == 1 {
		text = "1 " + what + " waits in another project"
	}
	return Work{Kind: WaitingElsewhere, Waits: true, Text: text, Command: command, Count: n}
}

// hooksGone names clients whose settings run a program of ours that is not there.
func (a Overview) hooksGone() (list []Work) {
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
			list = append(list, Work{Kind: WaitingHooks, Waits: true, Text: text, Command: command})
		}
	}
	return list
}
