package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// took holds the durations of one measure by side.
type took map[string][]time.Duration

// putEach measures saves of states of four sizes, each of them wholly new.
func putEach(ctx context.Context, s *stage) error {
	heading()
	w := newWriter(2)
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1 KB", 1 << 10}, {"10 KB", 10 << 10}, {"100 KB", 100 << 10}, {"1 MB", 1 << 20}} {
		t := took{}
		path := filepath.Join(s.lab.dir, "state.json")
		clear(s.encoded)
		for i := range s.lab.n + peerWarmUp {
			// Another name each time: the node process keeps the last it read.
			path := fmt.Sprintf("%s.%s.%d", path, size.name, i)
			if err := os.WriteFile(path, encode(w.ofSize(size.bytes)), 0o600); err != nil {
				return err
			}
			err := s.round(i, func(name string, x side) error {
				d, err := x.put(ctx, "put-"+size.name, path)
				if i >= peerWarmUp {
					t[name] = append(t[name], d)
				}
				return err
			})
			if err != nil {
				return err
			}
			os.Remove(path)
		}
		t.print("put of " + size.name)
		s.printEncoded(size.name)
	}
	return nil
}

// ofSize makes a state whose JSON has about size bytes.
func (w *writer) ofSize(size int) threadState {
	t := threadState{Task: peerTask}
	for left := size - len(encode(t)); left > 0; left -= recordBytes {
		t.Messages = append(t.Messages, w.message(min(left, recordBytes)))
	}
	return t
}

// getLatest measures the load of the newest of many checkpoints of 1 KB.
func getLatest(ctx context.Context, s *stage) error {
	w := newWriter(3)
	path := filepath.Join(s.lab.dir, "latest.json")
	var want string
	for i := range s.lab.among {
		state := encode(w.ofSize(1 << 10))
		want = sumOf(state)
		path := fmt.Sprintf("%s.%d", path, i)
		if err := os.WriteFile(path, state, 0o600); err != nil {
			return err
		}
		err := s.round(i, func(_ string, x side) error { _, err := x.put(ctx, "many", path); return err })
		if err != nil {
			return err
		}
		os.Remove(path)
		s.lab.progress("filling", i+1, s.lab.among)
	}
	return s.gets(ctx, fmt.Sprintf("get the latest of %d, 1 KB", s.lab.among), "many", want)
}

// gets loads the newest state n times, decoded into a program's own types and as the
// bytes it was kept as, compares it, and prints a line for each.
func (s *stage) gets(ctx context.Context, what, thread, want string) error {
	for _, x := range []struct {
		what string
		get  func(side) (time.Duration, string, error)
	}{
		{what, func(x side) (time.Duration, string, error) { return x.get(ctx, thread) }},
		{"the same, as bytes", func(x side) (time.Duration, string, error) { return x.raw(ctx, thread) }},
	} {
		t := took{}
		for i := range s.lab.n + peerWarmUp {
			err := s.round(i, func(name string, side side) error {
				d, sum, err := x.get(side)
				if errors.Is(err, errNoBytes) {
					return nil
				}
				if err == nil && sum != want {
					err = fmt.Errorf("another state came back")
				}
				if i >= peerWarmUp {
					t[name] = append(t[name], d)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		t.print(x.what)
	}
	return nil
}

// growEach measures a thread that grows by 2 KB a step: its saves at the end,
// its newest state, a list of ten of it, and what it takes on disk.
func growEach(ctx context.Context, s *stage) error {
	w := newWriter(4)
	puts := took{}
	state := threadState{Task: peerTask}
	for i := range s.lab.steps {
		m := w.message(recordBytes)
		state.Messages = append(state.Messages, m)
		err := s.round(i, func(name string, x side) error {
			d, err := x.grow(ctx, "grown", peerTask, m)
			puts[name] = append(puts[name], d)
			return err
		})
		if err != nil {
			return err
		}
		s.lab.progress("growing", i+1, s.lab.steps)
	}
	for name, all := range puts {
		puts[name] = all[len(all)-max(len(all)/10, 1):]
	}
	puts.print(fmt.Sprintf("put +2 KB, last tenth of %d", s.lab.steps))
	if err := s.gets(ctx, "get the latest of that thread", "grown", sumOf(encode(state))); err != nil {
		return err
	}
	if err := s.lists(ctx); err != nil {
		return err
	}
	sizes, err := s.bytes()
	if err != nil {
		return err
	}
	printSizes("that thread on disk", sizes)
	return nil
}

func (s *stage) lists(ctx context.Context) error {
	t := took{}
	want := min(listed, s.lab.steps)
	for i := range s.lab.n + peerWarmUp {
		err := s.round(i, func(name string, x side) error {
			d, count, err := x.list(ctx, "grown", listed)
			if err == nil && count != want {
				err = fmt.Errorf("got a list of %d, want %d", count, want)
			}
			if i >= peerWarmUp {
				t[name] = append(t[name], d)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	t.print(fmt.Sprintf("list %d of that thread", listed))
	return nil
}

func heading() {
	fmt.Printf("\n%-30s %-18s %10s %10s  %-23s %10s %10s  %6s  %s\n", "what", "", "p50", "p95", "", "p50", "p95", "ratio", "Piton is")
}

// print writes a line per pair whose both sides were measured.
func (t took) print(what string) {
	for _, p := range pairs {
		a, b := t[p[0]], t[p[1]]
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		mine, other := quantile(a, 0.5), quantile(b, 0.5)
		fmt.Printf("%-30s %-18s %10s %10s  %-23s %10s %10s  %s\n", what, p[0], ms(mine), ms(quantile(a, 0.95)), p[1], ms(other), ms(quantile(b, 0.95)), verdict(float64(mine), float64(other))+fmt.Sprintf(", p10 %s and %s", ms(quantile(a, 0.1)), ms(quantile(b, 0.1))))
	}
}

func printSizes(what string, sizes map[string]int64) {
	for _, p := range pairs {
		a, b := float64(sizes[p[0]]), float64(sizes[p[1]])
		if a == 0 || b == 0 {
			continue
		}
		fmt.Printf("%-30s %-18s %10s %10s  %-23s %10s %10s  %s\n", what, p[0], fmt.Sprintf("%.2f MB", a/1e6), "", p[1], fmt.Sprintf("%.2f MB", b/1e6), "", verdict(a, b))
	}
}

func verdict(mine, other float64) string {
	word := "ahead"
	if mine > other {
		word = "behind"
	}
	return fmt.Sprintf("%6.3f  %s", mine/other, word)
}

// printEncoded says what encoding took of Piton's puts: a program that has the
// JSON already does without.
func (s *stage) printEncoded(size string) {
	for _, name := range []string{pitonSQLite, pitonPostgres} {
		if ds := s.encoded[name]; len(ds) > 0 {
			fmt.Printf("  of %s's put of %s, encoding/json took %s\n", name, size, ms(quantile(ds, 0.5)))
		}
	}
}
