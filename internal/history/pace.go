package history

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/piton-project/piton"
)

// Why a verb stopped before its end.
const (
	StoppedInterrupted = "interrupted"
	StoppedTime        = "time"
	StoppedError       = "error"
)

// stopped says why a verb ended with an error.
func stopped(ctx context.Context) string {
	if ctx.Err() != nil {
		return StoppedInterrupted
	}
	return StoppedError
}

// counter counts what is done towards a total; progress may be nil.
func counter(progress func(done, total int64), total int) func(n int) {
	var done int64
	return func(n int) {
		if done += int64(n); progress != nil {
			progress(done, int64(total))
		}
	}
}

// A step of a long work takes between these times where it can; other savers
// wait for one step at most.
const (
	minStepTime = 10 * time.Millisecond
	maxStepTime = 25 * time.Millisecond
)

// Bounds of the size of a step.
const (
	firstStep = 8
	maxStep   = 64
)

// maxPause is more than it takes to wake a process.
const maxPause = 4 * time.Millisecond

// pace sizes the steps of a long work by what they take, and lets other savers
// go first between them. The zero pace is ready for use.
type pace struct{ size int }

// batches cuts a list into steps.
func (p *pace) batches(list []piton.Checkpoint) iter.Seq[[]piton.Checkpoint] {
	return func(yield func([]piton.Checkpoint) bool) {
		for len(list) > 0 {
			p.size = cmp.Or(p.size, firstStep)
			n := min(p.size, len(list))
			batch := list[:n]
			if list = list[n:]; !yield(batch) {
				return
			}
		}
	}
}

// do runs a step. Afterwards it waits a little: a saver that waits for its turn
// must be woken before it can take it, and the next step would be faster.
func (p *pace) do(step func() error) error {
	begin := time.Now()
	err := step()
	took := time.Since(begin)
	switch {
	case took > maxStepTime:
		p.size = max(p.size/2, 1)
	case took < minStepTime:
		p.size = min(p.size*2, maxStep)
	}
	if err == nil {
		time.Sleep(min(took/4, maxPause) + time.Millisecond)
	}
	return err
}
