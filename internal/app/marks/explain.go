package marks

import (
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
)

// FilesWork says which command of an agent changed which files.
type FilesWork struct {
	Commands []CommandWork `json:"commands"` // newest first
}

// CommandWork is a command and the files that it changed, as far as they are not as in HEAD.
type CommandWork struct {
	MarkView
	Changed []MarkedChange `json:"changed"` // by path
}

// ExplainFiles says which commands changed which files, newest first: of a session, else in the caller's tree.
func (a Marks) ExplainFiles(ctx context.Context, r piton.ExplainRequest) (FilesWork, error) {
	return in(a, r.Project, func(h here) (FilesWork, error) {
		w := FilesWork{Commands: []CommandWork{}}
		q := keep.Query{Root: h.root, Kind: mark.AtCommand, Bare: true}
		if r.Session != "" {
			st, err := a.Local(ctx, true)
			if err != nil {
				return w, err
			}
			s, err := st.Session(ctx, r.Session)
			if err != nil {
				return w, err
			}
			q.Root, q.Client = "", s.ClientID
		}
		marks, err := h.List(ctx, q)
		for _, m := range marks {
			c := CommandWork{MarkView: view(m)}
			if c.Changed, err = h.changed(ctx, m); err != nil {
				return w, err
			}
			if len(c.Changed) > 0 {
				w.Commands = append(w.Commands, c)
			}
			if r.Limit > 0 && len(w.Commands) == r.Limit {
				break
			}
		}
		return w, err
	})
}

// changed are the files that a command changed: those that were marked before it, and those that were as
// in HEAD then, are not in the next mark, and changed last while it ran.
func (h here) changed(ctx context.Context, m mark.Mark) (changed []MarkedChange, err error) {
	if m.LookedAt.IsZero() {
		return nil, nil
	}
	if m, err = h.Filled(ctx, m); err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		if left, changes := m.Left[f.Path]; changes {
			changed = append(changed, MarkedChange{shown(f.Path), m.Lost(f), f.Size, left.Size})
		}
	}
	later, err := h.List(ctx, keep.Query{Root: m.Root, Since: m.LookedAt, Bare: true})
	if err != nil || len(later) == 0 {
		return changed, err
	}
	next, err := h.Filled(ctx, later[len(later)-1])
	for _, f := range next.Files {
		during := time.Unix(0, f.CtimeNano)
		if m.Has(f.Path) || f.Missing || during.Before(m.At) || during.After(m.LookedAt) {
			continue
		}
		loss := mark.Changed
		if f.Code == "??" {
			loss = mark.Made
		}
		changed = append(changed, MarkedChange{shown(f.Path), loss, 0, f.Size})
	}
	slices.SortFunc(changed, byPath)
	return changed, err
}
