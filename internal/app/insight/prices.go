package insight

import (
	"cmp"
	_ "embed" // prices.yaml
	"regexp"
	"strings"
	"sync"
	"time"

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

// ownPrices is the setting by which a person says what tokens cost.
const ownPrices = "run.prices"

// priceOf is the price of a request: by the settings, else by the list. The price of a client in
// the settings stands for all of its models that have none there.
func priceOf(own map[string]agent.Price, client string, r agent.Request) (price listPrice, known bool) {
	for _, name := range []string{r.Model, client} {
		if p, ok := own[name]; ok && name != "" {
			return listPrice{Input: p.Input, Output: p.Output, Read: p.CacheRead, Write: p.CacheWrite, Source: ownPrices}, true
		}
	}
	list, _ := listPrices()
	model := snapshot.ReplaceAllString(strings.TrimSuffix(r.Model, "[1m]"), "")
	day, prompt := r.At.UTC().Format(time.DateOnly), r.Usage.Total()-r.Usage.Output
	for _, x := range list {
		better := x.Over > price.Over || x.Over == price.Over && x.From >= price.From
		if x.Model == model && x.From <= day && x.Over < max(prompt, 1) && better {
			price, known = x, true
		}
	}
	return price, known
}

// cost is what a request costs, in US dollars.
func (p listPrice) cost(r agent.Request) float64 {
	short := agent.Price{Input: p.Input, Output: p.Output, CacheRead: p.Read, CacheWrite: p.Write}.Of(r.Usage)
	return short + (cmp.Or(p.Hour, p.Write)-p.Write)*float64(min(r.Hour, r.Usage.CacheWrite))/1e6
}
