package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/debrief"
	"go.yaml.in/yaml/v3"
)

// rules reads debrief.rules: those of a layer come behind those before; one of
// the same name takes its place. A bad one is left out, the others count.
func rules() codec {
	return codec{
		adds: true,
		get:  func(c *Config) any { return c.Debrief.Rules },
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			var errs []error
			seen := map[string]bool{}
			builtin := debrief.Builtin()
			for i, item := range items(n) {
				r, err := rule(item, l)
				if err == nil && seen[r.Name] {
					err = strict{l.lines}.errorf(item, "there is one of this name already")
				}
				if err == nil && r.Off && l.adds() {
					err = errWeaker
				}
				if err != nil {
					errs = append(errs, fmt.Errorf("%s is left out: %w", ruleLabel(item, i), err))
					continue
				}
				seen[r.Name] = true
				if l.adds() {
					if c.addRule(r, builtin, l.from) && !l.earlier {
						errs = append(errs, notReplacedError(r.Name))
					}
					continue
				}
				c.Layers[r.Name] = l.from
				same := func(x debrief.Rule) bool {
					return strings.EqualFold(strings.TrimSpace(x.Name), strings.TrimSpace(r.Name))
				}
				if at := slices.IndexFunc(c.Debrief.Rules, same); at >= 0 {
					c.Debrief.Rules[at] = r
				} else {
					c.Debrief.Rules = append(c.Debrief.Rules, r)
				}
			}
			return len(seen) > 0, errs
		},
	}
}

// addRule adds a rule that may take no other's place, and reports whether it bears
// the name of one.
func (c *Config) addRule(r debrief.Rule, builtin []debrief.Rule, from string) (named bool) {
	r.Beside = true
	for _, have := range slices.Concat(builtin, c.Debrief.Rules) {
		plain := have
		plain.Beside, plain.Untrusted = r.Beside, r.Untrusted
		if reflect.DeepEqual(plain, r) {
			return false // it was said before
		}
		named = named || !have.Beside && strings.EqualFold(strings.TrimSpace(have.Name), strings.TrimSpace(r.Name))
	}
	c.Debrief.Rules = append(c.Debrief.Rules, r)
	if c.Layers[r.Name] == "" {
		c.Layers[r.Name] = from
	}
	return named
}

func rule(n *yaml.Node, l layer) (debrief.Rule, error) {
	var r debrief.Rule
	s := strict{l.lines}
	if n.Kind != yaml.MappingNode {
		return r, s.errorf(n, "a rule wants keys with values, not %s", kindOf(n))
	}
	if err := s.fields(n, reflect.ValueOf(&r).Elem()); err != nil {
		return r, err
	}
	r.Untrusted = !l.fromUser && !l.trusted
	return r, s.wrap(n, r.Check())
}

// ruleLabel names a rule that could not be read.
func ruleLabel(n *yaml.Node, i int) string {
	for _, p := range pairs(n) {
		if p.name == "name" && p.node.Value != "" {
			return fmt.Sprintf("the rule %q", p.node.Value)
		}
	}
	return fmt.Sprintf("rule %d", i+1)
}
