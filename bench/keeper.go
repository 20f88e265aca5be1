package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// keeper is how a program that saves many times opens its store.
func keeper(ctx context.Context, path string) (history.Keeper, func() error, error) {
	st, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return history.Keeper{}, nil, err
	}
	return history.Keeper{Store: st, Local: st.Local(), Validate: kind.Validate, Recent: &states.Recent{}}, st.Close, nil
}

// saveTimed saves a state and refuses a figure of one that was not kept whole.
func saveTimed(ctx context.Context, k history.Keeper, state []byte) (piton.Checkpoint, time.Duration, error) {
	start := time.Now()
	c, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "bench", State: state}})
	took := time.Since(start)
	if err == nil && (c.Redacted != 0 || c.StateBytes != int64(len(state))) {
		err = fmt.Errorf("the state was changed: %d secrets found, %d bytes of %d kept", c.Redacted, c.StateBytes, len(state))
	}
	return c.Checkpoint, took, err
}

// summed is one sha256 over the bytes, the least a save must do.
func summed(state []byte) time.Duration {
	start := time.Now()
	sum := sha256.Sum256(state)
	took := time.Since(start)
	if sum == [sha256.Size]byte{} {
		panic("a sum of zeros") // so that the sum is not optimised away
	}
	return took
}

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
		_, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "meanwhile", State: []byte(`{"step":1}`)}})
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
