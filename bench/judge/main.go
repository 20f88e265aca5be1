// Command judge measures the debriefs on labelled turns: each was recorded with the
// three real clients, and says what a senior engineer would do at its stop, and
// why (turns/*.txtar). Beside Piton stand two plain stop hooks: one that holds
// every turn with an edit once, and one that looks for a test command anywhere in
// the log.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
)

func main() {
	program := flag.String("piton", "", "judge with this piton instead of the code of this tree")
	folder := flag.String("turns", "bench/judge/turns", "the labelled turns")
	flag.Parse()
	if err := measure(context.Background(), *folder, *program); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, folder, program string) error {
	turns, err := load(folder)
	if err != nil {
		return err
	}
	judges := []judge{
		{"piton", piton},
		{"holds every turn with an edit", func(context.Context, turn) (bool, string, error) { return true, "", nil }},
		{"looks for a test command in the log", mentionsTests},
	}
	if program != "" {
		judges[0] = judge{program, other(program)}
	}
	out := tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', 0)
	fmt.Fprintf(out, "stop hook\tturns\tright\tfalse holds\tfalse passes\tmodel calls more\tof them for nothing\n")
	for _, j := range judges {
		s, err := j.over(ctx, turns)
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		fmt.Fprintf(out, "%s\t%d\t%.1f %%\t%d\t%d\t%d\t%d\n", j.name, len(turns), 100*float64(len(turns)-s.held-s.passed)/float64(len(turns)), s.held, s.passed, s.holds, s.held)
		if j.name == judges[0].name {
			defer s.print()
		}
	}
	return out.Flush()
}

// judge is a stop hook: hold tells whether it holds a turn, and what it says.
type judge struct {
	name string
	hold func(context.Context, turn) (hold bool, said string, err error)
}

// score is what a judge got wrong. A hold is one more call of the model at least.
type score struct {
	held, passed, holds int
	wrong               []string
}

func (j judge) over(ctx context.Context, turns []turn) (s score, err error) {
	for _, t := range turns {
		hold, said, err := j.hold(ctx, t)
		if err != nil {
			return s, fmt.Errorf("%s (%s): %w", t.name, t.client, err)
		}
		if hold {
			s.holds++
		}
		switch {
		case hold && !t.hold:
			s.held++
			s.wrong = append(s.wrong, fmt.Sprintf("held falsely: %s (%s), though %s: %s", t.name, t.client, t.why, said))
		case !hold && t.hold:
			s.passed++
			s.wrong = append(s.wrong, fmt.Sprintf("let go falsely: %s (%s), though %s: %s", t.name, t.client, t.why, said))
		}
	}
	return s, nil
}

func (s score) print() {
	for _, w := range s.wrong {
		fmt.Println(w)
	}
}
