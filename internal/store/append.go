package store

import (
	"cmp"
	"errors"

	"github.com/piton-project/piton"
)

// ErrNameTaken is in every error that NameTaken makes.
var ErrNameTaken = errors.New("the name is taken in its project")

// NameTaken is the error for a workflow whose name another workflow of the
// project has.
func NameTaken(op string) error {
	return &piton.Error{Code: piton.Conflict, Op: op, Hint: "choose another name, or save to the workflow that has it", Err: ErrNameTaken}
}

// Branched is what a store has read of a branch, under its lock.
type Branched struct {
	Exists bool
	// Head is the newest checkpoint on it. Where all of them are deleted it is the
	// ancestor they came from, or "".
	Head string
}

// NewRecord returns the record of an append with what the caller left out: id,
// branch and the time of completion.
func (p Prepared) NewRecord() piton.Checkpoint {
	c := p.Record
	if c.ID == "" {
		c.ID = piton.NewID(piton.CheckpointPrefix)
	}
	c.Branch = cmp.Or(c.Branch, piton.MainBranch)
	if c.Completed && c.CompletedAt.IsZero() {
		c.CompletedAt = c.CreatedAt
	}
	c.Completed = !c.CompletedAt.IsZero()
	return c
}

// Needs returns the checkpoint that must be in the store for an append to a
// branch with this head: an expected parent that is not the head, or the one
// that a fork begins from; "" for none.
func (p Prepared) Needs(head string) string {
	switch {
	case p.Parent != "" && p.Parent != head:
		return p.Parent
	case p.Fork:
		return p.Record.ParentID
	}
	return ""
}

// PlanAppend returns the record c of an append to a branch with its parent
// filled in. found tells whether what it needs is in the store. NotFound when it
// is not; Conflict when the head is not the expected parent, or a fork's branch
// exists.
func PlanAppend(op string, p Prepared, c piton.Checkpoint, b Branched, found bool) (piton.Checkpoint, error) {
	switch moved := p.Parent != "" && p.Parent != b.Head; {
	case moved && found && b.Head == "":
		return c, piton.Errorf(piton.Conflict, op, "save without 'parent', or start the branch with a fork", "the branch %s is empty, its head is not the expected %s", c.Branch, p.Parent)
	case moved && found:
		return c, piton.Errorf(piton.Conflict, op, "load the head, take over what changed, and save again with 'parent "+b.Head+"'",
			"the head of branch %s is %s, not the expected %s", c.Branch, b.Head, p.Parent)
	case !moved && p.Fork && b.Exists:
		return c, piton.Errorf(piton.Conflict, op, "choose another branch name", "the branch %s exists", c.Branch)
	case !found:
		return c, piton.Errorf(piton.NotFound, op, listHint, "no such checkpoint as the parent %s", p.Needs(b.Head))
	}
	if !p.Fork {
		c.ParentID = b.Head
	}
	return c, nil
}

// Closes reports whether the workflow is closed after the append of c; closed is
// whether it was before.
func (p Prepared) Closes(c piton.Checkpoint, closed bool) bool {
	if p.Keep {
		return closed
	}
	return p.Close || c.Finishes()
}
