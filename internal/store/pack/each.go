package pack

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxWorkers bounds the goroutines that work on one state, and so the encoders that
// are kept.
const maxWorkers = 4

// workers is how many goroutines work on one state at most.
func workers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }

// each calls do for every content, for large ones on several cores. After an error
// the rest may be left out.
func each(contents [][]byte, do func(i int) error) error {
	size := 0
	for _, c := range contents {
		size += len(c)
	}
	n := min(workers(), len(contents))
	if size < Small || n < 2 {
		for i := range contents {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	work := func() error {
		for i := int(next.Add(1)) - 1; i < len(contents); i = int(next.Add(1)) - 1 {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	var wg sync.WaitGroup
	errs := make([]error, n)
	for w := 1; w < n; w++ {
		wg.Go(func() { errs[w] = work() })
	}
	errs[0] = work()
	wg.Wait()
	return errors.Join(errs...)
}
