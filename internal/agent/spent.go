package agent

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/piton-project/piton"
)

// Spent is what requests to a model have used: those that are priced alike, of the agent
// itself or of one of its subagents.
type Spent struct {
	Model    string           `json:"model,omitempty"`          // as the client names it; absent: it does not say
	Subagent string           `json:"subagent,omitempty"`       // the client's id of the subagent; absent: the agent itself
	Over     int64            `json:"prompt_over,omitempty"`    // their prompts were longer than so many tokens, by which some models are priced; absent: not longer than 100,000
	Usage    piton.TokenUsage `json:"token_usage"`              // of them all
	Hour     int64            `json:"cache_write_1h,omitempty"` // of the tokens that were written to the cache, those that stay an hour
}

// Request is what one request to a model has used. Lines with the same ID tell of the same
// request, the later ones more of it; a copy of a log has the same ones.
type Request struct {
	ID string
	At time.Time
	Spent
}

// promptSteps are the lengths of prompts beyond which makers of models ask other prices.
var promptSteps = []int64{100_000, 200_000, 272_000}

// Bounds of what is kept of the models of a turn.
const (
	maxModel = 100 // bytes of a name
	maxSpent = 40  // kinds of requests in a turn; the rest counts as of a model that is not known
)

// Spend is what one request has used. model is as the log has it.
func Spend(model, subagent string, u piton.TokenUsage, hour int64) Spent {
	s := Spent{Model: modelName(model), Subagent: subagent, Usage: u, Hour: min(hour, u.CacheWrite)}
	prompt := u.Total() - u.Output
	for _, step := range promptSteps {
		if prompt > step {
			s.Over = step
		}
	}
	return s
}

// modelName is a model's name as it can be shown; a log may hold anything.
func modelName(s string) string {
	return piton.Cut(strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) && r != unicode.ReplacementChar {
			return r
		}
		return -1
	}, s), maxModel)
}

// Merged is what both tell of one request: the later line of a log tells more.
func (s Spent) Merged(t Spent) Spent {
	u, v := s.Usage, t.Usage
	u = piton.TokenUsage{Input: max(u.Input, v.Input), Output: max(u.Output, v.Output), CacheRead: max(u.CacheRead, v.CacheRead), CacheWrite: max(u.CacheWrite, v.CacheWrite)}
	return Spend(cmp.Or(s.Model, t.Model), s.Subagent, u, max(s.Hour, t.Hour))
}

// AddSpent adds what a request has used to what others have.
func AddSpent(list []Spent, s Spent) []Spent {
	if s.Usage == (piton.TokenUsage{}) {
		return list
	}
	at := func() int {
		return slices.IndexFunc(list, func(x Spent) bool {
			return x.Model == s.Model && x.Subagent == s.Subagent && x.Over == s.Over
		})
	}
	i := at()
	if i < 0 && len(list) >= maxSpent {
		s = Spent{Usage: s.Usage, Hour: s.Hour}
		i = at()
	}
	if i < 0 {
		return append(list, s)
	}
	list[i].Usage, list[i].Hour = list[i].Usage.Plus(s.Usage), list[i].Hour+s.Hour
	return list
}
