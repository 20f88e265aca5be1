package plan

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// MaxItems bounds how often a step with for_each or matrix runs.
const MaxItems = 10_000

// Times is how often the step runs at most.
func (r Repeat) Times() int { return cmp.Or(r.Max, 10) }

// Repeats tells whether a step runs until a condition holds.
func (s Step) Repeats() bool { return s.Repeat != Repeat{} }

// Again tells whether a step that has brought an output runs once more.
func (r Resolver) Again(s Step, output any) (bool, error) {
	if s.Repeat.While != "" {
		return Holds(s.Repeat.While, output, r)
	}
	done, err := Holds(s.Repeat.Until, output, r)
	return !done, err
}

// IsEach tells whether a step runs once for each item of a list.
func (s Step) IsEach() bool { return s.ForEach != nil || s.Matrix != nil }

// own are the names that only a step's own expressions have.
func (s Step) own() (names []string) {
	if s.IsEach() {
		names = append(names, "item", "index")
	}
	if s.Matrix != nil {
		names = append(names, "matrix")
	}
	if s.Repeats() {
		names = append(names, "iteration")
	}
	return names
}

// EachOf are the values of the names that only the expressions of one item's step have.
func (s Step) EachOf(item any, index int) map[string]any {
	own := map[string]any{"item": item, "index": index, "matrix": item}
	maps.DeleteFunc(own, func(name string, _ any) bool { return !slices.Contains(s.own(), name) })
	return own
}

// NamesItem tells whether a step's condition names its item, so that it is asked of each.
func (s Step) NamesItem() bool {
	return slices.ContainsFunc(s.own(), func(name string) bool { return strings.Contains(s.When, name) })
}

var errItemSecret = errors.New("an item is kept with the run, so it cannot hold ${env:NAME}; name the variable in the step")

// Items are what a step runs for, each once: JSON. Invalid where its list cannot be made.
func Items(s Step, r Resolver) (list []any, err error) {
	v := resolution{Resolver: r, frame: r.frame()}
	if s.Matrix != nil {
		list, err = v.matrix(s.Matrix)
	} else {
		list, err = v.list(s.ForEach)
	}
	switch {
	case err != nil:
		return nil, err
	case len(list) > MaxItems:
		return nil, fmt.Errorf("the list has %d items, more than %d", len(list), MaxItems)
	case len(v.secrets) > 0:
		return nil, errItemSecret
	}
	return list, nil
}

// brought is what an expression brings, else what is written.
func (v *resolution) brought(of any) (any, error) {
	if expression, is := of.(string); is {
		return v.value(expression, v.frame)
	}
	return v.any(of)
}

// list is a list that is written, brought by an expression, or a range.
func (v *resolution) list(of any) ([]any, error) {
	got, err := v.brought(of)
	if err != nil {
		return nil, err
	}
	if _, isRange := of.(map[string]any); isRange {
		return numbers(got.(map[string]any))
	}
	return asList(got)
}

// asList reads a list; a text is one in JSON, else its lines. Any other value is one item.
func asList(v any) ([]any, error) {
	switch x := v.(type) {
	case []any:
		return x, nil
	case string:
		var list []any
		if json.Unmarshal([]byte(x), &list) == nil {
			return list, nil
		}
		for line := range strings.Lines(x) {
			if line = strings.TrimSpace(line); line != "" {
				list = append(list, line)
			}
		}
		return list, nil
	case nil:
		return nil, errors.New("there is no list: the value is null")
	}
	return []any{v}, nil // a command that has printed one line, which is JSON
}

// numbers are a range of whole numbers, both ends in it.
func numbers(x map[string]any) ([]any, error) {
	at := map[string]int64{"from": 1, "step": 1}
	for name, value := range x {
		f, ok := asNumber(value)
		if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return nil, fmt.Errorf("%s wants a whole number", name)
		}
		at[name] = int64(f)
	}
	from, to, step := at["from"], at["to"], at["step"]
	if step == 0 {
		return nil, errors.New("a range with step 0 has no end")
	}
	n := (to-from)/step + 1
	if away := (to < from) != (step < 0); away && to != from {
		return []any{}, nil
	}
	if n > MaxItems {
		return nil, fmt.Errorf("the range has %d numbers, more than %d", n, MaxItems)
	}
	list := make([]any, n)
	for i := range list {
		list[i] = float64(from + int64(i)*step)
	}
	return list, nil
}

// matrix is every combination of the values of its names, in the order of the names.
func (v *resolution) matrix(of any) ([]any, error) {
	got, err := v.brought(of)
	if err != nil {
		return nil, err
	}
	m, ok := got.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a matrix has names with lists, and this is %s", kindName(got))
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(name string) bool { return name == "include" || name == "exclude" })
	var combos []map[string]any
	if len(names) > 0 {
		combos = []map[string]any{{}}
	}
	for _, name := range names {
		list, err := asList(m[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(combos)*len(list) > MaxItems {
			return nil, fmt.Errorf("the matrix has more than %d combinations", MaxItems)
		}
		var more []map[string]any
		for _, c := range combos {
			for _, value := range list {
				one := maps.Clone(c)
				one[name] = value
				more = append(more, one)
			}
		}
		combos = more
	}
	exclude, err := rows("exclude", m)
	if err != nil {
		return nil, err
	}
	for _, x := range exclude {
		combos = slices.DeleteFunc(combos, func(c map[string]any) bool { return agrees(c, x, slices.Collect(maps.Keys(x))) })
	}
	include, err := rows("include", m)
	return included(combos, include, names), err
}

// included adds what a matrix includes: to the combinations that it agrees with, as far as
// it names what they are made of, else as one of its own.
func included(combos, include []map[string]any, names []string) []any {
	made := len(combos)
	for _, x := range include {
		of := slices.DeleteFunc(slices.Collect(maps.Keys(x)), func(name string) bool { return !slices.Contains(names, name) })
		found := false
		for _, c := range combos[:made] {
			if agrees(c, x, of) {
				maps.Copy(c, x)
				found = true
			}
		}
		if !found {
			combos = append(combos, x)
		}
	}
	list := make([]any, len(combos))
	for i, c := range combos {
		list[i] = c
	}
	return list
}

// agrees tells whether two combinations have the same values by some names.
func agrees(a, b map[string]any, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return plainText(a[name]) != plainText(b[name]) })
}

// rows are the combinations that a matrix includes or excludes.
func rows(name string, m map[string]any) (out []map[string]any, err error) {
	if m[name] == nil {
		return nil, nil
	}
	list, err := asList(m[name])
	for _, x := range list {
		one, ok := x.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s has combinations of names with values, and this is %s", name, kindName(x))
		}
		out = append(out, maps.Clone(one))
	}
	return out, err
}
