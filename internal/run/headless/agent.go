// Package headless is the action agent: it has one of the clients work on a
// prompt without a terminal, and believes what it says only where the step's
// checks hold (docs/spec.md, "Agent steps").
package headless

import (
	"context"
	"os/exec"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// Agent is the action agent. Its fields are set by whoever wires the doors.
type Agent struct {
	Clients  []client.Client                               // in the order in which they are looked for
	Default  string                                        // the client where a step names none; "": the first that is installed
	LookPath func(program string) (path string, err error) // exec.LookPath when nil
	Prices   map[string]agent.Price                        // by model, or by client for models without a price of their own
	// Judge says what Piton's judge finds missing in a finished session. nil: a step
	// with a check of the kind verified cannot be completed.
	Judge func(ctx context.Context, s Finished) (Verdict, error)
	Now   func() time.Time // time.Now when nil
}

// Finished is the session of an agent's step that has come to its end.
type Finished struct {
	Client  string // its name
	Session string // the client's id
	Log     string // the client's log of it
	Dir     string // where it worked
	Began   time.Time
}

// Verdict is what the judge finds.
type Verdict struct {
	Missing []string // what is not verified, a line each; none: all is
}

// Doc says what the action takes.
func (a *Agent) Doc() action.Doc {
	return action.Doc{
		Name:    "agent",
		Summary: "Has a coding agent work on a prompt without a terminal, and checks what it has done.",
		Parameters: []action.Parameter{
			{Name: "agent", Kinds: []action.Kind{action.Text}, Options: a.names(), Others: []string{"client", "provider"}, Meaning: "`claude`, `gemini` or `codex`; else the setting `run.agent`, else the first that is installed"},
			{Name: "prompt", Kinds: []action.Kind{action.Text}, Required: true, Others: []string{"task", "instructions", "message", "input"}, Meaning: "what the agent is to do"},
			{Name: "model", Kinds: []action.Kind{action.Text}, Meaning: "the model, in the client's words"},
			{Name: "dir", Kinds: []action.Kind{action.Text}, Others: []string{"cwd", "workdir", "working_dir", "working_directory", "working-directory", "folder"}, Meaning: "the folder it works in, relative to the run's"},
			{Name: "system", Kinds: []action.Kind{action.Text}, Others: []string{"system_prompt", "role", "backstory"}, Meaning: "more for its system prompt; Gemini and Codex get it before the prompt"},
			{Name: "permissions", Kinds: []action.Kind{action.Text}, Options: []string{"read", "edit", "full"}, Others: []string{"permission_mode", "rights", "sandbox", "approval_mode"},
				Meaning: "`read`, `edit` (the default) or `full`: what it may do without asking, because nobody is there to be asked ([plans.md](plans.md#agent-steps))"},
			{Name: "tools", Kinds: []action.Kind{action.List}, Others: []string{"allowed_tools", "allow"}, Meaning: "a list of tools that it may use besides, in the client's words: `[\"Bash(go test *)\"]`, `[\"run_shell_command(go)\"]`; Codex takes none"},
			{Name: "args", Kinds: []action.Kind{action.List}, Others: []string{"flags", "options"}, Meaning: "a list of more of the client's flags"},
			{Name: "env", Kinds: []action.Kind{action.Map}, Others: []string{"environment", "variables"}, Meaning: "a map of variables that are added to the environment"},
			{Name: "resume", Kinds: []action.Kind{action.Bool}, Meaning: "whether its session is resumed after a crash; `true`"},
			{Name: "output", Kinds: []action.Kind{action.Text}, Options: []string{"auto", "json", "text"}, Others: []string{"format", "parse"},
				Meaning: "how its last message is read: `auto` takes JSON where there is some, `json` asks for it, `text` reads none"},
			{Name: "rounds", Kinds: []action.Kind{action.Number}, Others: []string{"max_iterations", "max_turns"}, Meaning: "how often it may mend what a check has found; 1"},
		},
		Output: "text (its last message), result (the JSON in it), agent, session, model, turns, cost_usd, unchanged (where \"verified\" holds because nothing was changed)",
	}
}

func (a *Agent) names() (list []string) {
	for _, c := range a.Clients {
		list = append(list, c.Name())
	}
	return list
}

// Effect: an agent's session is resumed, so the step may run again.
func (a *Agent) Effect(plan.Step) plan.Effect { return plan.Idempotent }

// Check refuses parameters that the action does not take, a check that nobody can
// make, and a budget that nobody can keep.
func (a *Agent) Check(s plan.Step) error {
	if err := a.Doc().Check(s); err != nil {
		return err
	}
	for _, c := range s.Check {
		if c.Verified && a.Judge == nil {
			return piton.Errorf(piton.Invalid, "", "", "the check \"verified\" cannot be made here")
		}
	}
	return nil
}

func (a *Agent) lookPath(program string) (string, error) {
	if a.LookPath != nil {
		return a.LookPath(program)
	}
	return exec.LookPath(program)
}

func (a *Agent) now() time.Time {
	if a.Now != nil {
		return a.Now()
	}
	return time.Now()
}
