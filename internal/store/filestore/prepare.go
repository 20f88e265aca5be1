package filestore

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// prepare finds what a transaction means for the files; nil where it means nothing.
// Numbers that were given to another program's files become lasting with it.
func (t *tx) prepare(ctx context.Context, m mark) (*outcome, error) {
	if len(t.files)+len(t.removes)+len(t.flows)+len(t.log)+len(t.counts) == 0 {
		return nil, nil
	}
	o := &outcome{journal: journal{Seed: t.seed, Removes: slices.Sorted(maps.Keys(t.removes))}, puts: map[string]written{}}
	if slices.ContainsFunc(slices.Collect(maps.Values(t.removes)), t.d.moved) {
		return nil, errMoved
	}
	for _, id := range slices.Sorted(maps.Keys(t.files)) {
		if err := t.prepareFile(ctx, o, id); err != nil {
			return nil, err
		}
	}
	o.Puts = slices.Sorted(maps.Keys(o.puts))
	for _, r := range t.x.rows(ctx, `loose = 1`) {
		keep(t.flows, r.workflow)
	}
	for _, id := range slices.Sorted(maps.Keys(t.flows)) {
		w, err := t.flow(ctx, id)
		if err != nil {
			return nil, err
		}
		o.Workflows = append(o.Workflows, w)
	}
	o.Store, _ = readMeta(m.store) // one that is damaged begins anew
	o.Store.Format, o.Store.Tx = 1, o.Store.Tx+1
	o.Store.count(t.counts)
	o.Store.Ordinal = t.x.mark(ctx, ordinalMark)
	var err error
	o.Events, err = t.d.eventLines(t.log)
	return o, err
}

// prepareFile finds the new content of a checkpoint's file; of one that is damaged its
// workflow's file notes what has changed.
func (t *tx) prepareFile(ctx context.Context, o *outcome, id string) error {
	c, err := t.x.Checkpoint(ctx, id)
	if err != nil {
		return err
	}
	p := written{c: given(c), fresh: t.files[id]}
	state := t.of[id]
	if !p.fresh {
		if t.d.moved(c) {
			return errMoved
		}
		e, err := t.d.file(nameOf(c), true)
		if err != nil {
			return fail("change "+id, err)
		}
		if e.why != "" || e.c.ID != id {
			for _, alter := range t.changes[id] {
				t.note(c, alter)
			}
			return nil
		}
		if p.alias = e.alias; state == nil {
			state = e.state
		}
	}
	if c.Archive != "" {
		state = nil
	}
	if p.raw, err = encode(p.c, p.alias, state); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "write " + id, Err: err}
	}
	o.puts[nameOf(c)] = p
	return nil
}

// flow is what is to be written to a workflow's file.
func (t *tx) flow(ctx context.Context, id string) (*workflow, error) {
	w, err := t.d.flow(id)
	if err != nil {
		return nil, err
	}
	if w.lost {
		w.Foreign = len(t.x.rows(ctx, `workflow = $1 AND foreigns = 1 LIMIT 1`, id)) > 0
	}
	if w.Workflow, err = t.x.Workflow(ctx, id, ""); err != nil {
		return nil, err
	}
	switch {
	case t.flows[id] && w.Closed:
		w.ClosedAt = w.Seq
	case t.flows[id]:
		w.ClosedAt = 0
	}
	branches, err := t.x.Branches(ctx, id)
	w.Branches = nil
	for _, b := range branches {
		is := branch{Name: b.Name, From: b.FromID}
		if b.Count == 0 {
			is.Base = b.HeadID
		}
		w.Branches = append(w.Branches, is)
	}
	for _, r := range t.x.rows(ctx, `loose = 1 AND workflow = $1`, id) {
		c, err := t.x.Checkpoint(ctx, r.id)
		if piton.CodeOf(err) == piton.NotFound { // it goes
			continue
		}
		t.x.must(err)
		w.number(strings.TrimPrefix(r.path, checkpoints+"/"), number{c.Seq, c.Ordinal})
	}
	t.noteIn(w)
	return w, err
}

// noteIn gives a workflow's file its marks, and takes away what is gone.
func (t *tx) noteIn(w *workflow) {
	for id, n := range w.Marks {
		if t.files[n.Waits] {
			w.mark(id, func(n *note) { n.Waits = "" })
		}
	}
	for _, note := range t.notes[w.ID] {
		note(w)
	}
	for name, c := range t.removes {
		delete(w.Marks, c.ID)
		delete(w.Numbers, name)
	}
}

// publish brings the index to what was written, so that the next call need not look at
// the folder again. It runs under the writers' lock.
func (t *tx) publish(ctx context.Context, o *outcome) error {
	x, names := t.x, t.x.mark(ctx, namesMark)
	x.ExecContext(ctx, `UPDATE files SET loose = 0 WHERE loose = 1`)
	stamp := func(path string) string {
		info, err := t.d.stat(path)
		if x.must(err); err != nil {
			return ""
		}
		return stampOf(info)
	}
	for name, p := range o.puts {
		if p.fresh {
			names += nameKey(name)
		}
		x.put(ctx, p.c, row{stamp: stamp(checkpoints + "/" + name), alias: p.alias, foreign: p.alias != ""})
	}
	for _, name := range o.Removes {
		names -= nameKey(name)
		x.ExecContext(ctx, `DELETE FROM files WHERE path = $1`, checkpoints+"/"+name)
	}
	for _, w := range o.Workflows {
		path := workflowName(w.ID)
		x.note(ctx, row{path: path, stamp: stamp(path), workflow: w.ID})
	}
	m, err := t.d.look()
	x.setMarks(ctx, m.key, names)
	return err
}
