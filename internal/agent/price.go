package agent

import (
	"cmp"
	"time"

	"github.com/piton-project/piton"
)

// Price is what a million tokens of a model cost, in US dollars.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

// Of is what tokens cost.
func (p Price) Of(u piton.TokenUsage) float64 {
	return (p.Input*float64(u.Input) + p.Output*float64(u.Output) + p.CacheRead*float64(u.CacheRead) + p.CacheWrite*float64(u.CacheWrite)) / 1e6
}

// Request is what one request to a model has used. Lines with the same ID tell of the same
// request, the later ones more of it; a copy of a log has the same ones.
type Request struct {
	ID       string
	At       time.Time
	Model    string // as the client names it; "": it does not say
	Subagent string // the client's id of the subagent; "": the agent itself
	Usage    piton.TokenUsage
	Hour     int64 // of the tokens that were written to the cache, those that stay an hour
}

// Merged is what two lines tell of one request.
func (r Request) Merged(s Request) Request {
	u, v := r.Usage, s.Usage
	r.Usage = piton.TokenUsage{Input: max(u.Input, v.Input), Output: max(u.Output, v.Output), CacheRead: max(u.CacheRead, v.CacheRead), CacheWrite: max(u.CacheWrite, v.CacheWrite)}
	r.Model, r.Hour = cmp.Or(r.Model, s.Model), max(r.Hour, s.Hour)
	return r
}
