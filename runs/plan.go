package runs

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/piton-project/piton"
)

// Plan is what a run does. Text is a plan in YAML or JSON, as piton run takes it;
// with Text the other fields are left empty.
type Plan struct {
	Text     string
	Name     string // also names the workflow
	Query    string
	Steps    []Step
	Parallel int // steps at once; 0: 4
}

// Step is one thing to do.
type Step struct {
	ID          string
	Description string
	Action      string // a name of Actions, or one of Piton's own
	// Parameters are any value that encoding/json encodes as an object, with
	// expressions in its texts: "${{ steps.fetch.output }}".
	Parameters any
	// After are the steps that it depends on. Where no step of a plan has any, and
	// Plan.Parallel is not set, the steps run in order.
	After    []string
	When     string // an expression: it runs only where it holds
	Timeout  time.Duration
	Attempts int    // tries in all; 0 and 1: no second one
	Effect   Effect // empty: its action's own
}

// Effect says what happens to a step that a crash has interrupted.
type Effect string

// The effects.
const (
	Pure       Effect = "pure"       // it changes nothing: it runs again
	Idempotent Effect = "idempotent" // twice is the same as once: it runs again, with the same key (see Info)
	Once       Effect = "once"       // the run stops and asks a person (Options.Redo, Options.Took)
)

// stepJSON is a step as plans have it.
type stepJSON struct {
	ID           string         `json:"id"`
	Description  string         `json:"description,omitempty"`
	Action       string         `json:"action"`
	Parameters   any            `json:"parameters,omitempty"`
	Dependencies []string       `json:"dependencies,omitempty"`
	When         string         `json:"when,omitempty"`
	Timeout      string         `json:"timeout,omitempty"`
	Retry        map[string]int `json:"retry,omitempty"`
	Effect       Effect         `json:"effect,omitempty"`
}

// label names the plan in messages.
func (p Plan) label() string { return cmp.Or(p.Name, "the plan") }

// text is the plan as a file has it.
func (p Plan) text() ([]byte, error) {
	if p.Text != "" {
		return []byte(p.Text), nil
	}
	list := make([]stepJSON, len(p.Steps))
	for i, s := range p.Steps {
		list[i] = stepJSON{ID: s.ID, Description: s.Description, Action: s.Action, Parameters: s.Parameters, Dependencies: s.After, When: s.When, Effect: s.Effect}
		if s.Timeout > 0 {
			list[i].Timeout = s.Timeout.String()
		}
		if s.Attempts > 1 {
			list[i].Retry = map[string]int{"attempts": s.Attempts}
		}
	}
	b, err := json.Marshal(struct {
		Name     string     `json:"name,omitempty"`
		Query    string     `json:"query,omitempty"`
		Parallel int        `json:"parallel,omitempty"`
		Steps    []stepJSON `json:"steps"`
	}{p.Name, p.Query, p.Parallel, list})
	if err != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: "read " + p.label(), Hint: "use values that encoding/json encodes", Err: err}
	}
	return b, nil
}
