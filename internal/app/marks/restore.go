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
func (a Marks) PreviewRestore(ctx context.Context, r piton.RestoreRequest) (x Restoration, err error) {
	h, err := a.open(r.Project, true)
	if err != nil {
		return x, err
	}
	defer h.close()
	m, err := a.find(ctx, h, r.From)
	if err != nil {
		return x, err
	}
	wish := mark.Wish{Theirs: r.TheirsToo}
	if wish.Paths, err = a.within(h.root, r.Paths); err != nil {
		return x, err
	}
	x = Restoration{MarkView: view(m), mark: m, DryRun: true}
	if r.To != "" {
		if x.To, err = a.Path(r.To); err != nil {
			return x, err
		}
		x.fill(restore.Copies(m, wish))
		return x, nil
	}
	if m.Root != h.root {
		return x, piton.Errorf(piton.Conflict, "restore files", "go there, or name a folder for them with 'restore CHK --to DIR'", "these files are of %s", m.Root)
	}
	m.LookedAt, m.Left = time.Time{}, nil // whatever has changed since: what is gone comes back
	plan, err := a.plan(ctx, h, m, wish)
	x.fill(plan)
	return x, err
}

func (a Marks) plan(ctx context.Context, h here, m mark.Mark, wish mark.Wish) ([]mark.Verdict, error) {
	tree, err := restore.Look(ctx, h.root, h.Limits.File)
	if err != nil {
		return nil, err
	}
	return tree.Plan(ctx, m, wish)
}

// RestoreFiles brings back what a preview has shown to a person.
func (a Marks) RestoreFiles(ctx context.Context, shown Restoration) (Restoration, error) {
	if shown.To == "" {
		return a.write(ctx, shown)
	}
	if err := a.ByPerson(ctx, "restore files", "a person says where files are written"); err != nil {
		return shown, err
	}
	h, err := a.open(shown.Root, true)
	if err != nil {
		return shown, err
	}
	defer h.close()
	plan, err := restore.To(ctx, h.Store, shown.plan, shown.To)
	shown.fill(plan)
	shown.DryRun = false
	return shown, err
}

// MarkedChange is a file that is not the same in two marks, or in a mark and now.
type MarkedChange struct {
	Path string    `json:"path"`
	Lost mark.Loss `json:"lost"` // what happened to it from the one to the other
	From int64     `json:"from"` // bytes before; 0 where it was not there, or as in HEAD
	To   int64     `json:"to"`   // bytes after
}

// FilesDiff compares files of marks.
type FilesDiff struct {
	From  MarkView       `json:"from"`         // the mark
	To    *MarkView      `json:"to,omitempty"` // the other one; absent: it is compared with now
	Files []MarkedChange `json:"files"`        // those that differ, by path
}

// CompareFiles says what became of a mark's files, in another mark or now.
func (a Marks) CompareFiles(ctx context.Context, r piton.FilesRequest) (d FilesDiff, err error) {
	h, err := a.open(r.Project, true)
	if err != nil {
		return d, err
	}
	defer h.close()
	from, err := a.find(ctx, h, r.From)
	if err != nil {
		return d, err
	}
	d = FilesDiff{From: view(from), Files: []MarkedChange{}}
	var to mark.Mark
	if r.To != "" {
		if to, err = a.find(ctx, h, r.To); err != nil {
			return d, err
		}
		v := view(to)
		d.To = &v
	}
	tree, err := restore.Look(ctx, h.root, h.Limits.File)
	if err != nil {
		return d, err
	}
	for _, f := range from.Files {
		c := tree.Now(f)
		if r.To != "" {
			other, listed := to.Find(f.Path)
			c = mark.Current{Seen: other.Seen, Clean: !listed}
		}
		if loss := f.Lost(c); loss != mark.Nothing {
			d.Files = append(d.Files, MarkedChange{shown(f.Path), loss, f.Size, c.Size})
		}
	}
	for _, f := range to.Files {
		if _, known := from.Find(f.Path); !known {
			d.Files = append(d.Files, MarkedChange{shown(f.Path), mark.Changed, 0, f.Size})
		}
	}
	slices.SortFunc(d.Files, func(x, y MarkedChange) int { return strings.Compare(x.Path, y.Path) })
	return d, nil
}
