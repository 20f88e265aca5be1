package archive

import (
	"context"
	"io"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Owns implements piton.Archive.
func (f Folder) Owns(ctx context.Context, name string) (bool, error) {
	return owns(ctx, f, name, f.Owner)
}

// Owns implements piton.Archive.
func (s *S3) Owns(ctx context.Context, name string) (bool, error) { return owns(ctx, s, name, s.Owner) }

// Owns implements piton.Archive: a file that lies in both places is the owner's in
// both, since Remove removes both.
func (b Both) Owns(ctx context.Context, name string) (bool, error) {
	own, err := b.Archive.Owns(ctx, name)
	if err == nil && !own {
		return false, nil
	}
	before, err2 := b.Before.Owns(ctx, name)
	switch {
	case piton.CodeOf(err2) == piton.NotFound:
		return own, err
	case piton.CodeOf(err) == piton.NotFound || err2 != nil:
		return before, err2
	}
	return own && before, err
}

// owns reads a file to its end: its sum and the owner make its name.
func owns(ctx context.Context, a store.Archive, name, owner string) (bool, error) {
	if owner == "" {
		return false, nil
	}
	r, err := a.Open(ctx, name)
	if err != nil {
		return false, err
	}
	defer r.Close()
	d, err := open(ctxReader{ctx, r})
	if err != nil {
		return false, inFile("read "+name, err)
	}
	defer d.close()
	for err == nil {
		_, err = d.next("")
	}
	if err != io.EOF {
		return false, inFile("read "+name, err)
	}
	return strings.HasSuffix(name, nameEnd(d.total(), owner)), nil
}
