package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// stopAnswer is what a Stop hook may print.
type stopAnswer struct {
	Reason  string
	Message string `json:"systemMessage"`
	Output  struct {
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// held checks and shows the first stop.
func (p *player) held(ctx context.Context, reply []byte, took time.Duration) error {
	var a stopAnswer
	_ = json.Unmarshal(reply, &a) // what cannot be read holds nobody
	debrief := firstOf(a.Output.Context, a.Reason)
	d, err := p.lastDecision(ctx)
	switch {
	case err != nil:
		return err
	case debrief == "" || !d.Held:
		return p.broken("the agent was not held: %s", firstOf(why[d.Reason], string(d.Reason), "no decision was recorded"))
	case !strings.HasPrefix(debrief, agent.Prefix) || !strings.Contains(debrief, "go test ./..."):
		return p.broken("the debrief does not ask for the tests: %s", debrief)
	case !slices.ContainsFunc(d.Files, func(f agent.FileChange) bool { return f.Path == "calc.go" && f.Whose == agent.OwnerAgent }):
		return p.broken("calc.go is not among the agent's changed files")
	}
	p.vars["REPLY"], p.vars["DEBRIEF"] = string(reply), debrief
	p.seen.Held, p.seen.Debrief, p.seen.Categories, p.seen.Actions = true, debrief, d.Categories, d.Actions
	p.title("It wants to stop, and piton-hook holds it")
	p.say("The turn lasted %d s, calc.go was changed and no test was run since. The answer, after %d ms:", d.ElapsedMS/1000, took.Milliseconds())
	p.quote(debrief)
	return nil
}

// letGo checks and shows the second stop.
func (p *player) letGo(ctx context.Context, reply []byte, took time.Duration) error {
	var a stopAnswer
	_ = json.Unmarshal(reply, &a)
	d, err := p.lastDecision(ctx)
	switch {
	case err != nil:
		return err
	case d.Held || a.Reason+a.Output.Context != "":
		return p.broken("the tests have passed and the agent was held again: %s", d.Message)
	case d.Reason != agent.ReasonClear:
		return p.broken("the agent was let go for another reason than that all is verified: %s", firstOf(why[d.Reason], string(d.Reason)))
	}
	p.vars["REPLY"], p.vars["NOTICE"] = string(reply), a.Message
	p.seen.Passed = true
	p.title("It wants to stop again, and is let go")
	p.say("The user reads, after %d ms:", took.Milliseconds())
	p.quote(a.Message)
	for _, args := range [][]string{{"explain", "--limit", "1"}, {"list"}} {
		out, err := p.piton(ctx, args...)
		if err != nil {
			return err
		}
		if args[0] == "list" {
			p.say("The state at the turn's end was kept:")
		}
		p.shell("piton "+strings.Join(args, " "), string(out))
	}
	return p.turnKept(ctx)
}

func (p *player) lastDecision(ctx context.Context) (agent.Decision, error) {
	var answer struct{ Decisions []agent.Decision }
	out, err := p.piton(ctx, "explain", "--limit", "1", "--json")
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil || len(answer.Decisions) == 0 {
		return agent.Decision{}, err
	}
	return answer.Decisions[0], nil
}

// turnKept checks that the turn's end made a checkpoint.
func (p *player) turnKept(ctx context.Context) error {
	list, err := p.listed(ctx, "--session", p.session, "--trigger", string(piton.TriggerTurnEnd))
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return p.broken("the turn's end left %d checkpoints, not 1", len(list))
	}
	p.seen.TurnCheckpoint = list[0].ID
	return nil
}

// listed is what 'piton list' has, newest first.
func (d *demo) listed(ctx context.Context, args ...string) ([]piton.Checkpoint, error) {
	var answer struct{ Checkpoints []piton.Checkpoint }
	out, err := d.piton(ctx, append([]string{"list", "--json", "--limit", "0"}, args...)...)
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	return answer.Checkpoints, err
}
