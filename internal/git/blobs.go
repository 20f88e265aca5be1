package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Blob is a file of a commit.
type Blob struct {
	Path string
	ID   string
	Size int64 // -1: it is not in this clone
}

// Refs are the references that fit patterns, as for-each-ref takes them.
func (r Repo) Refs(ctx context.Context, patterns ...string) ([]string, error) {
	t, err := r.guarded(ctx)
	if err != nil {
		return nil, err
	}
	out, err := t.run(ctx, limit, append([]string{"for-each-ref", "--format=%(refname)", "--"}, patterns...)...)
	return strings.Fields(string(out)), err
}

// Blobs lists the files of a reference that Refs has named, links left out.
func (r Repo) Blobs(ctx context.Context, ref string) (list []Blob, err error) {
	t, err := r.guarded(ctx)
	if err != nil {
		return nil, err
	}
	out, err := t.run(ctx, limit, "ls-tree", "-r", "-l", "-z", "--end-of-options", ref)
	for row := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(row, "\t")
		f := strings.Fields(about)
		if len(f) != 4 || !strings.HasPrefix(f[0], "100") {
			continue
		}
		size, slip := strconv.ParseInt(f[3], 10, 64)
		if slip != nil {
			size = -1
		}
		list = append(list, Blob{path, f[2], size})
	}
	return list, err
}

// Contents reads blobs that Blobs has listed, nil for one that is not in this clone; all
// together they are at most as much as is kept of what a program writes.
func (r Repo) Contents(ctx context.Context, list []Blob) (all [][]byte, err error) {
	t, err := r.guarded(ctx)
	if err != nil {
		return nil, err
	}
	var ask bytes.Buffer
	for _, b := range list {
		fmt.Fprintln(&ask, b.ID)
	}
	out, err := t.tell(ctx, limit, ask.Bytes(), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		head, rest, ok := bytes.Cut(out, []byte{'\n'})
		if string(head) == b.ID+" missing" {
			all, out = append(all, nil), rest
			continue
		}
		if !ok || string(head) != fmt.Sprintf("%s blob %d", b.ID, b.Size) || int64(len(rest)) <= b.Size {
			return nil, fmt.Errorf("git cat-file: %s cannot be read: %w", b.Path, ErrDamaged)
		}
		all, out = append(all, rest[:b.Size]), rest[b.Size+1:]
	}
	return all, nil
}

// guarded is the work tree, with the programs that the repository names switched off.
func (r Repo) guarded(ctx context.Context) (*tree, error) {
	t, err := r.open()
	if err == nil {
		err = t.guard(ctx, limit)
	}
	return t, err
}
