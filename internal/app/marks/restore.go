package marks

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/restore"
)

// PreviewRestore says what a restore of a checkpoint's files would do, exactly.
func (a Marks) PreviewRestore(ctx context.Context, r piton.RestoreRequest) (Restoration, error) {
	return in(a, r.Project, func(h here) (x Restoration, err error) {
		m, err := a.find(ctx, h, r.From)
		if err != nil {
			return x, err
		}
		wish := mark.Wish{Theirs: r.TheirsToo}
		if wish.Paths, err = a.within(h.root, r.Paths); err != nil {
			return x, err
		}
		var plan []mark.Verdict
		m.LookedAt, m.Left = time.Time{}, nil // whatever has changed since: what is gone comes back
		switch {
		case r.To != "":
			plan = restore.Copies(h.Taker, &m, wish)
			r.To, err = a.Path(r.To)
		case m.Root != h.root:
			err = piton.Errorf(piton.Conflict, "restore files", "go there, or name a folder for them with 'restore CHK --to DIR'", "these files are of %s", m.Root)
		default:
			plan, err = h.plan(ctx, &m, wish)
		}
		x = restoration(m, plan)
		if x.To, x.DryRun = r.To, true; err != nil || x.To != "" {
			return x, err
		}
		return a.notNow(ctx, h, x), nil
	})
}

// RestoreFiles brings back what a preview has shown to a person.
func (a Marks) RestoreFiles(ctx context.Context, shown Restoration) (Restoration, error) {
	if shown.To == "" {
		return a.Undo(ctx, shown)
	}
	if err := a.ByPerson(ctx, "restore files", "a person says where files are written"); err != nil {
		return shown, err
	}
	return in(a, shown.Root, func(h here) (Restoration, error) {
		plan, err := restore.To(ctx, h.Taker, shown.plan, shown.To)
		shown.fill(plan)
		return shown, err
	})
}

// MarkedChange is a file that is not the same in two marks, or in a mark and now.
type MarkedChange struct {
	Path string    `json:"path"`
	Lost mark.Loss `json:"lost"` // what happened to it from the one to the other
	From int64     `json:"from"` // bytes before; 0 where it was not there, or as in HEAD
	To   int64     `json:"to"`   // bytes after
}

// TakenAway tells of a file that was removed, emptied, or made as it is in HEAD.
func (c MarkedChange) TakenAway() bool {
	return c.Lost == mark.Removed || c.Lost == mark.Emptied || c.Lost == mark.Reverted
}

// FilesDiff compares files of marks.
type FilesDiff struct {
	From  MarkView       `json:"from"`         // the mark
	To    *MarkView      `json:"to,omitempty"` // the other one; absent: it is compared with now
	Files []MarkedChange `json:"files"`        // those that differ, by path
}

// CompareFiles says what became of a mark's files, in another mark or now.
func (a Marks) CompareFiles(ctx context.Context, r piton.FilesRequest) (FilesDiff, error) {
	return in(a, r.Project, func(h here) (d FilesDiff, err error) {
		from, err := a.find(ctx, h, r.From)
		if err != nil {
			return d, err
		}
		d = FilesDiff{From: view(from), Files: []MarkedChange{}}
		tree, err := restore.Look(ctx, h.Taker, h.root)
		if err != nil {
			return d, err
		}
		var to mark.Mark
		then := tree.At(from)
		if r.To != "" {
			if to, err = a.find(ctx, h, r.To); err != nil {
				return d, err
			}
			v := view(to)
			d.To, then = &v, func(f mark.File) mark.Current {
				other, listed := to.Find(f.Path)
				return mark.Current{Seen: other.Seen, Clean: !listed} // what a mark does not have was as in HEAD
			}
		}
		for _, f := range from.Files {
			if c := then(f); f.Lost(c) != mark.Nothing {
				d.Files = append(d.Files, MarkedChange{shown(f.Path), f.Lost(c), f.Size, c.Size})
			}
		}
		for _, f := range to.Files {
			if !from.Has(f.Path) {
				d.Files = append(d.Files, MarkedChange{shown(f.Path), mark.Changed, 0, f.Size})
			}
		}
		slices.SortFunc(d.Files, byPath)
		return d, nil
	})
}

func byPath(x, y MarkedChange) int { return strings.Compare(x.Path, y.Path) }
