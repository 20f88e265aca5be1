package action

import (
	"cmp"
	"context"
	"fmt"

	"github.com/piton-project/piton/internal/run/plan"
)

// Named gives the checkpoint of the run's state a name.
type Named struct{}

// Doc says what the action takes.
func (Named) Doc() Doc {
	return Doc{
		Name:    "checkpoint",
		Summary: "Saves the run's state as a checkpoint with a name, which is kept when others are pruned.",
		Parameters: []Parameter{
			{Name: "name", Kinds: []Kind{Text}, Others: []string{"title", "label"}, Meaning: "its name; the step's id"},
			{Name: "description", Kinds: []Kind{Text}, Others: []string{"message"}, Meaning: "its description; the step's"},
			{Name: "tags", Kinds: []Kind{List, Text}, Others: []string{"tag", "labels"}, Meaning: "a tag, or a list of tags"},
		},
		Output: "nothing",
	}
}

// Check reports what is wrong with the parameters.
func (a Named) Check(s plan.Step) error { return a.Doc().Check(s) }

// Effect is pure: it is the runner that saves.
func (Named) Effect(plan.Step) plan.Effect { return plan.Pure }

// Do names the checkpoint; the runner saves it together with the step's result.
func (Named) Do(_ context.Context, c Call) (Result, error) {
	name, _ := c.Parameters["name"].(string)
	description, _ := c.Parameters["description"].(string)
	k := Checkpoint{Name: cmp.Or(name, c.Step), Description: cmp.Or(description, c.Description)}
	switch tags := c.Parameters["tags"].(type) {
	case string:
		k.Tags = []string{tags}
	case []any:
		for _, t := range tags {
			k.Tags = append(k.Tags, fmt.Sprint(t))
		}
	}
	return Result{Checkpoint: &k}, nil
}
