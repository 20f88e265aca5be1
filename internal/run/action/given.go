package action

import (
	"fmt"

	"github.com/piton-project/piton/internal/run/plan"
)

// Fits tells what is wrong with an output that a person gives for a step: it has the form
// that the step's action brings.
func Fits(s plan.Step, output any) error {
	_, isText := output.(string)
	m, isMap := output.(map[string]any)
	_, number := AsNumber(m["status"])
	_, said := m["text"].(string)
	how := s.Parameters["output"]
	want := ""
	switch {
	case s.Action == "http" && (!isMap || !number):
		want = "an object with status, a number, and body"
	case s.Action == "agent" && (!isMap || !said):
		want = "an object with text"
	case s.Action == "checkpoint" && output != nil:
		want = "null"
	case (s.Action == "shell" || s.Action == "mcp") && how == "text" && !isText:
		want = "a text"
	}
	if want == "" {
		return nil
	}
	return fmt.Errorf("it is %s, and the action %s brings %s", described(output), s.Action, want)
}
