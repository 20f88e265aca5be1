package daemon

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
)

// works are what all parts of the daemon work with.
type works struct {
	app caller.Options // how the application is opened
	log *slog.Logger
	now func() time.Time

	mu       sync.Mutex
	settings chan struct{} // closed when the settings are to be read again
}

func newWorks(o caller.Options, log *slog.Logger, now func() time.Time) *works {
	w := &works{app: o, log: log, now: now, settings: make(chan struct{})}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.now == nil {
		w.now = time.Now
	}
	w.app.Home, w.app.Log = app.New(o).Home(), w.log
	w.app.Stores = &caller.Stores{}
	w.app.Warn = func(err *piton.Error) { w.log.Warn(caller.Message(err), "hint", err.Hint) }
	return w
}

// reload reads the settings again: what is open is closed and opened anew.
func (w *works) reload(ctx context.Context) {
	w.renew()
	a := app.New(w.app)
	defer a.Close()
	if _, err := a.Retention(); err != nil {
		w.log.WarnContext(ctx, "the settings were read again, and some cannot be used", "err", err)
		return
	}
	w.log.InfoContext(ctx, "the settings were read again")
}

// renew has what is open closed and opened anew.
func (w *works) renew() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.app.Stores.Renew()
	close(w.settings)
	w.settings = make(chan struct{})
}

// changed is closed when the settings are to be read again.
func (w *works) changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.settings
}

// generation does work until the settings are to be read again; false: it is over.
func (w *works) generation(ctx context.Context, work func(context.Context)) (more bool) {
	changed := w.changed()
	part, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-changed:
			end()
		case <-part.Done():
		}
	}()
	work(part)
	return ctx.Err() == nil
}

// drain is how long requests, letters and runs are waited for at the end.
const drain = 20 * time.Second

// await waits for work to end, and goes on without it when ctx is over.
func (w *works) await(ctx context.Context, name string, wait func()) {
	done := make(chan struct{})
	go func() { wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		w.log.Warn("not waited for any longer: "+name, "seconds", drain.Seconds())
	}
}
