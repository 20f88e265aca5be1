package history

import (
	"context"

	"github.com/piton-project/piton"
)

// newestOf is a session's newest checkpoint. One that was set aside is it only
// where there is no other: an import takes nobody's place. With own, what
// was saved on purpose goes before what hooks captured, however new that is
// (docs/spec.md, "MCP").
func (k Keeper) newestOf(ctx context.Context, session, branch string, own bool) (piton.Checkpoint, error) {
	q, err := k.resolve(ctx, piton.Query{Session: session, Branch: branch})
	if err != nil {
		return piton.Checkpoint{}, err
	}
	if own {
		if c, err := k.newestOwn(ctx, q); err != nil || c.ID != "" {
			return c, err
		}
	}
	c, err := k.newestThat(ctx, q)
	if err == nil && c.ID == "" {
		err = piton.Errorf(piton.NotFound, "find the newest checkpoint of "+session, "'list' shows what there is", "the session has none")
	}
	return c, err
}

// newestOwn is the newest checkpoint of a session that was saved on purpose; the
// zero Checkpoint where there is none. What hooks capture lies in a workflow of
// type session, under another trigger than manual.
func (k Keeper) newestOwn(ctx context.Context, q piton.Query) (newest piton.Checkpoint, err error) {
	apart, among := q, q
	apart.NotType = piton.TypeSession
	among.Type, among.Trigger = piton.TypeSession, piton.TriggerManual
	for _, q := range []piton.Query{apart, among} {
		c, err := k.newestThat(ctx, q)
		if err != nil {
			return piton.Checkpoint{}, err
		}
		if c.ID != "" && (newest.ID == "" || c.Ordinal > newest.Ordinal) {
			newest = c
		}
	}
	return newest, nil
}

// newestThat is the newest checkpoint that fits a query with ids, and of those
// that were set aside only where there is no other; the zero Checkpoint where
// none fits.
func (k Keeper) newestThat(ctx context.Context, q piton.Query) (newest piton.Checkpoint, err error) {
	q.Limit = 1
	page, err := k.Store.List(ctx, q)
	if err != nil || len(page.Checkpoints) == 0 || q.Branch != "" || !piton.IsAside(page.Checkpoints[0].Branch) {
		return first(page.Checkpoints), err
	}
	for c, err := range k.pages(ctx, q) {
		if err != nil || !piton.IsAside(c.Branch) {
			return c, err
		}
		if newest.ID == "" {
			newest = c
		}
	}
	return newest, nil
}

func first(list []piton.Checkpoint) (c piton.Checkpoint) {
	if len(list) > 0 {
		c = list[0]
	}
	return c
}
