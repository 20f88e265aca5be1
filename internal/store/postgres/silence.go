package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// maxUnanswered is how often in a row a server that says nothing may leave the
// question whether it is there unanswered.
const maxUnanswered = 2

// guard is what an exchange with the server is watched with.
type guard struct {
	silence time.Duration               // how long the server may say nothing
	there   func(context.Context) error // asks over another connection whether it is there
}

// watch looks after one exchange with the server. A statement may take its time, and
// a server that hangs, or a network that has swallowed a connection, looks the same
// from here. So a server that says nothing for long is asked over another connection
// whether it is there: if it does not answer, the one that waits is closed.
type watch struct {
	guard
	close   func() error    // the connection
	ctx     context.Context // done: the exchange is over
	cancel  context.CancelFunc
	timer   *time.Timer
	mu      sync.Mutex
	dropped bool
}

// watch begins to look after an exchange over a connection that close closes. Its end
// must be called with the error of the exchange.
func (g guard) watch(close func() error) *watch {
	w := &watch{guard: g, close: close}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.timer = time.AfterFunc(g.silence, w.ask)
	return w
}

// ask asks until the exchange is over or the server is gone.
func (w *watch) ask() {
	for missed := 0; ; {
		err := w.there(w.ctx)
		missed++
		if answered(err) {
			missed = 0
		}
		if missed == maxUnanswered {
			w.drop()
			return
		}
		select {
		case <-w.ctx.Done():
			return
		case <-time.After(w.silence / maxUnanswered):
		}
	}
}

// drop closes the connection, unless the exchange has just ended.
func (w *watch) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() == nil {
		w.dropped = true
		w.close()
	}
}

// end ends the watch, and says of an error why the connection was closed.
func (w *watch) end(err error) error {
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancel()
	if w.dropped && err != nil {
		return fmt.Errorf("the server stopped answering, also over a new connection: %w", err)
	}
	return err
}

// answered tells whether a server has answered, if only with a refusal.
func answered(err error) bool {
	var refused *pgconn.PgError
	return err == nil || errors.As(err, &refused)
}
