package page

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/piton-project/piton/internal/app"
)

// screen is one thing to look at.
type screen struct {
	name   string // of its template
	path   string
	search bool // it needs the search index
	still  bool // it does not change by itself, or costs much: it is drawn once
	load   func(context.Context, *look) (any, error)
}

// look is one look at a screen: what its address names, and an application to ask.
type look struct {
	id, to string
	q      url.Values
	losses *losses
	a      *app.App
}

// number is a number of the address; 0 for none.
func (l *look) number(name string) int {
	n, _ := strconv.Atoi(l.q.Get(name))
	return max(n, 0)
}

// Bounds of what is shown: rows is how many a list has at most, what is behind them is asked
// for; manyRuns is how many runs are looked through for words, and for numbers.
const (
	rows     = 100
	manyRuns = 500
)

// drawEvery is how often a screen is drawn at least: for what no file of the stores tells, a
// client's log and another machine's work.
const drawEvery = 5 * time.Second
