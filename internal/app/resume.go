package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/turn"
)

// Resumption is what an agent needs to go on from a checkpoint.
type Resumption struct {
	Checkpoint piton.Checkpoint `json:"checkpoint"`      // the one whose state this is
	State      json.RawMessage  `json:"state"`           // an object
	Drift      []history.Drift  `json:"drift"`           // where the work tree differs from what was recorded; empty if there is no difference
	Since      *history.Since   `json:"since,omitempty"` // what the session did after the save; absent: no agent's session made the checkpoint, or newer checkpoints of the workflow tell it
	Brief      string           `json:"brief"`           // the text for the agent that continues
	// a command, word by word: with `--agent` (or `--exec`) it starts that client with the brief,
	// else it opens the session's own conversation in its own client; absent: no agent's session
	// made the checkpoint, and `--agent` was not given
	Command       []string `json:"command,omitempty"`
	Next          string   `json:"next,omitempty"`           // the command with which the run goes on whose head the checkpoint is; absent: it is no unfinished run's
	RecoveredFrom string   `json:"recovered_from,omitempty"` // the id of the damaged checkpoint that `checkpoint` replaces; absent: nothing was damaged
	Why           string   `json:"-"`                        // what is wrong with it
}

// ClientNames are the clients that an agent can be started with.
func ClientNames() string { return strings.Join(clients.Names(), ", ") }

// Resume prepares to go on from a checkpoint; without a choice from the newest
// unfinished work of the project that no live session is at.
func (a Checkpoints) Resume(ctx context.Context, r piton.ResumeRequest) (Resumption, error) {
	starter, _ := clients.ByName(r.Agent)
	if _, err := Agents(a).HearLimits(ctx, ""); err != nil {
		a.Options.Log.WarnContext(ctx, "limits of sessions are not looked for", "err", err)
	}
	k, s, err := a.open(ctx, r.Choice)
	if err != nil {
		return Resumption{}, err
	}
	here := s.Project
	if r.Project != "" {
		p, _ := a.Project(ctx, "", false)
		here = p.ID
	}
	k.Drift, k.Since = a.drift(here), a.since
	k.Named = a.StoreNamed()
	switch {
	case s != (history.Selector{}):
	case !a.Placed():
		return Resumption{}, caller.NotPlaced(piton.Invalid)
	default: // never seen, so nothing of it is open
		return Resumption{}, a.instead(ctx, "", history.NothingOpen())
	}
	x, err := k.Resume(ctx, s)
	if err != nil {
		return Resumption{}, a.instead(ctx, s.Project, err)
	}
	if r.Agent == "" { // else the client that is started has the brief as its prompt
		a.take(ctx, x)
	}
	return Resumption{x.Checkpoint, x.State, x.Drift, x.Since, x.Brief, a.command(ctx, starter, x), a.runsOn(ctx, x.Checkpoint), x.RecoveredFrom, x.Why}, nil
}

// instead is the error where there is nothing to resume: it names what waits for a person
// all the same.
func (a Checkpoints) instead(ctx context.Context, project string, err error) error {
	if !errors.Is(err, history.ErrNothingOpen) {
		return err
	}
	open, _ := Overview(a).workHere(ctx, project)
	if all := open.list(); len(all) > 0 && all[0].Kind != WorkSession {
		return piton.Errorf(piton.NotFound, "resume", "'"+all[0].Command+"' brings that on; 'piton status' shows all that is unfinished", "no checkpoint to resume from; what is unfinished: %s", all[0].Text)
	}
	return err
}

// runsOn is the command with which the unfinished run goes on whose head a checkpoint is;
// "" where it is none's.
func (a Checkpoints) runsOn(ctx context.Context, c piton.Checkpoint) string {
	if c.WorkflowType != piton.TypePlan {
		return ""
	}
	all, err := planruns.PlanRuns(a).Runs(ctx, piton.RunsRequest{Open: true, Workflow: c.WorkflowID})
	i := slices.IndexFunc(all.Runs, func(r planruns.RunRow) bool { return r.Branch == c.Branch })
	if err != nil || i < 0 || len(all.Runs[i].Stood) == 0 {
		return ""
	}
	return all.Runs[i].Stood[0].Command
}

// since is what the session of a checkpoint did after it, as its hooks see it.
func (a Checkpoints) since(ctx context.Context, c piton.Checkpoint, state []byte) *history.Since {
	root, err := a.Root()
	if err != nil {
		root = ""
	}
	t := a.Turns(nil, debrief.DefaultSettings())
	t.Host, _ = os.Hostname()
	t.Settings = func(root string) debrief.Settings { return a.Config(root).Debrief }
	return t.Since(ctx, root, c, state)
}

// take notes that the agent that runs the caller has taken the work over. The
// brief counts more than the note.
func (a Checkpoints) take(ctx context.Context, r history.Resumption) {
	s := a.Session(ctx)
	if s == "" {
		return
	}
	if err := turn.Take(ctx, a.LocalStore.Local(), s, r.Checkpoint, states.Task(r.Checkpoint, r.State), a.Now()); err != nil {
		a.Options.Log.WarnContext(ctx, "it was not noted who goes on with the work", "checkpoint", r.Checkpoint.ID, "session", s, "err", err)
	}
}

// drift compares the work tree with the checkpoint, unless we stand in another
// project than the checkpoint's: there every difference would be noise.
func (a Checkpoints) drift(here string) func(context.Context, piton.Checkpoint, []byte) []history.Drift {
	return func(ctx context.Context, c piton.Checkpoint, state []byte) []history.Drift {
		if a.Placed() && c.Project != "" && c.Project != here {
			root, _ := a.Root()
			return []history.Drift{{What: "project", Was: cmp.Or(a.folders(ctx, c)[c.Project], c.Project), Is: cmp.Or(root, here)}}
		}
		return turn.Drift(ctx, c, state)
	}
}

func (a Checkpoints) command(ctx context.Context, starter client.Client, r history.Resumption) []string {
	if starter != nil {
		return starter.StartCommand(r.Brief)
	}
	s, err := a.LocalStore.Session(ctx, r.Checkpoint.SessionID)
	if err != nil {
		return nil
	}
	own, ok := clients.ByName(s.Agent)
	if !ok || s.Adopted || logGone(s) {
		return nil // the client knows nothing of it any more: the brief is all there is
	}
	return own.ResumeCommand(s.ClientID)
}
