package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// suite is a test with a store and a clock of its own.
type suite struct {
	*testing.T
	ctx context.Context
	st  store.Checkpoints
	now time.Time // of the next append; moves on by a second
}

// start is when every test's clock begins.
var start = time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)

func newSuite(t *testing.T, st store.Checkpoints) *suite {
	return &suite{T: t, ctx: t.Context(), st: st, now: start}
}

// change alters a checkpoint before it is appended.
type change func(*store.Prepared)

func named(name string) change       { return func(p *store.Prepared) { p.Record.Name = name } }
func tagged(tags ...string) change   { return func(p *store.Prepared) { p.Record.Tags = tags } }
func onBranch(b string) change       { return func(p *store.Prepared) { p.Record.Branch = b } }
func inSession(s string) change      { return func(p *store.Prepared) { p.Record.SessionID = s } }
func expecting(parent string) change { return func(p *store.Prepared) { p.Parent = parent } }
func because(t piton.Trigger) change { return func(p *store.Prepared) { p.Record.Trigger = t } }
func byAgent(a string) change        { return func(p *store.Prepared) { p.Record.Origin.Agent = a } }
func says(text string) change        { return func(p *store.Prepared) { p.Record.Description = text } }
func keeping(p *store.Prepared)      { p.Keep = true }
func closing(p *store.Prepared)      { p.Close = true }
func inPhase(number, of int) change {
	return func(p *store.Prepared) { p.Record.PhaseNumber, p.Record.PhaseTotal = number, of }
}

// forking starts a branch from a checkpoint.
func forking(parent, branch string) change {
	return func(p *store.Prepared) { p.Fork, p.Record.ParentID, p.Record.Branch = true, parent, branch }
}

// prepare makes what Append takes, as history.Prepare does.
func (s *suite) prepare(w piton.Workflow, state string, changes ...change) store.Prepared {
	p := store.Prepared{State: redact.Unchecked(json.RawMessage(state)), Record: piton.Checkpoint{
		ID: piton.NewID(piton.CheckpointPrefix), InWorkflow: piton.InWorkflow{WorkflowID: w.ID, WorkflowType: w.Type, Project: w.Project,
			Branch: piton.MainBranch}, Trigger: piton.TriggerManual, CreatedAt: piton.At(s.now),
		OfState: piton.OfState{StateBytes: int64(len(state)), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(state))), SchemaVersion: 1},
	}}
	s.now = s.now.Add(time.Second)
	for _, c := range changes {
		c(&p)
	}
	return p
}

// save runs fn in a transaction and fails the test on an error.
func (s *suite) save(fn func(store.Tx) error) {
	s.Helper()
	if err := s.st.Save(s.ctx, fn); err != nil {
		s.Fatalf("save: got %v, want no error", err)
	}
}

// workflow adds a workflow; "" for a name makes one without.
func (s *suite) workflow(name, kind, project string) piton.Workflow {
	s.Helper()
	w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Name: name, Type: kind, Project: project, CreatedAt: piton.At(s.now)}
	s.save(func(tx store.Tx) error { return tx.PutWorkflow(s.ctx, redact.Value(w)) })
	return w
}

// plain adds a workflow of a caller's type.
func (s *suite) plain() piton.Workflow {
	s.Helper()
	return s.workflow("", piton.TypeCustom, "")
}

// try appends a checkpoint in a transaction of its own.
func (s *suite) try(w piton.Workflow, state string, changes ...change) (c piton.Checkpoint, err error) {
	p := s.prepare(w, state, changes...)
	err = s.st.Save(s.ctx, func(tx store.Tx) error {
		c, err = tx.Append(s.ctx, redact.Value(p))
		return err
	})
	return c, err
}

// append does so and fails the test on an error.
func (s *suite) append(w piton.Workflow, state string, changes ...change) piton.Checkpoint {
	s.Helper()
	c, err := s.try(w, state, changes...)
	if err != nil {
		s.Fatalf("append: got %v, want no error", err)
	}
	return c
}

// chain appends checkpoints of these names, one after the other.
func (s *suite) chain(w piton.Workflow, names ...string) []piton.Checkpoint {
	s.Helper()
	var cs []piton.Checkpoint
	for _, name := range names {
		cs = append(cs, s.append(w, fmt.Sprintf(`{"name":%q}`, name), named(name)))
	}
	return cs
}

// remove deletes checkpoints and returns what was set free.
func (s *suite) remove(cs ...piton.Checkpoint) (freed int64) {
	s.Helper()
	var ids []string
	for _, c := range cs {
		ids = append(ids, c.ID)
	}
	s.save(func(tx store.Tx) (err error) {
		freed, err = tx.Delete(s.ctx, ids)
		return err
	})
	return freed
}

// complete marks a checkpoint as completed.
func (s *suite) complete(id string, at time.Time) {
	s.Helper()
	s.save(func(tx store.Tx) error { return tx.Complete(s.ctx, id, piton.At(at)) })
}

// list returns what fits a query.
func (s *suite) list(q piton.Query) []piton.Checkpoint {
	s.Helper()
	page, err := s.st.List(s.ctx, q)
	if err != nil {
		s.Fatalf("list %+v: got %v, want no error", q, err)
	}
	return page.Checkpoints
}

// get reads a checkpoint again.
func (s *suite) get(id string) piton.Checkpoint {
	s.Helper()
	c, err := s.st.Checkpoint(s.ctx, id)
	if err != nil {
		s.Fatalf("checkpoint %s: got %v, want no error", id, err)
	}
	return c
}

// head is the name of a branch's head, "" when there is none.
func (s *suite) head(w piton.Workflow, branch string) string {
	s.Helper()
	c, err := s.st.Head(s.ctx, w.ID, branch)
	if err != nil {
		s.wantCode(err, piton.NotFound)
		return ""
	}
	return c.Name
}

// wantState loads a checkpoint's state and compares it.
func (s *suite) wantState(id, want string) {
	s.Helper()
	got, err := s.st.State(s.ctx, id)
	if err != nil {
		s.Fatalf("state of %s: got %v, want no error", id, err)
	}
	if string(got) != want {
		s.Fatalf("state of %s: got %d bytes %.80q, want %d bytes %.80q", id, len(got), got, len(want), want)
	}
}

// wantCode fails unless err has the code.
func (s *suite) wantCode(err error, want piton.Code) {
	s.Helper()
	if got := piton.CodeOf(err); got != want {
		s.Fatalf("got %q (%v), want %q", got, err, want)
	}
}

// equal fails unless got is want.
func equal[T any](s *suite, what string, got, want T) {
	s.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), sameTime); diff != "" {
		s.Fatalf("%s: got + , want -\n%s", what, diff)
	}
}

// sameTime compares moments, not their representation.
var sameTime = cmp.Comparer(func(a, b piton.Time) bool { return a.Time.Equal(b.Time) })

// names lists the names of checkpoints.
func names(cs []piton.Checkpoint) []string {
	var ns []string
	for _, c := range cs {
		ns = append(ns, c.Name)
	}
	return ns
}
