package store

import "github.com/piton-project/piton"

// Leads reports whether c is a workflow's head rather than the checkpoint head:
// what an import has set aside comes last, else the highest number is first.
func Leads(c, head piton.Checkpoint) bool {
	if a, b := piton.IsAside(c.Branch), piton.IsAside(head.Branch); a != b {
		return b
	}
	return c.Seq > head.Seq
}

// Rehead returns a workflow with the head that its checkpoints have left it; the
// zero Checkpoint when there is none. Where the head has moved, a caller's
// workflow is as finished as the new head is; a session's stays as its last stop
// left it.
func Rehead(w piton.Workflow, head piton.Checkpoint) piton.Workflow {
	if w.HeadID == head.ID {
		return w
	}
	w.HeadID = head.ID
	if w.Type != piton.TypeSession {
		w.Closed = head.Finishes()
	}
	return w
}
