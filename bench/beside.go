package main

import (
	"context"
	"time"

	"github.com/piton-project/piton/internal/history"
)

// savesBeside are the saves, made one every few milliseconds by a connection of
// their own, while work goes on, and how long that takes. With nil there are as many
// saves alone as asked for.
func savesBeside(ctx context.Context, path string, n int, work func() error) (waits []time.Duration, took time.Duration, err error) {
	k, end, err := keeper(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	defer end()
	save := func() error {
		start := time.Now()
		_, err := k.Save(ctx, history.Draft{Workflow: "meanwhile", State: []byte(`{"step":1}`)})
		waits = append(waits, time.Since(start))
		return err
	}
	for range n {
		if err := save(); err != nil {
			return nil, 0, err
		}
	}
	if work == nil {
		return waits, 0, nil
	}
	done := make(chan error, 1)
	start := time.Now()
	go func() { done <- work() }()
	for {
		select {
		case err := <-done:
			return waits, time.Since(start), err
		case <-time.After(2 * time.Millisecond):
			if err := save(); err != nil {
				return nil, 0, err
			}
		}
	}
}
