package demo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/proc"
)

// play plays the session: the agent makes a change, is held, runs the tests, and
// is let go.
func (p *player) play(ctx context.Context) error {
	text, err := files.ReadFile("session.jsonl")
	if err != nil {
		return playing(err)
	}
	for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
		var s step
		if err := dec.Decode(&s); err != nil {
			return playing(err)
		}
		if err := p.step(ctx, s); err != nil {
			return err
		}
	}
	if p.stops != 2 {
		return p.broken("the recording has %d stops, not 2", p.stops)
	}
	return nil
}

func (p *player) step(ctx context.Context, s step) error {
	switch {
	case s.Hook != nil:
		return p.tell(ctx, s)
	case s.Line != nil:
		s.Line = p.fillIn(s.Line)
		p.lines = append(p.lines, s)
		p.tellLine(s.Line)
	case s.Edit != nil:
		return p.edit(s)
	case s.Run != "":
		return p.runTests(ctx, s.Run)
	}
	return nil
}

// tell tells of an event, hands it to the hook, and checks its answer to a stop.
func (p *player) tell(ctx context.Context, s step) error {
	var e struct {
		Event  string `json:"hook_event_name"`
		Prompt string
		Last   string `json:"last_assistant_message"`
	}
	payload := p.fillIn(s.Hook)
	if err := json.Unmarshal(payload, &e); err != nil {
		return playing(err)
	}
	switch e.Event {
	case "UserPromptSubmit":
		p.title("An agent is asked for a fix, and makes it")
		p.says("user", e.Prompt)
	case "Stop":
		p.last = e.Last // its line comes later than the hook
		p.says("agent", e.Last)
	}
	reply, took, err := p.event(ctx, payload, s.AtMS)
	if err != nil || e.Event != "Stop" {
		return err
	}
	var a answer
	_ = json.Unmarshal(reply, &a) // what cannot be read holds nobody
	x, err := p.app.Explain(ctx, piton.ExplainRequest{Limit: 1})
	if err != nil {
		return err
	}
	p.vars["REPLY"] = string(reply)
	d := append(x.Decisions, agent.Decision{})[0]
	if p.stops++; p.stops == 1 {
		return p.held(a, d, took)
	}
	return p.letGo(ctx, a, d, took)
}

// answer is what a Stop hook may print.
type answer struct {
	Reason  string
	Message string `json:"systemMessage"`
	Output  struct {
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// held checks and shows the first stop.
func (p *player) held(a answer, d agent.Decision, took time.Duration) error {
	debrief := cmp.Or(a.Output.Context, a.Reason)
	switch {
	case debrief == "" || !d.Held:
		return p.broken("the agent was not held: %s", cmp.Or(insight.Why(d.Reason), "no decision was recorded"))
	case !strings.HasPrefix(debrief, agent.Prefix) || !strings.Contains(debrief, "run `go test .`"):
		return p.broken("the debrief does not ask for the tests of calc.go: %s", debrief)
	case !slices.ContainsFunc(d.Files, func(f agent.FileChange) bool { return f.Path == "calc.go" && f.Whose == agent.OwnerAgent }):
		return p.broken("calc.go is not among the agent's changed files")
	}
	p.vars["DEBRIEF"] = debrief
	p.seen.Held, p.seen.Debrief, p.seen.Categories, p.seen.Actions = true, debrief, d.Categories, d.Actions
	p.title("It wants to stop, and piton-hook holds it")
	p.say("After %d s of work calc.go is changed, and its tests have not run. The answer, in %d ms:", d.ElapsedMS/1000, took.Milliseconds())
	p.quote(debrief)
	return nil
}

// letGo checks and shows the second stop.
func (p *player) letGo(ctx context.Context, a answer, d agent.Decision, took time.Duration) error {
	switch {
	case d.Held || a.Reason+a.Output.Context != "":
		return p.broken("the tests have passed and the agent was held again: %s", d.Message)
	case d.Reason != agent.ReasonClear:
		return p.broken("the agent was let go for another reason than that its tests passed: %s", insight.Why(d.Reason))
	}
	p.vars["NOTICE"] = a.Message
	p.seen.Passed = true
	p.title("It wants to stop again, and is let go")
	p.say("The user reads, after %d ms:", took.Milliseconds())
	p.quote(a.Message)
	for _, command := range []string{"explain --limit 1", "list"} {
		r, err := p.must(ctx, proc.Command{Argv: append([]string{p.self}, strings.Fields(command)...)})
		if err != nil {
			return err
		}
		if command == "list" {
			p.say("The state at the turn's end was kept:")
		}
		p.shell("piton "+command, string(r.Stdout))
	}
	list, err := p.app.List(ctx, piton.ListRequest{Session: p.session, Trigger: piton.TriggerTurnEnd})
	if err != nil {
		return err
	}
	if n := len(list.Checkpoints); n != 1 {
		return p.broken("the turn's end left %d checkpoints, not 1", n)
	}
	p.seen.TurnCheckpoint = list.Checkpoints[0].ID
	return nil
}

// tellLine shows a line of the transcript as a person would see it.
func (p *player) tellLine(raw json.RawMessage) {
	var l struct {
		Type    string
		Message struct{ Content json.RawMessage }
	}
	var blocks []struct {
		Type, Text, Name string
		Input            struct {
			File string `json:"file_path"`
			Old  string `json:"old_string"`
			New  string `json:"new_string"`
		}
	}
	if json.Unmarshal(raw, &l) != nil || l.Type != "assistant" || json.Unmarshal(l.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		file := filepath.Base(b.Input.File)
		switch {
		case b.Type == "text" && b.Text != p.last:
			p.says("agent", b.Text)
		case b.Name == "Read":
			p.says("", "reads "+file)
		case b.Name == "Edit":
			p.says("", "edits "+file)
			p.change(b.Input.Old, p.paint.Red, "-")
			p.change(b.Input.New, p.paint.Green, "+")
		}
	}
}
