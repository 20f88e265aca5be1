package proc

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A limit is over when all of its parts are, however long each of them took.
func TestWithin(t *testing.T) {
	begun, over := make(chan time.Duration), make(chan time.Time)
	after := func(d time.Duration) <-chan time.Time {
		begun <- d
		return over
	}
	ctx, cancel := within(t.Context(), 2*time.Second, after)
	defer cancel()
	for part := range parts {
		if d := <-begun; d != 2*time.Second/parts || ctx.Err() != nil {
			t.Fatalf("part %d: got %v and %v, want a part of 100 ms and no end", part, d, ctx.Err())
		}
		over <- time.Now().Add(time.Hour) // the machine stood still
	}
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got the cause %v, want context.DeadlineExceeded", err)
	}
}

func TestWithinIsCancelled(t *testing.T) {
	above, end := context.WithCancel(t.Context())
	ctx, cancel := Within(above, time.Hour)
	defer cancel()
	end()
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got the cause %v, want that of the context above", err)
	}
	ctx, cancel = Within(t.Context(), time.Hour)
	cancel()
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got the cause %v, want context.Canceled", err)
	}
}
