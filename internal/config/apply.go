package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/agent"
)

// layer applies a document.
func (c *Config) layer(d document, l layer) {
	if d.err != nil {
		c.problem(l.from, "%w", d.err)
	}
	l.lines = true
	var others []setting // after our own, which win
	for _, s := range d.settings {
		k, ok := find(s.name)
		_, isOther := findOther(s.name)
		switch {
		case ok && l.may(k) != nil:
			c.problem(l.from, "%s %w", s.name, l.may(k))
			if k.scope == needsTrust {
				c.leaveOut(s.name)
			}
		case ok:
			c.apply(k, s.node, l)
		case isOther && !l.fromUser:
			c.problem(l.from, "%s %w", s.name, l.may(key{scope: sameForAll}))
		case isOther:
			others = append(others, s)
		case s.name == projectsKey && l.fromUser && s.node.Kind == yaml.MappingNode: // see words
		default:
			c.problem(l.from, "%s", unknown(s))
		}
	}
	for _, s := range others {
		o, _ := findOther(s.name)
		c.applyOther(o, plain(s.node), l.from)
	}
}

// apply sets one key.
func (c *Config) apply(k key, n *yaml.Node, l layer) {
	c.own[k.name] = true
	if k.list != nil {
		set, errs := k.list(c, n, l)
		for _, err := range errs {
			c.problem(l.from, "%s: %w", k.name, err)
			if errors.Is(err, ErrUntrusted) {
				c.leaveOut(k.name)
			}
		}
		if set {
			c.setFrom(k, l.from)
		}
		return
	}
	if kind := kindOf(n); n.Kind != yaml.ScalarNode {
		c.problem(l.from, "%s: it wants one value, not %s", k.name, kind)
		return
	}
	was := c.Debrief
	if err := k.set(c, plain(n)); err != nil {
		c.problem(l.from, "%s: %w", k.name, err)
		return
	}
	if l.adds() && reflect.DeepEqual(was, c.Debrief) {
		return // it says what is so anyway
	}
	if l.adds() && k.keeps != nil && !k.keeps(&was, &c.Debrief) {
		c.Debrief = was
		c.problem(l.from, "%s %w", k.name, errWeaker)
		c.leaveOut(k.name)
		return
	}
	c.setFrom(k, l.from)
}

func (c *Config) applyOther(o spelling, v, path string) {
	if c.own[o.ours] {
		return
	}
	value, err := o.read(v)
	k, ok := find(o.ours)
	if err == nil && ok {
		err = k.set(c, value)
	}
	switch {
	case err != nil:
		c.problem(path, "%s: %w", o.name, err)
	case ok:
		c.From[k.name] = path + " (" + o.name + ")"
	default:
		c.From[o.name] = path
	}
}

// setFrom notes where a value is from.
func (c *Config) setFrom(k key, from string) {
	if was := c.From[k.name]; k.adds && was != "" && was != from {
		from = was + ", " + from
	}
	c.From[k.name] = from
}

func (c *Config) environment(p Places) {
	for _, k := range keys() {
		name := EnvName(k.name)
		v := p.Getenv(name)
		if v == "" {
			continue
		}
		if k.scope == userOnly {
			c.problem(name, "%s %w", k.name, errOwn)
			continue
		}
		n, err := variable(k, v)
		if err != nil {
			c.problem(name, "%s: %w", k.name, err)
			continue
		}
		c.apply(k, n, layer{from: name, fromUser: true})
	}
	c.unknownVariables(p.Environ)
}

// variable reads a variable's text: of a key that holds a list YAML in the flow
// style, [a, b], or one value as it stands.
func variable(k key, v string) (*yaml.Node, error) {
	if k.list == nil || !strings.HasPrefix(v, "[") && !strings.HasPrefix(v, "{") {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}, nil
	}
	n, err := parse([]byte(v))
	if err != nil {
		return nil, fmt.Errorf("%q is not a list such as [a, b]: %w", v, err)
	}
	return n, nil
}

// ownVariables are those that Piton reads or sets, and that are not settings: those of a
// step are in the environment of what it starts.
var ownVariables = append([]string{"PITON_HOME", "PITON_PAGER", "PITON_EPISODE", "PITON_VERIFYING", agent.ResumesEnv,
	agent.RunEnv, agent.StepEnv, agent.GateEnv, "PITON_ATTEMPT", "PITON_IDEMPOTENCY_KEY", "PITON_WORDS"}, agent.ListenerVariables...)

// unknownVariables names variables that look like settings and are none.
func (c *Config) unknownVariables(environ []string) {
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, v, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(name, "PITON_")
		ofTests := strings.HasPrefix(rest, "TEST_") || strings.HasPrefix(rest, "E2E_")
		if !ours || v == "" || ofTests || slices.Contains(ownVariables, name) {
			continue
		}
		if !slices.ContainsFunc(keys(), func(k key) bool { return EnvName(k.name) == name }) {
			c.problem("the environment", "unknown variable %s%s", name, suggestVariable(name))
		}
	}
}
