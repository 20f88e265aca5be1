package headless

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// of is what a process has used so far, and what that cost, as far as it is known.
func (w *work) of(p client.Progress) (u piton.TokenUsage, cost float64, known bool) {
	u = p.Usage
	if p.Cumulative {
		u = minus(p.Usage, w.memory.Counted)
	}
	if u.Total() == 0 {
		return u, 0, true
	}
	if w.o.client.PricesItself() && p.CostUSD > 0 {
		return u, p.CostUSD, true
	}
	price, known := w.a.price(w.o.client, w.model(p))
	return u, price.Of(u), known
}

// price is what a model costs: its own price, else the one that is set for all
// models of its client. There is no third: a price is never guessed.
func (a *Agent) price(c client.Client, model string) (agent.Price, bool) {
	if p, ok := a.Prices[model]; ok && model != "" {
		return p, true
	}
	p, ok := a.Prices[c.Name()]
	return p, ok
}

// model is the one that the client works with, as far as it is known.
func (w *work) model(p client.Progress) string {
	switch {
	case p.Model != "":
		return p.Model
	case w.memory.Model != "":
		return w.memory.Model
	}
	return w.o.task.Model
}

// settle counts what a process has used that has ended. One that was broken off, or
// that tells the usage of its whole session, has its log counted instead, where
// that tells more.
func (w *work) settle(p client.Progress, began time.Time) {
	w.memory.Open = false
	u, cost, known := w.of(p)
	if !p.Done || p.Cumulative {
		if logged, ok := w.logged(began); ok && (p.Cumulative && logged.Total() > 0 || logged.Total() > u.Total()) {
			price, priced := w.a.price(w.o.client, w.model(p))
			u, cost, known = logged, price.Of(logged), priced
		}
	}
	if p.Cumulative && p.Done {
		w.memory.Counted = p.Usage
	}
	w.count(u, cost, known, w.model(p))
}

// count adds to what this attempt has used.
func (w *work) count(u piton.TokenUsage, cost float64, known bool, model string) {
	if !known && u.Total() > 0 {
		if price, ok := w.a.price(w.o.client, model); ok {
			cost, known = price.Of(u), true
		}
	}
	w.used = w.used.Plus(u)
	w.cost += cost
	if !known && u.Total() > 0 {
		w.unpriced = unpriced(w.o.client, model)
	}
}

// logged is what the client's log says was used since a time.
func (w *work) logged(since time.Time) (piton.TokenUsage, bool) {
	path := w.log()
	if path == "" {
		return piton.TokenUsage{}, false
	}
	t, err := w.o.client.Transcript(path, since, 0)
	if err != nil || t.Unreadable != "" {
		return piton.TokenUsage{}, false
	}
	return t.Usage, true
}

// log finds the client's log of the session; "" where there is none.
func (w *work) log() string {
	folder, pattern := w.o.client.Settings().Folder(w.o.getenv), w.o.client.LogOf(w.note.Session)
	if folder == "" || pattern == "" {
		return ""
	}
	found, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		return ""
	}
	newest, at := "", time.Time{}
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && (newest == "" || info.ModTime().After(at)) {
			newest, at = path, info.ModTime()
		}
	}
	return newest
}

// over reports a budget that is used up.
func (w *work) over(p client.Progress) error {
	u, cost, _ := w.of(p)
	u, cost = w.used.Plus(u), w.cost+cost
	if most := w.c.Left.Tokens; most > 0 && u.Total() > most {
		return overBudget("the budget of %d tokens is used up: %s has used %d", most, w.note.Agent, u.Total())
	}
	if most := w.c.Left.CostUSD; most > 0 && cost > most {
		return overBudget("the budget of $%.2f is used up: %s has cost $%.2f", most, w.note.Agent, cost)
	}
	return nil
}

// affordable refuses a budget of money that nobody can keep: one of a model without
// a price. Before the client has begun, its model may not be known.
func (w *work) affordable(model string, before bool) error {
	if w.c.Left.CostUSD <= 0 || w.o.client.PricesItself() {
		return nil
	}
	notYetKnown := before && model == "" && w.o.client.TakesID() && len(w.a.Prices) > 0
	if _, ok := w.a.price(w.o.client, model); ok || notYetKnown {
		return nil
	}
	return finally("the budget of $%.2f cannot be kept: %s", w.c.Left.CostUSD, unpriced(w.o.client, model))
}

// minus is what one count has more than another; a count that fell began anew.
func minus(u, v piton.TokenUsage) piton.TokenUsage {
	if u.Input < v.Input || u.Output < v.Output || u.CacheRead < v.CacheRead || u.CacheWrite < v.CacheWrite {
		return u
	}
	return piton.TokenUsage{Input: u.Input - v.Input, Output: u.Output - v.Output, CacheRead: u.CacheRead - v.CacheRead, CacheWrite: u.CacheWrite - v.CacheWrite}
}

// more is what one count has more than another, each kind for itself.
func more(u, v piton.TokenUsage) piton.TokenUsage {
	return piton.TokenUsage{
		Input: max(u.Input-v.Input, 0), Output: max(u.Output-v.Output, 0), CacheRead: max(u.CacheRead-v.CacheRead, 0), CacheWrite: max(u.CacheWrite-v.CacheWrite, 0),
	}
}

// keep notes how far this attempt is.
func (w *work) keep(ctx context.Context, p client.Progress) error {
	u, cost, _ := w.of(p)
	w.memory.Told = u
	n := w.outcome().Note
	n.Usage, n.CostUSD = n.Usage.Plus(u), n.CostUSD+cost
	w.noted = w.a.now()
	if w.c.Note == nil {
		return nil
	}
	return w.c.Note(ctx, n)
}
