package turn

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store/localfs"
)

// maxSame bounds a file that is compared, in bytes.
const maxSame = 8 << 20

// same is debrief.Input.Same: it asks git for the texts of all changed files at
// once, when the first is asked for. A file is never the same where the tree does not
// hold the turn's text, or where work before this turn is open: that is not settled by
// what this turn did to the file.
func (h *handler) same(ctx context.Context, root string, f found) func(path string) bool {
	var texts map[string]*string
	asked := false
	return func(path string) bool {
		away := slices.ContainsFunc(f.away, func(c git.File) bool { return c.Path == path })
		left := slices.ContainsFunc(f.left, func(l debrief.Left) bool { return l.Path == path })
		asks := f.gitErr == nil && f.base != ""
		if !asks || f.dirty[path] || away || left {
			return false
		}
		if !asked {
			asked, texts = true, h.textsBefore(ctx, root, f)
		}
		now, err := localfs.ReadPlain(filepath.Join(root, filepath.FromSlash(path)), maxSame)
		return err == nil && texts[path] != nil && client.SameButComments(path, *texts[path], string(now))
	}
}

// textsBefore are the changed files as they were when the turn began.
func (h *handler) textsBefore(ctx context.Context, root string, f found) map[string]*string {
	var paths []string
	for _, c := range f.changes.Files {
		if !isNew(c) && !c.Deleted {
			paths = append(paths, c.Path)
		}
	}
	ctx, cancel := h.patient(ctx)
	defer cancel()
	texts, err := (git.Repo{Dir: root}).Before(ctx, f.base, paths)
	if err != nil {
		h.log().InfoContext(ctx, "the files before the turn cannot be read", "err", err)
	}
	return texts
}
