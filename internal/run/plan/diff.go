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
	list := fieldDiff("", "", planFields(old), planFields(new))
	list = append(list, keyedDiff("input ", old.Inputs, new.Inputs, func(in Input) (name, id, summary string) { return in.Name, "", "an input" })...)
	return append(list, keyedDiff("step ", old.Steps, new.Steps, func(s Step) (name, id, summary string) {
		summary = s.Action
		if s.Description != "" {
			summary += " (" + s.Description + ")"
		}
		return s.ID, s.ID, short(summary)
	})...)
}

// planFields are the fields of a plan but its steps and inputs.
func planFields(p Plan) map[string]any {
	p.Steps, p.Inputs = nil, nil
	m := asMap(p)
	delete(m, "steps")
	return m
}

// keyedDiff compares two lists by their keys, in the order of the new one.
func keyedDiff[T any](word string, old, new []T, about func(T) (key, id, summary string)) (list []Change) {
	byKey := func(list []T) map[string]T {
		m := map[string]T{}
		for _, x := range list {
			key, _, _ := about(x)
			m[key] = x
		}
		return m
	}
	was, is := byKey(old), byKey(new)
	for _, b := range new {
		key, id, summary := about(b)
		if a, had := was[key]; had {
			list = append(list, fieldDiff(word+key+": ", id, asMap(a), asMap(b))...)
		} else {
			list = append(list, Change{Kind: added, Where: word + key, Step: id, Is: summary})
		}
	}
	for _, a := range old {
		key, id, summary := about(a)
		if _, has := is[key]; !has {
			list = append(list, Change{Kind: removed, Where: word + key, Step: id, Was: summary})
		}
	}
	return list
}

// asMap is a plan, a step or an input by the names of its fields in JSON, with
// what says nothing left out.
func asMap(v any) map[string]any {
	if s, ok := v.(Step); ok {
		s.Dependencies = slices.Sorted(slices.Values(s.Dependencies))
		v = s
	}
	plain, _ := jsonValue(v) // a plan that was read is JSON
	m, _ := plain.(map[string]any)
	return m
}

// fieldDiff compares two objects, and the objects in them.
func fieldDiff(at, step string, was, is map[string]any) []Change {
	both := map[string]any{}
	maps.Copy(both, was)
	maps.Copy(both, is)
	var list []Change
	for _, name := range slices.Sorted(maps.Keys(both)) {
		a, had := was[name]
		b, has := is[name]
		inner, isMap := a.(map[string]any)
		inner2, isMap2 := b.(map[string]any)
		switch {
		case had && has && reflect.DeepEqual(a, b):
		case isMap && isMap2:
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

func oneLine(text string) string { return visible(strings.ReplaceAll(text, "\n", "⏎")) }
