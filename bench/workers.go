package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/line"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

const (
	mostWorkers   = 16
	machines      = 50
	workerInserts = 100
)

// crew is workers on one database, each with connections and runs of its own.
type crew struct {
	lab
	stores []*sqlstore.Store
}

// workers measures how many steps of runs, and how many bare inserts, workers bring
// together on one PostgreSQL server, near and over a line that takes its time, and the
// same of as many machines at once.
func (l lab) workers(ctx context.Context) (rows []row, err error) {
	dir, err := os.MkdirTemp("/tmp", "pb") // a socket's path is short
	if err != nil {
		return nil, err
	}
	server, err := pgtest.Start(dir)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	for _, away := range []time.Duration{0, oneWay} {
		way, err := line.New(server.DSN("postgres"), away)
		if err != nil {
			return nil, err
		}
		defer way.Close()
		more, err := l.crews(ctx, way.DSN, fmt.Sprintf("%d ms away", 2*away.Milliseconds()))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (l lab) crews(ctx context.Context, dsn, away string) (rows []row, err error) {
	c := crew{lab: l}
	defer func() { err = errors.Join(err, c.close()) }()
	for len(c.stores) < machines {
		st, err := postgres.Open(ctx, dsn, postgres.Options{})
		if err != nil {
			return nil, err
		}
		c.stores = append(c.stores, st)
	}
	if _, err := c.stores[0].DB.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS bare (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT)`); err != nil {
		return nil, err
	}
	counts := []int{1, 4, 8, mostWorkers}
	steps, inserts := map[int][]float64{}, map[int][]float64{}
	once := func(n int) error {
		a, err := c.perSecond(n, chainSteps, c.run(ctx))
		if err != nil {
			return err
		}
		b, err := c.perSecond(n, workerInserts, c.insert(ctx))
		steps[n], inserts[n] = append(steps[n], a), append(inserts[n], b)
		return err
	}
	for i := range max(l.n/6, 1) {
		for j := range counts {
			if err := once(counts[(i+j)%len(counts)]); err != nil {
				return nil, err
			}
		}
	}
	if err := once(machines); err != nil {
		return nil, err
	}
	for _, n := range append(counts, machines) {
		got, bare := middle(steps[n]), middle(inserts[n])
		rows = append(rows, row{what: fmt.Sprintf("%d workers, %s: steps of runs", n, away), figure: got, unit: "/s",
			against: fmt.Sprintf("%.2f times one; inserts %.0f /s, %.2f times", got/middle(steps[1]), bare, bare/middle(inserts[1]))})
	}
	return rows, nil
}

// perSecond is how much n workers do in a second, of which each does so many.
func (c crew) perSecond(n, each int, work func(worker int) error) (float64, error) {
	errs := make([]error, n)
	var all sync.WaitGroup
	start := time.Now()
	for i := range n {
		all.Go(func() { errs[i] = work(i) })
	}
	all.Wait()
	return float64(n*each) / time.Since(start).Seconds(), errors.Join(errs...)
}

// run is a run of steps that do nothing.
func (c crew) run(ctx context.Context) func(int) error {
	return func(worker int) error {
		r, err := c.runnerOn(history.Keeper{Store: c.stores[worker], Validate: kind.Validate, Recent: &states.Recent{}})
		if err == nil {
			_, err = whole(ctx, r, chain(chainSteps))
		}
		return err
	}
}

// insert is a row that is inserted, and again.
func (c crew) insert(ctx context.Context) func(int) error {
	return func(worker int) error {
		for range workerInserts {
			if _, err := c.stores[worker].DB.ExecContext(ctx, `INSERT INTO bare (text) VALUES ($1)`, "one row"); err != nil {
				return err
			}
		}
		return nil
	}
}

func (c crew) close() error {
	var errs []error
	for _, s := range c.stores {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

func middle(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }
