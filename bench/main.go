// Command bench measures the figures of docs/performance.md: each thing beside
// its floor, both alternating in one run, so that a machine whose speed drifts
// is the same for both.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	n := flag.Int("n", 60, "runs of each side")
	only := flag.String("only", "", "only these, with commas: event, detect, turn, save, grown, load, growth, prune, large-store")
	steps := flag.Int("steps", 1000, "saves that growth makes")
	peers := flag.Bool("peers", false, "measure beside LangGraph's savers instead (make bench-peers)")
	large := flag.Int("large", 100_000, "checkpoints of the large store")
	fill := flag.Int("fill", 10_000, "with -peers: checkpoints among which the latest is looked for")
	flag.Parse()
	l := lab{n: max(*n, 1), steps: max(*steps, 1), among: max(*fill, 1), large: max(*large, 1000)}
	measure := func(ctx context.Context, l lab) error { return l.run(ctx, *only) }
	if *peers {
		measure = func(ctx context.Context, l lab) error { return l.peers(ctx) }
	}
	if err := l.in(context.Background(), measure); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// in measures in a folder that is gone afterwards, after an interrupt too: it
// can hold more than a gigabyte.
func (l lab) in(ctx context.Context, measure func(context.Context, lab) error) error {
	dir, err := os.MkdirTemp("", "piton-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		os.RemoveAll(dir)
		os.Exit(130)
	}()
	l.dir = dir
	return measure(ctx, l)
}

// lab is where the measuring is done.
type lab struct {
	dir   string // everything lies in here
	n     int    // runs of each side
	steps int    // saves of a state that grows
	among int    // checkpoints among which the latest is looked for
	large int    // checkpoints of the large store
}

// bin is a program that was built.
func (l lab) bin(name string) string { return filepath.Join(l.dir, "bin", name) }

// row is a line of the table.
type row struct {
	what, against string
	bar           float64 // the ratio, or the figure, to reach; 0: stated only
	got, floor    []time.Duration
	figure        float64 // where it is no time: the figure itself, in unit
	unit          string
}

func (l lab) run(ctx context.Context, only string) error {
	if err := l.build(ctx); err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d cores, %d runs of each side, alternating\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), l.n)
	fmt.Printf("%-52s %9s %9s  %-34s %9s  %6s  %s\n", "what", "p50", "p95", "against", "p50", "ratio", "bar")
	for _, part := range []struct {
		name    string
		measure func(context.Context) ([]row, error)
	}{{"event", l.event}, {"detect", l.detect}, {"turn", l.turn}, {"save", l.save}, {"grown", l.grown}, {"load", l.load}, {"growth", l.growth}, {"prune", l.prune}, {"large-store", l.largeStore}} {
		if only != "" && !slices.Contains(strings.Split(only, ","), part.name) {
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

func (r row) print() {
	bar := "stated"
	if r.bar > 0 {
		bar = strings.TrimSpace(fmt.Sprintf("at most %.1f %s", r.bar, r.unit))
	}
	if r.unit != "" {
		fmt.Printf("%-52s %9s %9s  %-34s %9s  %6s  %s\n", r.what, fmt.Sprintf("%.2f %s", r.figure, r.unit), "", r.against, "", "", bar)
		return
	}
	got, floor := quantile(r.got, 0.5), quantile(r.floor, 0.5)
	fmt.Printf("%-52s %9s %9s  %-34s %9s  %6.2f  %s\n", r.what, ms(got), ms(quantile(r.got, 0.95)), r.against, ms(floor), float64(got)/float64(floor), bar)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

func quantile(ds []time.Duration, q float64) time.Duration {
	s := slices.Sorted(slices.Values(ds))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

// build makes the programs that are measured, as they are installed.
func (l lab) build(ctx context.Context) error {
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(l.dir, "bin")+"/", "./cmd/piton-hook", "./bench/floor", "./bench/empty")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	return c.Run()
}

// process times a whole process, stdin from a file; its output is not kept.
func (l lab) process(dir, stdin string, env []string, argv ...string) (time.Duration, error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = dir
	c.Env = append(l.env(), env...)
	if stdin != "" {
		f, err := os.Open(stdin)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		c.Stdin = f
	}
	start := time.Now()
	out, err := c.Output()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	if strings.HasSuffix(argv[0], "piton-hook") {
		return took, l.checkReply(out)
	}
	return took, nil
}

// env is a clean environment, so that nothing of the caller's is measured.
func (l lab) env() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.dir, "PITON_HOME=" + l.home(), "TMPDIR=" + l.dir, "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@localhost", "GIT_COMMITTER_NAME=b", "GIT_COMMITTER_EMAIL=b@localhost"}
}

func (l lab) home() string { return filepath.Join(l.dir, "home") }

// checkReply refuses figures of a hook that did not work.
func (l lab) checkReply([]byte) error {
	if log, err := os.ReadFile(filepath.Join(l.home(), "piton.log")); err == nil {
		return fmt.Errorf("the hook has logged: %s", log)
	}
	return nil
}
