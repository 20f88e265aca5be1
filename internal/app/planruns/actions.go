package planruns

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/headless"
	"github.com/piton-project/piton/internal/turn"
)

// judgeStep says what the rules in force find missing in what an agent's step has
// done, as its log tells. It needs no hooks.
func (a PlanRuns) judgeStep(ctx context.Context, f headless.Finished) (headless.Verdict, error) {
	c, ok := clients.ByName(f.Client)
	if !ok {
		return headless.Verdict{}, fmt.Errorf("no client is called %s", f.Client)
	}
	root, _, ok := git.Find(f.Dir)
	if !ok {
		root = f.Dir
	}
	x, err := turn.Log{Client: c, Path: f.Log, Tree: root}.Since(ctx, f.Began)
	if err != nil {
		return headless.Verdict{}, err
	}
	if x.Partial {
		return headless.Verdict{Missing: []string{"the log of the session is longer than what is read of it, or damaged"}}, nil
	}
	return headless.Verdict{Missing: debrief.Look(x.Input(a.ConfigNow(root).Debrief)).Actions}, nil
}

// actions are Piton's own and those of the caller.
func (a PlanRuns) actions(own map[string]action.Action) map[string]action.Action {
	var marks []string
	for _, c := range clients.All {
		marks = append(marks, c.Marks()...)
	}
	all := action.All(action.Tools{Version: piton.Version(), Marks: marks})
	set := a.Config("").Run
	all["agent"] = &headless.Agent{Clients: slices.Clone(clients.All), Default: set.Agent, Prices: set.Prices, Judge: a.judgeStep, Now: a.Options.Now}
	maps.Copy(all, own)
	return all
}
