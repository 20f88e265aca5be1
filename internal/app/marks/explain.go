package marks

import (
	"context"
	"maps"
	"slices"
	"strings"
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
	w := FilesWork{Commands: []CommandWork{}}
	h, err := a.open(r.Project, true)
	if err != nil {
		return w, err
	}
	defer h.close()
	q := keep.Query{Root: h.root}
	if r.Session != "" {
		if q.Client, err = a.clientOf(ctx, r.Session); err != nil {
			return w, err
		}
		q.Root = ""
	}
	bare := q
	bare.Bare = true
	marks, err := h.List(ctx, bare)
	if err != nil {
		return w, err
	}
	prompts, err := h.List(ctx, keep.Query{Root: q.Root, Client: q.Client, Kind: mark.AtPrompt, Bare: true})
	if err != nil {
		return w, err
	}
	for _, m := range marks {
		m.Turn = turnOf(m, prompts)
		if m.Kind != mark.AtCommand || m.LookedAt.IsZero() {
			continue
		}
		c := CommandWork{MarkView: view(m)}
		if c.Changed, err = h.changed(ctx, m); err != nil {
			return w, err
		}
		if len(c.Changed) == 0 {
			continue
		}
		if w.Commands = append(w.Commands, c); len(w.Commands) == r.Limit {
			break
		}
	}
	return w, nil
}

// clientOf is the client's id of a session.
func (a Marks) clientOf(ctx context.Context, ref string) (string, error) {
	st, err := a.Local(ctx, true)
	if err != nil {
		return "", err
	}
	s, err := st.Session(ctx, ref)
	return s.ClientID, err
}

// changed are the files that a command changed: those that were marked before it, and those that were as
// in HEAD then, are not in the next mark, and changed last while it ran.
func (h here) changed(ctx context.Context, m mark.Mark) ([]MarkedChange, error) {
	all, err := h.List(ctx, keep.Query{ID: m.ID})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	m = all[0]
	changed := []MarkedChange{}
	for path, left := range maps.All(m.Left) {
		if f, known := m.Find(path); known {
			changed = append(changed, MarkedChange{shown(path), m.Lost(f), f.Size, left.Size})
		}
	}
	next, err := h.List(ctx, keep.Query{Root: m.Root, Since: m.LookedAt, Bare: true})
	if err == nil && len(next) > 0 {
		next, err = h.List(ctx, keep.Query{ID: next[len(next)-1].ID})
	}
	if err != nil || len(next) == 0 {
		return changed, err
	}
	for _, f := range next[0].Files {
		during := time.Unix(0, f.CtimeNano)
		if _, known := m.Find(f.Path); known || f.Missing || during.Before(m.At) || during.After(m.LookedAt) {
			continue
		}
		loss := mark.Changed
		if f.Code == "??" {
			loss = mark.Made
		}
		changed = append(changed, MarkedChange{shown(f.Path), loss, 0, f.Size})
	}
	slices.SortFunc(changed, func(x, y MarkedChange) int { return strings.Compare(x.Path, y.Path) })
	return changed, nil
}
