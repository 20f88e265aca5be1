package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
)

// peers compares Piton with LangGraph's savers: the same states, one operation
// of each side in turn. Of the parts only those that are named,
// with commas; "": all.
func (l lab) peers(ctx context.Context, only string) error {
	n, err := startNode(ctx)
	if err != nil {
		return err
	}
	defer n.close()
	pgurl, err := postgresURL(ctx, n)
	if err != nil {
		return err
	}
	version, err := n.ask(request{Op: "version"})
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s, %s/%s, %d cores, %d runs of each side, in turn\n", runtime.Version(), version.Settings, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), l.n)
	fmt.Printf("zstd takes 100 messages of a state to %s\n", shrinks(encode(newWriter(1).messages(100))))
	if pgurl != "" && wants(only, "far") {
		if err := l.far(ctx, n, pgurl); err != nil {
			return fmt.Errorf("far away: %w", err)
		}
	}
	for _, part := range []struct {
		name    string
		measure func(context.Context, *stage) error
	}{{"put", putEach}, {"get", getLatest}, {"growth", growEach}} {
		if !wants(only, part.name) {
			continue
		}
		s, err := l.stage(ctx, n, pgurl, part.name)
		if err != nil {
			return err
		}
		if err := errors.Join(part.measure(ctx, s), s.remove()); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// postgresURL is where a cluster is; empty, with the reason on stderr, where the
// comparison does without.
func postgresURL(ctx context.Context, n *node) (string, error) {
	s := stage{node: n, pgurl: os.Getenv("PGURL")}
	if s.pgurl == "" {
		fmt.Fprintln(os.Stderr, "bench: PGURL is not set; the lines of PostgreSQL are left out")
		return "", nil
	}
	where, err := s.database("piton_bench_try")
	if err != nil {
		return "", err
	}
	_, end, err := openPostgres(ctx, where)
	if err == nil {
		end()
	}
	dropped := s.drop("piton_bench_try")
	if errors.Is(err, errNotBuilt) {
		fmt.Fprintf(os.Stderr, "bench: Piton on PostgreSQL is %v; the lines of PostgreSQL are left out\n", err)
		return "", dropped
	}
	return s.pgurl, errors.Join(err, dropped)
}
