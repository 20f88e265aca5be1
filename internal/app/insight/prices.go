package insight

import (
	"cmp"
	_ "embed" // prices.yaml
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/agent"
)

// listPrice is what a million tokens of a model cost, and who says so.
type listPrice struct {
	Model   string  `yaml:"model"`
	From    string  `yaml:"from"`
	Over    int64   `yaml:"over"`
	Input   float64 `yaml:"input"`
	Output  float64 `yaml:"output"`
	Read    float64 `yaml:"cache_read"`
	Write   float64 `yaml:"cache_write"`
	Hour    float64 `yaml:"cache_write_1h"`
	Checked string  `yaml:"checked"`
	Source  string  `yaml:"source"`
}

//go:embed prices.yaml
var pricesFile []byte

// listPrices are the prices of prices.yaml, and the day of the newest of them.
var listPrices = sync.OnceValues(func() (list []listPrice, date string) {
	var file struct {
		Date   string      `yaml:"date"`
		Models []listPrice `yaml:"models"`
	}
	if err := yaml.Unmarshal(pricesFile, &file); err != nil {
		panic(err) // the file is part of the program
	}
	return file.Models, file.Date
})

// snapshot is the day behind the name of a model, which its price does not depend on.
var snapshot = regexp.MustCompile(`-(\d{8}|\d{4}-\d\d-\d\d)$`)

// prices are what tokens cost: by the settings, else by the list.
type prices struct{ set map[string]agent.Price }

// prices are those in force for the caller.
func (a Insight) prices() prices { return prices{a.Config("").Run.Prices} }

// of is the price of what was used on a day. The price of a client in the settings stands for
// all of its models that have none there.
func (p prices) of(client, day string, s agent.Spent) (price listPrice, known bool) {
	for _, name := range []string{s.Model, client} {
		if own, ok := p.set[name]; ok && name != "" {
			return listPrice{Input: own.Input, Output: own.Output, Read: own.CacheRead, Write: own.CacheWrite, Source: "run.prices"}, true
		}
	}
	list, _ := listPrices()
	model := snapshot.ReplaceAllString(strings.TrimSuffix(s.Model, "[1m]"), "")
	for _, x := range list {
		better := x.Over > price.Over || x.Over == price.Over && x.From >= price.From
		if x.Model == model && x.From <= day && x.Over <= s.Over && better {
			price, known = x, true
		}
	}
	return price, known
}

// cost is what tokens cost, in US dollars.
func (p listPrice) cost(s agent.Spent) float64 {
	short := agent.Price{Input: p.Input, Output: p.Output, CacheRead: p.Read, CacheWrite: p.Write}.Of(s.Usage)
	return short + (cmp.Or(p.Hour, p.Write)-p.Write)*float64(s.Hour)/1e6
}

// spentAt is what a turn had used at a stop; of a stop of an older version the model is not known.
func spentAt(d agent.Decision) []agent.Spent {
	if len(d.Spent) > 0 {
		return d.Spent
	}
	return []agent.Spent{{Usage: d.Usage}}
}
