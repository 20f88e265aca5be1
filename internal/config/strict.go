package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/nearest"
)

// strict decodes values whose keys and types must be right: a rule with an
// unknown key is not what its author meant.
type strict struct{ lines bool }

func (s strict) errorf(n *yaml.Node, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if s.lines {
		err = fmt.Errorf("line %d: %w", n.Line, err)
	}
	return err
}

// wrap adds the line to what is wrong with a value; the hint stays with it.
func (s strict) wrap(n *yaml.Node, err error) error {
	var e *piton.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && e.Err != nil:
		return &piton.Error{Code: e.Code, Hint: e.Hint, Err: s.errorf(n, "%w", e.Err)}
	}
	return s.errorf(n, "%w", err)
}

// decode sets to, which is what the key name holds, from n. A key without a
// value sets nothing.
func (s strict) decode(n *yaml.Node, to reflect.Value, name string) error {
	n = target(n)
	if n.Tag == "!!null" {
		return nil
	}
	wants := func(what string) error { return s.errorf(n, "%s wants %s, not %s", name, what, kindOf(n)) }
	if to.Type() == reflect.TypeFor[time.Duration]() {
		d, err := parseDuration(n.Value)
		if n.Kind != yaml.ScalarNode {
			return wants("a duration such as 30s")
		}
		if err != nil {
			return s.errorf(n, "%s: %w", name, err)
		}
		to.SetInt(int64(d))
		return nil
	}
	switch to.Kind() {
	case reflect.String:
		if n.Kind == yaml.ScalarNode && n.Tag != "!!str" {
			return s.errorf(n, "%s wants a text, not %s; put it in quotes", name, kindOf(n))
		}
		if n.Kind != yaml.ScalarNode {
			return wants("a text")
		}
		to.SetString(n.Value)
	case reflect.Bool:
		b, err := parseBool(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			return wants("true or false")
		}
		to.SetBool(b)
	case reflect.Int:
		i, err := strconv.ParseInt(n.Value, 10, 32)
		if n.Kind != yaml.ScalarNode || err != nil {
			return wants("a whole number")
		}
		to.SetInt(i)
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return s.decode(n, to.Elem(), name)
	case reflect.Slice:
		return s.slice(n, to, name)
	case reflect.Struct:
		if n.Kind != yaml.MappingNode {
			return wants("keys with values")
		}
		return s.fields(n, to)
	default:
		return s.errorf(n, "%s cannot be set", name)
	}
	return nil
}

// slice reads a list, or one value as a list of one.
func (s strict) slice(n *yaml.Node, to reflect.Value, name string) error {
	items := n.Content
	if n.Kind != yaml.SequenceNode {
		if n.Kind == yaml.MappingNode || n.Tag != "!!str" {
			return s.errorf(n, "%s wants a list of texts, not %s", name, kindOf(n))
		}
		items = []*yaml.Node{n}
	}
	to.Set(reflect.MakeSlice(to.Type(), len(items), len(items)))
	for i, item := range items {
		if target(item).Tag == "!!null" {
			return s.errorf(item, "%s has an empty line", name)
		}
		if err := s.decode(item, to.Index(i), "each of "+name); err != nil {
			return err
		}
	}
	return nil
}

// fields sets the fields of a struct by their names in YAML.
func (s strict) fields(n *yaml.Node, to reflect.Value) error {
	at := map[string]int{}
	var names []string
	for i := range to.NumField() {
		f := to.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		name = cmp.Or(name, strings.ToLower(f.Name))
		if name != "-" && f.IsExported() {
			at[name] = i
			names = append(names, name)
		}
	}
	for _, p := range pairs(n) {
		i, ok := at[p.name]
		if !ok {
			return s.errorf(s.keyOf(n, p), "unknown key %q%s", p.name, didYouMean(p.name, names))
		}
		if err := s.decode(p.node, to.Field(i), p.name); err != nil {
			return err
		}
	}
	return nil
}

// keyOf is the node of a pair's key, which is where a slip in it stands.
func (s strict) keyOf(n *yaml.Node, p setting) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == p.name {
			return n.Content[i]
		}
	}
	return p.node
}

// didYouMean suggests one of the names for a misspelt one.
func didYouMean(name string, names []string) string {
	return cmp.Or(meant(nearest.Name(name, names)), "; there are "+strings.Join(names, ", "))
}
