package app

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// Flushed is what a flush has done.
type Flushed struct {
	Letters          courier.Carried `json:"letters"`
	*history.Flushed                 // nil where there is no store to carry to
}

// maxWait is how long a flush stays for letters that are due later: as long as
// all of a letter's attempts take.
const maxWait = 5 * time.Minute

// FlushRequest says what to flush.
type FlushRequest struct {
	All      bool // carry everything of the local file, not only what hooks have saved
	Wait     bool // stay until no letter waits
	Progress func(done, total int64)
}

// Flush delivers the letters that are due, and carries what hooks have saved on
// this machine to the shared store that settings and environment name. With an
// error the answer says what was done before it.
func (a Upkeep) Flush(ctx context.Context, r FlushRequest) (Flushed, error) {
	var out Flushed
	if caller.IsShared(a.Options.Store) && !a.IsConfigured() {
		return out, piton.Errorf(piton.Invalid, "", "make it the configured one: PITON_STORE, or 'store' in the settings; to copy checkpoints once: 'export all output FILE', then 'import FILE store STORE'", "what hooks have saved goes to the configured store only, and another one is named for this call")
	}
	var err error
	if out.Letters, err = a.deliver(ctx, r.Wait); err != nil {
		return out, err
	}
	shared, err := a.OpenShared(ctx, false)
	if err != nil || shared == nil {
		return out, err
	}
	k, err := a.Keeper(ctx, false)
	if err != nil {
		return out, err
	}
	if r.All {
		k.Carries = nil
	}
	f, err := k.Flush(ctx, r.Progress)
	out.Flushed = &f
	return out, err
}

// deliver carries the letters that are due.
func (a Upkeep) deliver(ctx context.Context, wait bool) (courier.Carried, error) {
	st, err := a.Local(ctx, true)
	if err != nil {
		return courier.Carried{}, caller.UnlessMissing(err)
	}
	c := a.courier(st.Local())
	if wait {
		return c.DeliverAll(ctx, maxWait)
	}
	return c.Deliver(ctx)
}

// courier carries letters of every kind.
func (a Upkeep) courier(st *store.Local) courier.Courier {
	return courier.Courier{Local: st, Carriers: Agents(a).Carriers(st), Log: a.Options.Log}
}
