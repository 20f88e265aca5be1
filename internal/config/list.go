package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// items are a list's values; one value alone is a list of one.
func items(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind != yaml.SequenceNode:
		return []*yaml.Node{n}
	}
	var list []*yaml.Node
	for _, item := range n.Content {
		list = append(list, target(item))
	}
	return list
}

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
					errs = append(errs, fmt.Errorf("%s is left out: %w", called(item, i), err))
					continue
				}
				seen[r.Name] = true
				if l.adds() {
					if c.addRule(r, builtin, l.from) && !l.stood {
						errs = append(errs, besideError(r.Name))
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

// besideError is the problem of the rule of this name, which would replace
// another.
type besideError string

func (name besideError) Error() string {
	return fmt.Sprintf("the rule %q counts beside the one of its name, and takes its place only in a file that is trusted; look at it and run 'piton trust'", string(name))
}

func (besideError) Is(target error) bool { return target == ErrUntrusted }

// addRule adds a rule that may take no other's place, and tells whether it bears
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
	r.Untrusted = !l.mine && !l.trusted
	return r, s.wrap(n, r.Check())
}

// called names a rule that could not be read.
func called(n *yaml.Node, i int) string {
	for _, p := range pairs(n) {
		if p.name == "name" && p.node.Value != "" {
			return fmt.Sprintf("the rule %q", p.node.Value)
		}
	}
	return fmt.Sprintf("rule %d", i+1)
}

// texts reads a list of texts that are not empty.
func texts(n *yaml.Node, l layer) ([]string, error) {
	var list []string
	s := strict{l.lines}
	if n == nil {
		return nil, nil
	}
	if err := s.decode(n, reflect.ValueOf(&list).Elem(), "it"); err != nil {
		return nil, err
	}
	for i, x := range list {
		if list[i] = strings.TrimSpace(x); list[i] == "" {
			return nil, s.errorf(n, "one of the texts is empty")
		}
	}
	return list, nil
}

// tests reads debrief.tests; the layers add up.
func tests() codec {
	return codec{
		adds: true,
		get:  func(c *Config) any { return slices.Concat(c.Debrief.Tests, c.Debrief.Besides) },
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			list, err := texts(n, l)
			if err != nil {
				return false, []error{err}
			}
			var errs []error
			if len(list) > maxTests {
				errs, list = append(errs, strict{l.lines}.errorf(n, "it names %d commands, at most %d are looked at", len(list), maxTests)), list[:maxTests]
			}
			for _, x := range list {
				if err := oneLine(x); err != nil {
					errs = append(errs, err)
					continue
				}
				if l.adds() {
					if !slices.Contains(c.Debrief.Besides, x) && !slices.Contains(c.Debrief.Tests, x) {
						c.Debrief.Besides = append(c.Debrief.Besides, x)
					}
					continue
				}
				if !slices.Contains(c.Debrief.Tests, x) {
					c.Debrief.Tests = append(c.Debrief.Tests, x)
				}
				c.Debrief.Besides = slices.DeleteFunc(c.Debrief.Besides, func(s string) bool { return s == x })
			}
			return len(list) > len(errs), errs
		},
	}
}

// maxTests bounds the commands of one file that all calls of a turn are held
// against.
const maxTests = 200

// profiles reads debrief.profiles. An empty list is none of the built-in rules.
func profiles() codec {
	return codec{
		get: func(c *Config) any {
			if c.Debrief.Profiles == nil {
				return debrief.ProfileNames()
			}
			return c.Debrief.Profiles
		},
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			list, err := texts(n, l)
			if err != nil {
				return false, []error{err}
			}
			known, good := debrief.ProfileNames(), []string{}
			var errs []error
			for _, x := range list {
				if !slices.Contains(known, strings.ToLower(x)) {
					errs = append(errs, strict{l.lines}.errorf(n, "no profile is called %q%s", x, nearest(x, known)))
					continue
				}
				good = append(good, strings.ToLower(x))
			}
			if len(good) == 0 && len(errs) > 0 {
				return false, errs // else a slip would switch all rules off
			}
			if l.adds() {
				return false, append(errs, c.otherProfiles(good)...)
			}
			c.Debrief.Profiles = good
			return true, errs
		},
	}
}

// otherProfiles says that a list is not the one in force. More rules are not
// always stricter: that of documents, or of tests alone, speaks for others.
func (c *Config) otherProfiles(list []string) []error {
	have := c.Debrief.Profiles
	if have == nil {
		have = debrief.ProfileNames()
	}
	for _, x := range slices.Concat(have, list) {
		if slices.Contains(list, x) != slices.Contains(have, x) {
			return []error{errWeaker}
		}
	}
	return nil
}

// verifyKey is where commands stand that Piton runs.
const verifyKey = "debrief.verify"

// verify reads debrief.verify: commands, or {run, files, timeout}.
func verify() codec {
	return codec{
		get: func(c *Config) any { return c.Debrief.Verify },
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			list := []debrief.Verify{}
			var errs []error
			for _, item := range items(n) {
				v, err := verifyOne(item, strict{l.lines})
				if err != nil {
					errs = append(errs, err)
					continue
				}
				list = append(list, v)
			}
			if len(list) == 0 && len(errs) > 0 {
				return false, errs
			}
			if l.stood {
				for _, have := range c.Debrief.Verify {
					list = slices.DeleteFunc(list, func(v debrief.Verify) bool { return reflect.DeepEqual(v, have) })
				}
				list = slices.Concat(c.Debrief.Verify, list)
			}
			c.Debrief.Verify = list
			return true, errs
		},
	}
}

func verifyOne(n *yaml.Node, s strict) (debrief.Verify, error) {
	var v debrief.Verify
	var err error
	if n.Kind == yaml.MappingNode {
		err = s.fields(n, reflect.ValueOf(&v).Elem())
	} else {
		err = s.decode(n, reflect.ValueOf(&v.Run).Elem(), "a command")
	}
	if err == nil && strings.TrimSpace(v.Run) == "" {
		err = s.errorf(n, "run is missing: the command for sh -c")
	}
	return v, err
}

// text reads a text that is quoted in a debrief, or names something.
func text(v string) (string, error) {
	v = strings.TrimSpace(v)
	return v, oneLine(v)
}

// maxText bounds a text that is told to an agent, in bytes.
const maxText = 500

func oneLine(v string) error {
	if strings.ContainsAny(v, "\n\r\x00") {
		return fmt.Errorf("%q is not text on one line", v[:min(len(v), maxText)])
	}
	if len(v) > maxText {
		return fmt.Errorf("a text of %d bytes is longer than %d", len(v), maxText)
	}
	return nil
}
