package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton/internal/testkit/line"
)

// oneWay is how long the far server's line takes in each direction.
const oneWay = 10 * time.Millisecond

// far measures both sides over a line that takes its time: with PostgreSQL on another
// machine round trips are what counts.
func (l lab) far(ctx context.Context, n *node, pgurl string) (err error) {
	s := &stage{lab: l, name: "far", node: n, pgurl: pgurl, sides: map[string]side{}, encoded: map[string][]time.Duration{}, where: map[string]string{}}
	defer func() { err = errors.Join(err, s.remove()) }()
	ways := map[string]*line.Line{}
	for name, open := range map[string]func(context.Context, string, string) (side, string, error){pitonPostgres: s.openPostgres, saverPostgres: s.openSaver} {
		where, err := s.database(map[string]string{pitonPostgres: "piton_bench_far_0", saverPostgres: "piton_bench_far_1"}[name])
		if err != nil {
			return err
		}
		s.where[name] = where
		way, err := line.New(where, oneWay)
		if err != nil {
			return err
		}
		defer way.Close()
		ways[name] = way
		if s.sides[name], _, err = open(ctx, name, way.DSN); err != nil {
			return err
		}
		s.order = append(s.order, name)
	}
	return s.farAway(ctx, ways)
}

// farAway saves, loads and lists a thread of small states.
func (s *stage) farAway(ctx context.Context, ways map[string]*line.Line) error {
	heading()
	w, puts, gets, lists, trips := newWriter(5), took{}, took{}, took{}, map[string]int{}
	for i := range s.lab.n + peerWarmUp {
		path, state := filepath.Join(s.lab.dir, fmt.Sprintf("far.json.%d", i)), encode(w.ofSize(1<<10))
		if err := os.WriteFile(path, state, 0o600); err != nil {
			return err
		}
		err := s.round(i, func(name string, x side) error {
			var put time.Duration
			var err error
			trips[name] = ways[name].Trips(func() { put, err = x.put(ctx, "far", path) })
			if err != nil {
				return err
			}
			get, sum, err := x.get(ctx, "far")
			if err == nil && sum != sumOf(state) {
				err = errors.New("another state came back")
			}
			if err != nil {
				return err
			}
			list, _, err := x.list(ctx, "far", listed)
			if i >= peerWarmUp {
				puts[name], gets[name], lists[name] = append(puts[name], put), append(gets[name], get), append(lists[name], list)
			}
			return err
		})
		if err != nil {
			return err
		}
		os.Remove(path)
	}
	fmt.Printf("round trips of the last put: %s %d, %s %d\n", pitonPostgres, trips[pitonPostgres], saverPostgres, trips[saverPostgres])
	away := fmt.Sprintf(", %d ms away", 2*oneWay.Milliseconds())
	puts.print("put of 1 KB" + away)
	gets.print("get the latest" + away)
	lists.print(fmt.Sprintf("list %d%s", listed, away))
	return nil
}
