package runner

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// The waiting before another try, where the plan does not say.
const (
	retryDelay  = time.Second
	retryFactor = 2
	retryMax    = time.Minute
)

// backoff is how long to wait after so many tries. It grows with each of them up
// to a bound, and has jitter, from half of it to all, so that steps that failed
// together do not come back together. after is what a server has asked for: the
// wait is never shorter.
func backoff(r plan.Retry, tried int, after time.Duration, jitter func() float64) time.Duration {
	d, factor, most := time.Duration(r.Delay), r.Factor, time.Duration(r.Max)
	if d <= 0 {
		d = retryDelay
	}
	if factor < 1 {
		factor = retryFactor
	}
	if most <= 0 {
		most = retryMax
	}
	wait := float64(d)
	for range tried - 1 {
		if wait *= factor; wait >= float64(most) {
			break
		}
	}
	wait = min(wait, float64(most))
	if !r.Exact {
		if jitter == nil {
			jitter = rand.Float64
		}
		wait *= 0.5 + jitter()/2
	}
	return max(time.Duration(wait), after)
}

// left is what may still be used of budgets; a bound that is used up is negative,
// so that it is told from none.
func left(b plan.Budget, u Used) plan.Budget {
	l := plan.Budget{}
	if b.Tokens > 0 {
		l.Tokens = less(b.Tokens - u.Tokens.Total())
	}
	if b.CostUSD > 0 {
		if l.CostUSD = b.CostUSD - u.CostUSD; l.CostUSD <= 0 {
			l.CostUSD = -1
		}
	}
	if b.Time > 0 {
		l.Time = less(b.Time - plan.Duration(time.Duration(u.WorkMS)*time.Millisecond))
	}
	if b.Tries > 0 {
		l.Tries = less(b.Tries - u.Tries)
	}
	return l
}

// less is what is left of a count: never 0, which stands for no bound.
func less[T int | int64 | plan.Duration](n T) T {
	if n <= 0 {
		return -1
	}
	return n
}

// tighter is the smaller of two bounds in each field.
func tighter(a, b plan.Budget) plan.Budget {
	return plan.Budget{
		Tokens: smaller(a.Tokens, b.Tokens), CostUSD: smaller(a.CostUSD, b.CostUSD),
		Time: smaller(a.Time, b.Time), Tries: smaller(a.Tries, b.Tries),
	}
}

func smaller[T int | int64 | float64 | plan.Duration](a, b T) T {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	}
	return min(a, b)
}

// spent is which bound of a run is reached; "" for none.
func spent(b plan.Budget, u Used) piton.RunCause {
	l := left(b, u)
	switch {
	case l.Tokens < 0:
		return piton.CauseBudgetTokens
	case l.CostUSD < 0:
		return piton.CauseBudgetCost
	case l.Time < 0:
		return piton.CauseBudgetTime
	case l.Tries < 0:
		return piton.CauseBudgetTries
	}
	return ""
}

// usedUp says which bound is reached; "" for none.
func usedUp(b plan.Budget, u Used) string {
	switch spent(b, u) {
	case piton.CauseBudgetTokens:
		return fmt.Sprintf("the budget of tokens is used up: %d of %d", u.Tokens.Total(), b.Tokens)
	case piton.CauseBudgetCost:
		return fmt.Sprintf("the budget of money is used up: $%.2f of $%.2f", u.CostUSD, b.CostUSD)
	case piton.CauseBudgetTime:
		return fmt.Sprintf("the budget of time is used up: %s of %s", worked(u), time.Duration(b.Time))
	case piton.CauseBudgetTries:
		return fmt.Sprintf("the budget of tries is used up: %d of %d", u.Tries, b.Tries)
	}
	return ""
}

// worked is how long it was worked, as exactly as it matters.
func worked(u Used) time.Duration {
	d := time.Duration(u.WorkMS) * time.Millisecond
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// raise puts the bounds of more in the place of b's.
func raise(b, more plan.Budget) plan.Budget {
	if more.Tokens > 0 {
		b.Tokens = more.Tokens
	}
	if more.CostUSD > 0 {
		b.CostUSD = more.CostUSD
	}
	if more.Time > 0 {
		b.Time = more.Time
	}
	if more.Tries > 0 {
		b.Tries = more.Tries
	}
	return b
}
