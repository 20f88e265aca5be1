package archive

import (
	"context"
	"io"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Both is an archive that has moved: what is written goes to the one place,
// and what is not found there is looked for in the place it had before.
type Both struct {
	store.Archive
	Before store.Archive
}

var _ store.Archive = Both{}

// Entry implements piton.Archive.
func (b Both) Entry(ctx context.Context, name, checkpoint string) (store.Entry, error) {
	e, err := b.Archive.Entry(ctx, name, checkpoint)
	if err == nil {
		return e, nil
	}
	old, err2 := b.Before.Entry(ctx, name, checkpoint)
	if err2 == nil {
		return old, nil
	}
	return store.Entry{}, worse(err, err2)
}

// Entries implements piton.Archive.
func (b Both) Entries(ctx context.Context, name string) store.Entries { return all(ctx, b, name) }

// Open implements piton.Archive.
func (b Both) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := b.Archive.Open(ctx, name)
	if err == nil {
		return r, nil
	}
	old, err2 := b.Before.Open(ctx, name)
	if err2 == nil {
		return old, nil
	}
	return nil, worse(err, err2)
}

// worse is the error that says more: that a file is in neither place is only
// what both say.
func worse(err, before error) error {
	if piton.CodeOf(err) == piton.NotFound && piton.CodeOf(before) != piton.NotFound {
		return before
	}
	return err
}

// Files implements piton.Archive.
func (b Both) Files(ctx context.Context) ([]string, error) {
	names, err := b.Archive.Files(ctx)
	if err != nil {
		return nil, err
	}
	old, err := b.Before.Files(ctx)
	if err != nil {
		return nil, err
	}
	names = append(names, old...)
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Remove implements piton.Archive: it removes the file from both.
func (b Both) Remove(ctx context.Context, name string) error {
	err := b.Archive.Remove(ctx, name)
	if err2 := b.Before.Remove(ctx, name); err == nil {
		err = err2
	}
	return err
}
