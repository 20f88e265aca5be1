package headless

import (
	"cmp"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
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

// unpriced says why a cost is not known.
func unpriced(c client.Client, model string) string {
	model = cmp.Or(model, c.Name())
	return fmt.Sprintf("run.prices has no price of %s", model)
}
