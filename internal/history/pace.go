package history

import "time"

// A step of a long work takes between these times where it can; other savers
// wait for one step at most.
const (
	stepShort = 10 * time.Millisecond
	stepLong  = 25 * time.Millisecond
)

// Bounds of the size of a step.
const (
	stepFirst = 8
	stepMost  = 64
)

// pace sizes the steps of a long work by what they take, and lets other savers
// go first between them.
type pace struct {
	n   int
	now func() time.Time
}

func newPace(now func() time.Time) pace { return pace{stepFirst, now} }

func (p *pace) size() int { return p.n }

// do runs a step. Afterwards it waits a little: a saver that waits for its turn
// must be woken before it can take it, and the next step would be faster.
func (p *pace) do(step func() error) error {
	begin := p.now()
	err := step()
	took := p.now().Sub(begin)
	switch {
	case took > stepLong:
		p.n = max(p.n/2, 1)
	case took < stepShort:
		p.n = min(p.n*2, stepMost)
	}
	if err == nil {
		time.Sleep(min(took/4, giveWay) + time.Millisecond)
	}
	return err
}

// giveWay is more than it takes to wake a process.
const giveWay = 4 * time.Millisecond
