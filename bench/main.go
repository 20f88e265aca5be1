// Command bench measures the figures of docs/performance.md: each thing beside
// its floor, both alternating in one run, so that a machine whose speed drifts
// is the same for both.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
)

func main() {
	n := flag.Int("n", 60, "runs of each side")
	only := flag.String("only", "", "only these, with commas: event, detect, turn, marks, marks-disk, loaded, save, grown, load, growth, prune, large-store, large-postgres, run, workers, mcp; with -peers: far, put, get, growth")
	steps := flag.Int("steps", 1000, "saves that growth makes")
	peers := flag.Bool("peers", false, "measure beside LangGraph's savers instead (make bench-peers)")
	large := flag.Int("large", 100_000, "checkpoints of the large store")
	repos := flag.String("repos", "", "clones whose commits marks-disk replays, with commas; none: it is left out")
	fill := flag.Int("fill", 10_000, "with -peers: checkpoints among which the latest is looked for")
	flag.Parse()
	l := lab{n: max(*n, 1), steps: max(*steps, 1), among: max(*fill, 1), large: max(*large, 1000), repos: strings.FieldsFunc(*repos, func(r rune) bool { return r == ',' })}
	measure := func(ctx context.Context, l lab) error { return l.run(ctx, *only) }
	if *peers {
		measure = func(ctx context.Context, l lab) error { return l.peers(ctx, *only) }
	}
	if err := l.in(context.Background(), measure); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (l lab) run(ctx context.Context, only string) error {
	if err := l.make(ctx, "./cmd/piton", "./cmd/piton-hook", "./bench/floor", "./bench/empty", "./bench/bareserver"); err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d cores, %d runs of each side, alternating\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), l.n)
	fmt.Printf("%-52s %9s %9s  %-34s %9s  %6s  %s\n", "what", "p50", "p95", "against", "p50", "ratio", "bar")
	for _, part := range []struct {
		name    string
		measure func(context.Context) ([]row, error)
	}{{"event", l.event}, {"detect", l.detect}, {"turn", l.turn}, {"marks", l.marks}, {"marks-disk", l.marksDisk}, {"loaded", l.loaded}, {"save", l.save}, {"grown", l.grown}, {"load", l.load}, {"growth", l.growth}, {"prune", l.prune}, {"large-store", l.largeStore}, {"large-postgres", l.largePostgres}, {"run", l.runs}, {"workers", l.workers}, {"mcp", l.mcp}} {
		if !wants(only, part.name) {
			continue
		}
		rows, err := part.measure(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		for _, r := range rows {
			r.print()
		}
	}
	return nil
}
