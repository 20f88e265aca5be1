package config

import (
	"fmt"
	"math"
	"strconv"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"go.yaml.in/yaml/v3"
)

// runKeys are the settings under run. A project's file sets none: which agent is
// paid for, and what it costs, is its user's.
func runKeys() []key {
	return []key{
		{name: "run.agent", scope: sameForAll, codec: choice(func(c *Config) *string { return &c.Run.Agent }, clients.Names()...)},
		{name: "run.prices", scope: sameForAll, codec: prices()},
	}
}

// serveKeys are the settings under serve, and the name of a project: who claims the name
// goes on with the project's runs.
func serveKeys() []key {
	return []key{
		{name: "project", scope: needsTrust, codec: one(func(c *Config) *string { return &c.ProjectName }, parseText)},
		{name: "serve.runs", scope: sameForAll, codec: one(func(c *Config) *int { return &c.Serve.Runs }, parseWidth)},
		{name: "serve.project_runs", scope: sameForAll, codec: one(func(c *Config) *int { return &c.Serve.Project }, parseCount)},
		{name: "serve.all_homes", scope: sameForAll, codec: one(func(c *Config) *bool { return &c.Serve.AllHomes }, parseBool)},
	}
}

// maxWidth bounds serve.runs.
const maxWidth = 256

func parseWidth(v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 31)
	if err != nil || n < 1 || n > maxWidth {
		return 0, fmt.Errorf("%q is not a number from 1 to %d", v, maxWidth)
	}
	return int(n), nil
}

// prices reads run.prices: a map of models. A price of tokens of the cache that is
// not named is that of the input.
func prices() codec {
	return codec{
		get: func(c *Config) any {
			if c.Run.Prices == nil {
				return map[string]agent.Price{}
			}
			return c.Run.Prices
		},
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			s := strict{l.lines}
			if n.Kind != yaml.MappingNode {
				return false, []error{s.errorf(n, "it wants models with their prices, as in {gpt-5.5: {input: 1.25, output: 10}}")}
			}
			list, errs := map[string]agent.Price{}, []error(nil)
			for _, model := range pairs(n) {
				p, err := price(s, model)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				list[model.name] = p
			}
			if len(list) > 0 {
				c.Run.Prices = list
			}
			return len(list) > 0, errs
		},
	}
}

func price(s strict, model setting) (p agent.Price, err error) {
	fields := map[string]*float64{"input": &p.Input, "output": &p.Output, "cache_read": &p.CacheRead, "cache_write": &p.CacheWrite}
	names := []string{"input", "output", "cache_read", "cache_write"}
	if model.node.Kind != yaml.MappingNode {
		return p, s.errorf(model.node, "the price of %s wants input and output, in dollars for a million tokens, not %s", model.name, kindOf(model.node))
	}
	seen := map[string]bool{}
	for _, x := range pairs(model.node) {
		to, ok := fields[x.name]
		if !ok {
			return p, s.errorf(x.node, "unknown key %q in the price of %s%s", x.name, model.name, didYouMean(x.name, names))
		}
		v, err := strconv.ParseFloat(plain(x.node), 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return p, s.errorf(x.node, "%s of %s is not a price in dollars: %q", x.name, model.name, plain(x.node))
		}
		*to, seen[x.name] = v, true
	}
	for _, name := range names[:2] {
		if !seen[name] {
			return p, s.errorf(model.node, "the price of %s has no %s", model.name, name)
		}
	}
	for _, name := range names[2:] {
		if !seen[name] {
			*fields[name] = p.Input
		}
	}
	return p, nil
}
