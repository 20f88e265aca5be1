package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// diskBar is what 1,000 steps of 2 KB may take on disk, in MB of 10^6 bytes.
const diskBar = 10

// growth measures many saves, each adding 2 KB: bytes on disk when the store is
// closed, saves per second, and what a save takes at the end.
func (l lab) growth(ctx context.Context) ([]row, error) {
	var rows []row
	for i, s := range []shape{atTop, deepIn} {
		more, err := l.growthOne(ctx, s, filepath.Join(l.dir, fmt.Sprintf("growth-%d", i), "piton.db"))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (l lab) growthOne(ctx context.Context, s shape, path string) ([]row, error) {
	k, closeStore, err := keeper(ctx, path)
	if err != nil {
		return nil, err
	}
	defer closeStore()
	w := newWriter(1)
	var ms []message
	var state []byte
	var puts, sums []time.Duration
	var all time.Duration
	for i := range l.steps {
		ms = append(ms, w.message(recordBytes))
		state = s.state(ms)
		sums = append(sums, summed(state))
		_, took, err := saveTimed(ctx, k, state)
		if err != nil {
			return nil, err
		}
		puts, all = append(puts, took), all+took
		l.progress("growth, "+s.name, i+1, l.steps)
	}
	if err := closeStore(); err != nil {
		return nil, err
	}
	size, err := onDisk(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	disk := row{what: fmt.Sprintf("%d saves of +2 KB, %s: on disk", l.steps, s.name), figure: float64(size) / 1e6, unit: "MB"}
	if l.steps == 1000 {
		disk.bar = diskBar
	}
	disk.against = fmt.Sprintf("state %.2f MB, zstd %s", float64(len(state))/1e6, shrinks(state))
	rate := row{what: "the same: saves per second", figure: float64(len(puts)) / all.Seconds(), unit: "/s"}
	tenth := len(puts) - max(len(puts)/10, 1)
	last := row{what: "the same: one save of the last tenth", against: "one sha256 over its bytes", got: puts[tenth:], floor: sums[tenth:]}
	return []row{disk, rate, last}, nil
}
