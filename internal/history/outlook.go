package history

import (
	"context"

	"github.com/piton-project/piton"
)

// Outlook is what a policy would do to checkpoints now, and the age at which it
// deletes what nothing protects ("" for none). Its JSON is a contract
// (docs/json.md).
type Outlook struct {
	Keep        int    `json:"keep"`
	Archive     int    `json:"archive"`
	Delete      int    `json:"delete"`
	DeleteAfter string `json:"delete_after,omitempty"`
}

// Outlook says what a policy would do to what an import has added. It looks at
// the workflows it was added to, and not at bounds over a whole project.
func (k Keeper) Outlook(ctx context.Context, policy piton.Retention, r Imported) (Outlook, error) {
	var o Outlook
	if policy.DeleteAt > 0 {
		o.DeleteAfter = piton.Span(policy.DeleteAt)
	}
	added := make(map[string]bool, len(r.IDs))
	for _, id := range r.IDs {
		added[id] = true
	}
	l := keptList{Keeper: k, workflows: map[string]piton.Workflow{}, listed: map[string]bool{}}
	for w := range r.workflows {
		if err := l.add(ctx, piton.Query{Workflow: w}); err != nil {
			return o, err
		}
	}
	for _, v := range policy.Plan(k.now().Time, l.all) {
		switch {
		case !added[v.ID]:
		case v.Action == piton.DeleteForever:
			o.Delete++
		case v.Action == piton.MoveToCold && k.Archive != nil:
			o.Archive++
		default:
			o.Keep++
		}
	}
	return o, nil
}
