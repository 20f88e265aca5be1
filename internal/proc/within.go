package proc

import (
	"context"
	"time"
)

// parts is into how many parts a time limit is divided.
const parts = 20

// Within is a copy of ctx that ends once this process has had so much time; the cause is
// then context.DeadlineExceeded. A part of it that took longer, because the machine stood
// still or this process was stopped, counts once: what is waited for had no time either.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return within(ctx, limit, time.After)
}

func within(ctx context.Context, limit time.Duration, after func(time.Duration) <-chan time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for range parts {
			select {
			case <-ctx.Done():
				return
			case <-after(limit / parts):
			}
		}
		cancel(context.DeadlineExceeded)
	}()
	return ctx, func() { cancel(nil) }
}
