package page

import (
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/history"
)

// nowScreen is how all work stands.
type nowScreen struct {
	app.Now
	Lost     []marks.UndoList // trees in which a command took files away that can be brought back
	Unlooked []string         // trees of which that is not known
	Home     string
}

// Waiting is how many wait for a person; Others and Going are the rest of sessions and runs.
func (x nowScreen) Waiting() int { return len(x.Sessions) - x.Others() + len(x.Runs) - x.Going() }
func (x nowScreen) Others() int {
	return howMany(x.Sessions, func(s app.NowSession) bool { return !s.Calls() })
}
func (x nowScreen) Going() int {
	return howMany(x.Runs, func(r planruns.RunRow) bool { return !r.Waits() })
}

func howMany[T any](list []T, is func(T) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}

func loadNow(ctx context.Context, l *look) (any, error) {
	all, err := l.a.AllWork(ctx)
	x := nowScreen{Now: all, Home: l.a.Home()}
	if err != nil {
		return x, err
	}
	x.Heads = x.Heads[:min(len(x.Heads), maxUnfinished)]
	x.Lost, x.Unlooked = l.losses.of(ctx, l.a, all)
	return x, nil
}

// maxUnfinished is how much unfinished work is shown at once.
const maxUnfinished = 5

func loadSessions(ctx context.Context, l *look) (any, error) {
	return l.a.Sessions(ctx, piton.SessionsRequest{Limit: rows})
}

func loadSession(ctx context.Context, l *look) (any, error) {
	r := piton.TimelineRequest{SessionRequest: piton.SessionRequest{Session: l.id}, Turn: l.number("turn")}
	t, err := l.a.Timeline(ctx, r)
	return sessionScreen{t}, err
}

// sessionScreen is a turn.
type sessionScreen struct{ app.Timeline }

// Last is the turn's last stop; nil: it had none.
func (x sessionScreen) Last() *app.Moment {
	for i := range slices.Backward(x.Moments) {
		if x.Moments[i].Decision != nil {
			return &x.Moments[i]
		}
	}
	return nil
}

// ran is a check, and whether files were edited after it.
type ran struct {
	app.Moment
	Before bool
}

// Ran are the checks that ran, the newest first.
func (x sessionScreen) Ran() (list []ran) {
	edited := false
	for _, m := range slices.Backward(x.Moments) {
		edited = edited || m.Kind == app.MomentEdit
		if m.Kind == app.MomentCheck || m.Kind == app.MomentMeasured {
			list = append(list, ran{m, edited})
		}
	}
	return list
}

// Edited are the files that the agent's calls have written, where no stop tells more.
func (x sessionScreen) Edited() (files []string) {
	for _, m := range x.Moments {
		for _, f := range m.Files {
			if m.Kind == app.MomentEdit && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	slices.Sort(files)
	return files
}

func loadLetters(ctx context.Context, l *look) (any, error) { return l.a.Letters(ctx) }

func loadUndo(ctx context.Context, l *look) (any, error) {
	if l.q.Get("in") == "" {
		return nil, piton.Errorf(piton.Invalid, "", "begin at what was destroyed, on the first screen", "no work tree is named")
	}
	return l.a.Undos(ctx, piton.UndosRequest{Limit: rows, InProject: piton.InProject{Project: l.q.Get("in")}})
}

func loadPrune(ctx context.Context, l *look) (any, error) {
	x, err := l.a.Prune(ctx, piton.PruneRequest{DryRun: true})
	last := []piton.Action{piton.Keep}
	slices.SortStableFunc(x.Rows, func(v, w piton.Verdict) int { return slices.Index(last, v.Action) - slices.Index(last, w.Action) })
	return x, err
}

// found is what holds the words that were asked for.
type found struct {
	Words       string
	Checkpoints []piton.Checkpoint
	Matches     []history.Match
	Next        string
	Sessions    []app.Session
	Runs        []piton.Run
	Workflows   []piton.Workflow
}

func loadFind(ctx context.Context, l *look) (any, error) {
	x := found{Words: l.q.Get("q")}
	if x.Words == "" {
		return x, nil
	}
	list, err := l.a.Search(ctx, piton.SearchRequest{Words: x.Words, ListRequest: piton.ListRequest{Limit: rows, Cursor: l.q.Get("cursor")}})
	if err != nil {
		return x, err
	}
	x.Checkpoints, x.Matches, x.Next = list.Checkpoints, list.Matches, list.Next
	sessions, err := l.a.Sessions(ctx, piton.SessionsRequest{})
	for _, s := range sessions.Sessions {
		if fits(x.Words, s.ID, s.ClientID, s.Root, s.Prompt, s.Agent) && len(x.Sessions) < rows {
			x.Sessions = append(x.Sessions, s)
		}
	}
	if err != nil {
		return x, err
	}
	runs, err := l.a.Runs(ctx, piton.RunsRequest{Limit: manyRuns})
	for _, r := range runs.Runs {
		if fits(x.Words, r.ID, r.Workflow, r.Plan, r.PlanFile, r.Dir, r.Error) && len(x.Runs) < rows {
			x.Runs = append(x.Runs, r.Run)
		}
	}
	if piton.CodeOf(err) == piton.Invalid {
		err = nil // this store keeps no runs
	}
	for _, c := range x.Checkpoints {
		w := piton.Workflow{ID: c.WorkflowID, Name: c.Workflow, Type: c.WorkflowType}
		if fits(x.Words, w.ID, w.Name) && !slices.ContainsFunc(x.Workflows, func(y piton.Workflow) bool { return y.ID == w.ID }) {
			x.Workflows = append(x.Workflows, w)
		}
	}
	return x, err
}

// Any tells whether anything was found.
func (x found) Any() bool {
	return len(x.Checkpoints)+len(x.Sessions)+len(x.Runs)+len(x.Workflows) > 0
}

// fits tells whether all words stand in what is known of a thing.
func fits(words string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(w string) bool { return !strings.Contains(all, w) })
}
