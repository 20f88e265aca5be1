package turn_test

import (
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/claude"
)

// fake is a client with Claude's forms and limits of its own.
type fake struct {
	claude.Client
	name   string
	takes  func(agent.Event) bool  // where it takes context
	script func(*agent.Transcript) // changes what is read; nil: nothing
}

func (f fake) Name() string { return f.name }

func (f fake) Context(e agent.Event, text string) []byte {
	if !f.takes(e) {
		return nil
	}
	return f.Client.Context(e, text)
}

func (f fake) Transcript(path string, since time.Time, end int64) (agent.Transcript, error) {
	x, err := f.Client.Transcript(path, since, end)
	if f.script != nil {
		f.script(&x)
	}
	return x, err
}

// gemini takes context at a startup and at prompts.
func gemini() fake {
	return fake{name: "gemini", takes: func(e agent.Event) bool {
		return e.Kind == agent.EventPrompt || e.Kind == agent.EventSessionStart && e.Source == "startup"
	}}
}

// codex tells of stops only, and reads no answer.
func codex() fake { return fake{name: "codex", takes: func(agent.Event) bool { return false }} }
