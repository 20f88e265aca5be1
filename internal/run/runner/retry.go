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

// combined is a budget whose fields are made of those of two others.
func combined(a, b plan.Budget, of func(a, b float64) float64) plan.Budget {
	return plan.Budget{
		Tokens:  int64(of(float64(a.Tokens), float64(b.Tokens))),
		CostUSD: of(a.CostUSD, b.CostUSD),
		Time:    plan.Duration(of(float64(a.Time), float64(b.Time))),
		Tries:   int(of(float64(a.Tries), float64(b.Tries))),
	}
}

// used is what was used, as a budget.
func (u Used) used() plan.Budget {
	return plan.Budget{Tokens: u.Tokens.Total(), CostUSD: u.CostUSD, Time: plan.Duration(u.WorkMS) * plan.Duration(time.Millisecond), Tries: u.Tries}
}

// left is what may still be used of budgets; a bound that is used up is negative,
// so that it is told from none.
func left(b plan.Budget, u Used) plan.Budget {
	return combined(b, u.used(), func(bound, used float64) float64 {
		switch {
		case bound <= 0:
			return 0
		case used >= bound:
			return -1
		}
		return bound - used
	})
}

// more is a budget with what was used already: left is b again.
func more(b plan.Budget, u Used) plan.Budget {
	return combined(b, u.used(), func(left, used float64) float64 {
		if left == 0 {
			return 0
		}
		return max(left, 0) + used
	})
}

// tighter is the smaller of two bounds in each field.
func tighter(a, b plan.Budget) plan.Budget {
	return combined(a, b, func(a, b float64) float64 { return min(cmp.Or(a, b), cmp.Or(b, a)) })
}

// raise puts the bounds of more in the place of b's.
func raise(b, more plan.Budget) plan.Budget {
	return combined(b, more, func(b, more float64) float64 { return cmp.Or(max(more, 0), b) })
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
