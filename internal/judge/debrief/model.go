package debrief

import (
	"slices"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/proof"
)

// weighed is the turn's model. It is made once, when the agent's files are known.
func (t *turn) weighed() *model {
	if t.model != nil {
		return t.model
	}
	t.model = &model{Turn: proof.Turn{First: t.first()}, index: map[[2]int]int{}, placed: map[printed]string{}}
	for _, f := range t.files {
		t.model.Files = append(t.model.Files, t.need(f))
		if f.Deleted && t.home(f.File).Test && t.renamed(f.Path) == "" {
			t.model.Gone = append(t.model.Gone, f.Path)
		}
		for _, name := range slices.Concat(f.Thin.Gone, f.Thin.Empty, f.Thin.Skipped) {
			t.model.Lost = append(t.model.Lost, proof.Failure{Test: name, File: f.Path})
		}
	}
	projects := t.projects()
	for _, c := range t.calls {
		if c.Kind != agent.CallShell {
			continue
		}
		for _, cmd := range c.commands {
			if cmd.look().tests == 0 && !cmd.builds() {
				continue
			}
			contained(func() {
				k := t.check(c, cmd, projects)
				t.model.index[[2]int{c.at, cmd.at}] = len(t.model.Checks)
				t.model.Checks, t.model.calls = append(t.model.Checks, k), append(t.model.calls, c)
			})
		}
	}
	return t.model
}

// of is the check that a command of a call is; not ok where it is none.
func (m *model) of(c *call, cmd *command) (at int, ok bool) {
	at, ok = m.index[[2]int{c.at, cmd.at}]
	return at, ok
}

// first is the turn's first edit of a file that is changed at its end.
func (t *turn) first() moment {
	first := proof.Nowhere
	for _, c := range t.calls {
		for _, e := range c.edits {
			names := func(f file) bool { return e.names(f.File) }
			if at := c.moment(e.command); slices.ContainsFunc(t.files, names) && (first.None() || first.Later(at)) {
				first = at
			}
		}
	}
	for _, f := range t.files {
		if !f.last.None() && (first.None() || first.Later(f.last)) {
			first = f.last
		}
	}
	return first
}
