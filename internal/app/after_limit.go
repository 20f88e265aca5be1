package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/client/clients"
)

// Bounds of work that goes on by itself.
const (
	defaultWithin = 2 * time.Hour
	maxWithin     = 24 * time.Hour
	maxLimit      = 8 * 24 * time.Hour // no client has longer ones
)

// AfterLimit is the run that goes on by itself with the work of a session when its limit has
// ended: it waits for that, looks that it is not late, and has the client go on from the brief,
// without a terminal, for so many tokens and so long at most. Only a person may say so, for this
// one piece of work. Invalid where the session waits for no limit, or nobody knows when it ends.
func (a Checkpoints) AfterLimit(ctx context.Context, r piton.ResumeRequest, within time.Duration, tokens int64) (planruns.RunRequest, error) {
	op, none := "resume when the limit ends", planruns.RunRequest{}
	if err := a.ByPerson(ctx, op, "that an agent goes on by itself is a person's to say"); err != nil {
		return none, err
	}
	if within = cmp.Or(within, defaultWithin); tokens <= 0 || within < time.Minute || within > maxWithin {
		return none, piton.Errorf(piton.Invalid, op, "give --max-tokens N, and --within from 1m to 24h", "it has no budget, or none that ends in time")
	}
	x, err := a.Resume(ctx, piton.ResumeRequest{Choice: r.Choice, Agent: cmp.Or(r.Agent, clients.All[0].Name())}) // it is not this caller that takes the work over
	if err != nil {
		return none, err
	}
	s, err := a.LocalStore.Session(ctx, x.Checkpoint.SessionID)
	if err != nil {
		return none, piton.Errorf(piton.Invalid, op, "'piton sessions' lists those of this machine", "%s was not saved by a session of this machine", x.Checkpoint.ID)
	}
	_, b := limitOf(s) // its client may be gone by now
	left := b.Until.Sub(a.Now().Time)
	over := !b.Until.IsZero() && left <= 0
	switch {
	case b.Wait != agent.WaitLimit || over:
		return none, piton.Errorf(piton.Invalid, op, "'piton resume "+x.Checkpoint.ID+" --exec' goes on now", "%s does not wait for the end of a limit", s.ID)
	case b.Until.IsZero() || left > maxLimit:
		return none, piton.Errorf(piton.Invalid, op, "go on with 'piton resume "+x.Checkpoint.ID+" --exec' when it is over", "the client of %s does not say when its limit ends", s.ID)
	}
	end := b.Until.Add(30 * time.Second) // the clocks of others
	self, err := os.Executable()
	if err != nil {
		return none, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	still := fmt.Sprintf(`test "$('%s' sessions %s --jq '.turn == %d and .turn_open == %t and .taken_by == null and .state != "%s"')" = true`, strings.ReplaceAll(self, "'", `'\''`), s.ID, s.Turn, s.TurnOpen, agent.StateWorking)
	text, err := json.Marshal(map[string]any{
		"name": planruns.AfterLimit + s.ID, "on_crash": "continue",
		"steps": []any{
			map[string]any{"id": "limit", "description": "Wait until the limit of the API has ended", "wait": map[string]string{"until": end.UTC().Format(time.RFC3339)}},
			map[string]any{"id": planruns.StillDue, "description": "Look that it is not too late to go on, and that nobody has gone on", "run": fmt.Sprintf("test \"$(date +%%s)\" -le %d && %s", end.Add(within).Unix(), still), "effect": "pure"},
			map[string]any{"id": "go-on", "description": "Go on from the brief", "prompt": "${{ query }}", "parameters": map[string]string{"agent": cmp.Or(r.Agent, s.Agent)}, "timeout": within.String()},
		},
	})
	q := planruns.RunRequest{Dir: s.Root, FileLess: true, File: "the plan for the time after the limit"}
	q.Plan, q.Query, q.MaxTokens = text, x.Brief, tokens
	return q, err
}
