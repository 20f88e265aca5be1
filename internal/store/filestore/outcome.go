package filestore

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// errMoved ends a transaction that is to run again: another program has changed a file
// that it was to write.
var errMoved = errors.New("another program has just changed it")

// prepare finds what a transaction means for the files; nil where it means nothing.
// Numbers that were given to another program's files become lasting with it.
func (t *tx) prepare(ctx context.Context, m mark) (*outcome, error) {
	if len(t.ids)+len(t.removes)+len(t.flows)+len(t.log)+len(t.counts) == 0 {
		return nil, nil
	}
	o := &outcome{journal: journal{Seed: t.seed.orNil(), Removes: sorted(t.removes)}, puts: map[string]written{}}
	for _, c := range t.removes {
		if !t.s.asRead(c) {
			return nil, errMoved
		}
	}
	for _, id := range sorted(t.ids) {
		if err := t.prepareFile(ctx, o, id); err != nil {
			return nil, err
		}
	}
	var err error
	if o.loose, err = t.x.rows(ctx, `loose = 1`); err != nil {
		return nil, err
	}
	for _, r := range o.loose {
		t.touch(r.workflow)
	}
	for _, id := range sorted(t.flows) {
		w, err := t.flow(ctx, id, o.loose)
		if err != nil {
			return nil, err
		}
		o.Workflows = append(o.Workflows, w)
	}
	o.Puts = sorted(o.puts)
	o.Store, _ = readMeta(m.store) // one that is damaged begins anew
	o.Store.Format, o.Store.Tx = 1, o.Store.Tx+1
	o.Store.count(t.counts)
	if o.Store.Ordinal, err = t.x.Mark(ctx, ordinalMark); err == nil {
		o.Events, err = t.s.eventLines(t.log)
	}
	return o, err
}

// prepareFile finds the new content of a checkpoint's file; of one that is damaged its
// workflow's file notes what has changed.
func (t *tx) prepareFile(ctx context.Context, o *outcome, id string) error {
	c, err := t.x.Checkpoint(ctx, id)
	if err != nil {
		return err
	}
	name := nameOf(c)
	p := written{c: given(c), fresh: t.added[id]}
	state := t.of[id]
	if !p.fresh {
		if !t.s.asRead(c) {
			return errMoved
		}
		d, err := t.s.load(name)
		if err != nil {
			return fail("change "+id, err)
		}
		if d.why != "" || d.id(name) != id {
			t.damaged[id] = true
			t.touch(c.WorkflowID)
			return nil
		}
		if p.alias = d.alias; state == nil {
			state = d.state
		}
	}
	if c.Archive != "" {
		state = nil
	}
	if p.raw, err = encode(p.c, p.alias, state); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "write " + id, Err: err}
	}
	o.puts[name] = p
	return nil
}

// flow is what is to be written to a workflow's file.
func (t *tx) flow(ctx context.Context, id string, loose []row) (*workflow, error) {
	w, err := t.s.flow(id, lying{})
	if err != nil {
		return nil, err
	}
	rows, err := t.x.rows(ctx, `workflow = $1 AND id <> ''`, id)
	if err != nil {
		return nil, err
	}
	if w == nil {
		w = &workflow{Foreign: slices.ContainsFunc(rows, func(r row) bool { return r.foreign })}
	}
	if w.Workflow, err = t.x.Workflow(ctx, id, ""); err != nil {
		return nil, err
	}
	if t.flows[id] {
		if w.ClosedAt = 0; w.Closed {
			w.ClosedAt = w.Seq
		}
	}
	branches, err := t.x.Branches(ctx, id)
	if err != nil {
		return nil, err
	}
	w.Branches = nil
	for _, b := range branches {
		is := branch{Name: b.Name, From: b.FromID}
		if b.Count == 0 {
			is.Base = b.HeadID
		}
		w.Branches = append(w.Branches, is)
	}
	return w, t.noteIn(ctx, w, loose)
}

// noteIn gives a workflow's file its marks and numbers.
func (t *tx) noteIn(ctx context.Context, w *workflow, loose []row) error {
	for id, n := range w.Marks {
		if t.added[n.Waits] {
			n.Waits = ""
			w.mark(id, n)
		}
	}
	for _, x := range t.notes[w.ID] {
		if x.always || t.damaged[x.id] {
			n := w.Marks[x.id]
			x.alter(&n)
			w.mark(x.id, n)
		}
	}
	for _, r := range loose {
		if r.workflow != w.ID {
			continue
		}
		c, err := t.x.Checkpoint(ctx, r.id)
		if piton.CodeOf(err) == piton.NotFound {
			continue // it goes
		}
		if err != nil {
			return err
		}
		if w.Numbers == nil {
			w.Numbers = map[string]number{}
		}
		w.Numbers[strings.TrimPrefix(r.path, checkpoints+"/")] = number{c.Seq, c.Ordinal}
	}
	for name, c := range t.removes {
		delete(w.Marks, c.ID)
		delete(w.Numbers, name)
	}
	return nil
}

// publish brings the index to what was written, so that the next call need not look at
// the folder again. It runs under the writers' lock.
func (t *tx) publish(ctx context.Context, o *outcome) error {
	x, s := t.x, t.s
	names, err := x.Mark(ctx, namesMark)
	if err == nil && len(o.loose) > 0 {
		err = x.exec(ctx, `UPDATE files SET loose = 0 WHERE loose = 1`)
	}
	for name, p := range o.puts {
		if err != nil {
			return err
		}
		info, err2 := s.disk.stat(checkpoints + "/" + name)
		if err2 != nil {
			return err2
		}
		if p.fresh {
			names += nameKey(name)
		}
		err = x.put(ctx, p.c, row{stamp: stampOf(info), alias: p.alias, foreign: p.alias != ""})
	}
	for _, name := range o.Removes {
		names -= nameKey(name)
		err = errors.Join(err, x.exec(ctx, `DELETE FROM files WHERE path = $1`, checkpoints+"/"+name))
	}
	for _, w := range o.Workflows {
		info, err2 := s.disk.stat(workflowName(w.ID))
		if err = errors.Join(err, err2); err == nil {
			err = x.note(ctx, row{path: workflowName(w.ID), stamp: stampOf(info), workflow: w.ID})
		}
	}
	m, err2 := s.look()
	if err = errors.Join(err, err2); err != nil || len(m.journal) > 0 {
		return errors.Join(err, errPending)
	}
	return x.setMarks(ctx, m.key, names)
}

// errPending says that a transaction could not be applied; the next writer does it.
var errPending = errors.New("a transaction is not applied yet")

// count adds up what was counted.
func (m *meta) count(counts []store.Counted) {
	if m.Counters == nil {
		m.Counters = map[string]int64{}
	}
	for _, c := range store.Sum(counts) {
		m.Counters[c.Name] += min(c.N, math.MaxInt64-m.Counters[c.Name])
	}
}
