package runner

import (
	"cmp"
	"fmt"
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
	d, most, factor := cmp.Or(max(time.Duration(r.Delay), 0), retryDelay), cmp.Or(max(time.Duration(r.Max), 0), retryMax), r.Factor
	if factor < 1 {
		factor = retryFactor
	}
	wait := float64(d)
	for range tried - 1 {
		if wait *= factor; wait >= float64(most) {
			break
		}
	}
	wait = min(wait, float64(most))
	if !r.Exact {
		wait *= 0.5 + jitter()/2
	}
	return max(time.Duration(wait), after)
}

// left is what may still be used of budgets; a bound that is used up is negative,
// so that it is told from none.
func left(b plan.Budget, u Used) plan.Budget {
	return plan.Budget{
		Tokens: rest(b.Tokens, u.Tokens.Total()), CostUSD: rest(b.CostUSD, u.CostUSD),
		Time: rest(b.Time, u.time()), Tries: rest(b.Tries, u.Tries),
	}
}

func rest[T int | int64 | float64 | plan.Duration](bound, used T) T {
	switch {
	case bound <= 0:
		return 0
	case used >= bound:
		return -1
	}
	return bound - used
}

// more is a budget with what was used already: left is b again.
func more(b plan.Budget, u Used) plan.Budget {
	return plan.Budget{
		Tokens: restored(b.Tokens, u.Tokens.Total()), CostUSD: restored(b.CostUSD, u.CostUSD),
		Time: restored(b.Time, u.time()), Tries: restored(b.Tries, u.Tries),
	}
}

func restored[T int | int64 | float64 | plan.Duration](left, used T) T {
	if left == 0 {
		return 0
	}
	return max(left, 0) + used
}

func (u Used) time() plan.Duration { return plan.Duration(u.WorkMS) * plan.Duration(time.Millisecond) }

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

// spent is which bound of a budget is reached, and what people are told of it; "" for none.
func spent(b plan.Budget, u Used) (cause piton.RunCause, why string) {
	l := left(b, u)
	switch {
	case l.Tokens < 0:
		return piton.CauseBudgetTokens, fmt.Sprintf("the budget of tokens is used up: %d of %d", u.Tokens.Total(), b.Tokens)
	case l.CostUSD < 0:
		return piton.CauseBudgetCost, fmt.Sprintf("the budget of money is used up: $%.2f of $%.2f", u.CostUSD, b.CostUSD)
	case l.Time < 0:
		return piton.CauseBudgetTime, fmt.Sprintf("the budget of time is used up: %s of %s", worked(u), time.Duration(b.Time))
	case l.Tries < 0:
		return piton.CauseBudgetTries, fmt.Sprintf("the budget of tries is used up: %d of %d", u.Tries, b.Tries)
	}
	return "", ""
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
	return plan.Budget{
		Tokens: cmp.Or(max(more.Tokens, 0), b.Tokens), CostUSD: cmp.Or(max(more.CostUSD, 0), b.CostUSD),
		Time: cmp.Or(max(more.Time, 0), b.Time), Tries: cmp.Or(max(more.Tries, 0), b.Tries),
	}
}
