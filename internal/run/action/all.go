package action

import "github.com/piton-project/piton/internal/run/plan"

// All are the actions that Piton has itself, by name; the agent's is in headless.
func All(t Tools) map[string]Action {
	return map[string]Action{
		"shell":      Shell{t},
		"http":       HTTP{t},
		"mcp":        MCP{t},
		plan.Approve: Approve{t},
		"checkpoint": Named{},
		plan.Wait:    Waiting{},
		plan.Child:   Plan{},
	}
}

var _ = []Documented{Shell{}, HTTP{}, MCP{}, Approve{}, Named{}, Waiting{}, Plan{}}

// Known are actions as a plan is checked against them.
func Known(actions map[string]Action) plan.Known {
	known := plan.Known{}
	for name, a := range actions {
		known[name] = a.Check
	}
	return known
}
