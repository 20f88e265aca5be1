package plan

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Change is one difference between two plans, for people.
type Change struct {
	Kind  string `json:"kind"`           // added, removed, changed
	Where string `json:"where"`          // "step fetch: parameters.url", "input lang", "budget.tokens"
	Was   string `json:"was,omitempty"`  // shortened
	Is    string `json:"is,omitempty"`   // shortened
	Step  string `json:"step,omitempty"` // the step's id, if it is about one
}

// The kinds of changes.
const (
	added   = "added"
	removed = "removed"
	changed = "changed"
)

// Diff lists what has changed from old to new; empty where nothing has, and then
// their sums are the same. Values are shortened. Secrets are in neither: a plan
// has only ${env:NAME}.
func Diff(old, new Plan) []Change {
	var list []Change
	list = append(list, fieldDiff("", "", planFields(old), planFields(new))...)
	list = append(list, keyedDiff("input ", false, old.Inputs, new.Inputs, func(in Input) string { return in.Name }, "an input")...)
	return append(list, keyedDiff("step ", true, old.Steps, new.Steps, func(s Step) string { return s.ID }, "")...)
}

// planFields are the fields of a plan but its steps and inputs.
func planFields(p Plan) map[string]any {
	p.Steps, p.Inputs = nil, nil
	m := asMap(p)
	delete(m, "steps")
	return m
}

// keyedDiff compares two lists by their keys.
func keyedDiff[T any](word string, step bool, old, new []T, key func(T) string, what string) []Change {
	was, is := byKey(old, key), byKey(new, key)
	var list []Change
	for _, x := range order(old, new, key) {
		a, had := was[x]
		b, has := is[x]
		id := ""
		if step {
			id = x
		}
		switch {
		case !had:
			list = append(list, Change{Kind: added, Where: word + x, Step: id, Is: summary(b, what)})
		case !has:
			list = append(list, Change{Kind: removed, Where: word + x, Step: id, Was: summary(a, what)})
		default:
			list = append(list, fieldDiff(word+x+": ", id, asMap(a), asMap(b))...)
		}
	}
	return list
}

// summary says what was added or removed.
func summary(v any, what string) string {
	if s, ok := v.(Step); ok {
		if s.Description != "" {
			return short(s.Action + " (" + s.Description + ")")
		}
		return short(s.Action)
	}
	return what
}

// order is all keys, in the order of the new list, then those that only the old
// one has.
func order[T any](old, new []T, key func(T) string) []string {
	var keys []string
	have := map[string]bool{}
	for _, list := range [][]T{new, old} {
		for _, x := range list {
			if k := key(x); !have[k] {
				have[k] = true
				keys = append(keys, k)
			}
		}
	}
	return keys
}

func byKey[T any](list []T, key func(T) string) map[string]T {
	m := map[string]T{}
	for _, x := range list {
		m[key(x)] = x
	}
	return m
}

// asMap is a plan, a step or an input by the names of its fields in JSON, with
// what says nothing left out.
func asMap(v any) map[string]any {
	if s, ok := v.(Step); ok {
		s.Dependencies = slices.Sorted(slices.Values(s.Dependencies))
		v = s
	}
	plain, err := jsonValue(v)
	m, ok := plain.(map[string]any)
	if err != nil || !ok {
		return map[string]any{}
	}
	return m
}

// fieldDiff compares two objects, and the objects in them.
func fieldDiff(at, step string, was, is map[string]any) []Change {
	names := map[string]bool{}
	for name := range was {
		names[name] = true
	}
	for name := range is {
		names[name] = true
	}
	var list []Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, had := was[name]
		b, has := is[name]
		inner, isMap := a.(map[string]any)
		inner2, isMap2 := b.(map[string]any)
		switch {
		case had && has && reflect.DeepEqual(a, b):
		case had && has && isMap && isMap2:
			list = append(list, fieldDiff(at+name+".", step, inner, inner2)...)
		case !has:
			list = append(list, Change{Kind: removed, Where: at + name, Step: step, Was: short(plainText(a))})
		case !had:
			list = append(list, Change{Kind: added, Where: at + name, Step: step, Is: short(plainText(b))})
		default:
			x, y := shortPair(plainText(a), plainText(b))
			list = append(list, Change{Kind: changed, Where: at + name, Step: step, Was: x, Is: y})
		}
	}
	return list
}

const maxShown = 80 // characters of a value

// short is a value for a line.
func short(text string) string {
	text = oneLine(text)
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown-1]) + "…"
	}
	if text == "" {
		return `""`
	}
	return text
}

// shortPair shortens two values so that their first difference is seen.
func shortPair(a, b string) (string, string) {
	x, y := []rune(oneLine(a)), []rune(oneLine(b))
	same := 0
	for same < len(x) && same < len(y) && x[same] == y[same] {
		same++
	}
	from := max(0, same-20)
	if max(len(x), len(y)) <= maxShown || from == 0 {
		return short(a), short(b)
	}
	return short("…" + string(x[from:])), short("…" + string(y[from:]))
}

func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case r < ' ' || r == 0x7f:
			return ' '
		}
		return r
	}, text)
}
