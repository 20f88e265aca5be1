package store

import "github.com/piton-project/piton"

// Heirs are the nearest ancestors that stay, by the id of each checkpoint that is
// deleted; "" where none does.
type Heirs map[string]string

// PlanDelete finds the heirs of checkpoints that are deleted together. Whatever
// names one of them names its heir afterwards: a child its parent, a branch the
// checkpoint it began from, and one that has lost all its checkpoints its head.
func PlanDelete(gone []piton.Checkpoint) Heirs {
	h := make(Heirs, len(gone))
	parents := make(map[string]string, len(gone))
	for _, c := range gone {
		parents[c.ID] = c.ParentID
	}
	for id, heir := range parents {
		for range gone {
			above, deleted := parents[heir]
			if !deleted {
				break
			}
			heir = above
		}
		if _, deleted := parents[heir]; deleted {
			heir = "" // a cycle of damaged records
		}
		h[id] = heir
	}
	return h
}

// Of returns what stands in the place of a checkpoint: its heir if it is deleted,
// else itself.
func (h Heirs) Of(id string) string {
	if heir, deleted := h[id]; deleted {
		return heir
	}
	return id
}
