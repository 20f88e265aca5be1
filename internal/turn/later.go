package turn

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// carry lets what was saved here be carried to another store, where there is
// one: later, because a hook waits for no network; and bounds the session's checkpoints,
// where they are to be bounded.
func (t Turns) carry(session string) {
	if t.Later == nil {
		return
	}
	if t.Store != "" {
		t.Later("flush")
	}
	if t.Bound {
		t.Later("prune", "--session", session, "--max-time", pruneFor)
	}
}

// Between two prunings that nobody asked for, and how long one may archive and
// delete; the next one goes on from there.
const (
	pruneEvery = 24 * time.Hour
	pruneFor   = "1m"
)

// daily lets the store be pruned where a day has passed since the last time
// (docs/spec.md, "prune"). The first day counts from the first look, when
// there is nothing old.
func (t Turns) daily(ctx context.Context, st *store.Local, at piton.Time) {
	const mark = "pruned_at"
	if !t.Daily || t.Later == nil {
		return
	}
	last, err := st.Mark(ctx, mark)
	if err != nil || last != 0 && at.Millis()-last < pruneEvery.Milliseconds() && last <= at.Millis() {
		return
	}
	if err := st.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, mark, at.Millis()) }); err != nil {
		t.log().WarnContext(ctx, "the day of pruning was not noted", "err", err)
		return
	}
	if last != 0 {
		t.Later("prune", "--max-time", pruneFor)
	}
}
