package page

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
)

// runsScreen is a list of runs.
type runsScreen struct {
	planruns.RunList
	Open bool
}

func loadRuns(ctx context.Context, l *look) (any, error) {
	list, err := l.a.Runs(ctx, piton.RunsRequest{Open: l.q.Has("open"), Limit: rows})
	return runsScreen{list, l.q.Has("open")}, err
}

// runScreen is a run as a graph and as bars.
type runScreen struct {
	planruns.RunView
	Graph  *graph // nil: it has too many steps
	Counts []count
	Bars   []bar
	Ticks  []tick
	Shown  []planruns.RunStep // in the table
	Status string             // that of these; "": any
	More   int
	Step   *stepDetail
	Bounds bounds
	Runs   bool // a run can be continued from here: a daemon works on it
}

// bounds are what a run may use, and has used, in all.
type bounds struct {
	Budget budget
	Used   struct {
		Tokens  piton.TokenUsage `json:"token_usage"`
		CostUSD float64          `json:"cost_usd"`
		WorkMS  int64            `json:"work_ms"`
		Tries   int              `json:"tries"`
	}
}

type budget struct {
	Tokens  int64           `json:"tokens"`
	CostUSD float64         `json:"cost_usd"`
	Time    json.RawMessage `json:"time"`
	Tries   int             `json:"tries"`
}

// ForTime is the bound of time, as the plan spells it.
func (b budget) ForTime() string { return strings.Trim(string(b.Time), `"`) }

// count is how many steps have a status.
type count struct {
	Status string
	N      int
}

// stepDetail is the step that was chosen.
type stepDetail struct {
	planruns.RunStep
	Output string
	Log    string
	Path   string // of the log
	Again  []string
}

// Bounds of what is shown of a run.
const (
	maxGraph = 150      // steps
	maxTail  = 16 << 10 // bytes of a log
)

func loadRun(ctx context.Context, l *look) (any, error) {
	v, err := l.a.ShowRun(ctx, piton.RunRefRequest{Run: l.id})
	if err != nil {
		return nil, err
	}
	x := runScreen{RunView: v, Status: l.q.Get("status")}
	_, x.Runs = l.a.Daemon()
	x.counted()
	if len(v.Steps) <= maxGraph {
		x.Graph = layout(v.Steps)
	}
	x.Bars, x.Ticks = timed(v.Steps, time.Now())
	state := l.state(ctx, v.Checkpoint)
	x.Bounds.read(state)
	if i := slices.IndexFunc(v.Steps, func(s planruns.RunStep) bool { return s.ID == l.q.Get("step") }); i >= 0 {
		x.Step = l.step(ctx, v, v.Steps[i], state)
	}
	return x, nil
}

// state is that of a checkpoint; nil where it cannot be read: the run's own words say why.
func (l *look) state(ctx context.Context, checkpoint string) json.RawMessage {
	if checkpoint == "" {
		return nil
	}
	x, err := l.a.Load(ctx, piton.LoadRequest{Choice: piton.Choice{Ref: checkpoint}})
	if err != nil {
		return nil
	}
	return x.State
}

// read takes the bounds of a state: those of its start go before those of its plan.
func (b *bounds) read(state json.RawMessage) {
	var s struct {
		Used   json.RawMessage `json:"used"`
		Budget json.RawMessage `json:"budget"`
		Terms  struct {
			Budget json.RawMessage `json:"budget"`
		} `json:"terms"`
	}
	_ = json.Unmarshal(state, &s)
	_ = json.Unmarshal(s.Used, &b.Used)
	_ = json.Unmarshal(s.Terms.Budget, &b.Budget)
	_ = json.Unmarshal(s.Budget, &b.Budget)
}

// step is one step with what it brought and wrote.
func (l *look) step(ctx context.Context, v planruns.RunView, s planruns.RunStep, state json.RawMessage) *stepDetail {
	d := stepDetail{RunStep: s, Again: again(v.Steps, s.ID)}
	var results struct {
		Results []struct {
			Step   string          `json:"step_id"`
			Output json.RawMessage `json:"output"`
		} `json:"results"`
	}
	_ = json.Unmarshal(state, &results)
	for _, r := range results.Results {
		if r.Step == s.ID {
			d.Output = pretty(r.Output)
		}
	}
	logs, err := l.a.RunLogs(ctx, piton.RunLogsRequest{RunRefRequest: piton.RunRefRequest{Run: v.Run.ID}, Step: s.ID})
	if n := len(logs.Logs); err == nil && n > 0 {
		last := logs.Logs[n-1]
		d.Log, d.Path = last.Text, last.Path
		if cut := len(d.Log) - maxTail; cut > 0 {
			d.Log = "…" + strings.ToValidUTF8(d.Log[cut:], "�")
		}
	}
	return &d
}

// again are the steps that run again with one, in their order: all that depend on it.
func again(steps []planruns.RunStep, id string) (list []string) {
	hit := map[string]bool{id: true}
	for more := true; more; {
		more = false
		for _, s := range steps {
			if !hit[s.ID] && slices.ContainsFunc(s.Dependencies, func(d string) bool { return hit[d] }) {
				hit[s.ID], more = true, true
			}
		}
	}
	for _, s := range steps {
		if hit[s.ID] {
			list = append(list, s.ID)
		}
	}
	return list
}

// statuses are how a step can be, in the order in which they are counted.
var statuses = []string{"failed", "could_not", "in_doubt", "waiting", "running", "pending", "completed", "skipped"}

// counted counts the steps, and takes those for the table: of a status where one was chosen.
func (x *runScreen) counted() {
	n := map[string]int{}
	for _, s := range x.Steps {
		n[string(s.Status)]++
		switch {
		case x.Status != "" && x.Status != string(s.Status):
		case len(x.Shown) == rows:
			x.More++
		default:
			x.Shown = append(x.Shown, s)
		}
	}
	for _, s := range statuses {
		if n[s] > 0 {
			x.Counts = append(x.Counts, count{s, n[s]})
		}
	}
}
