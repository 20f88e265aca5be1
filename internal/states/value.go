package states

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Read decodes a state for looking at it; numbers keep their spelling.
func Read(state []byte) (map[string]any, error) {
	var s map[string]any
	dec := json.NewDecoder(bytes.NewReader(state))
	dec.UseNumber()
	err := dec.Decode(&s)
	return s, err
}

// get returns the first of the keys that holds anything but null.
func get(s map[string]any, keys ...string) any {
	for _, k := range keys {
		if s[k] != nil {
			return s[k]
		}
	}
	return nil
}

// has reports whether the state has one of the keys.
func has(s map[string]any, keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, ok := s[k]; return ok })
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

// str returns the first of the keys that holds a string.
func str(s map[string]any, keys ...string) string {
	for _, k := range keys {
		if v, ok := s[k].(string); ok && v != "" {
			return v
		}
	}
	return ""
}

// list returns the first of the keys that holds an array.
func list(s map[string]any, keys ...string) []any {
	for _, k := range keys {
		if v, ok := s[k].([]any); ok {
			return v
		}
	}
	return nil
}

// number returns the first of the keys that holds a whole number.
func number(s map[string]any, keys ...string) (n int, ok bool) {
	for _, k := range keys {
		if v, ok := s[k].(json.Number); ok {
			if f, err := v.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<31 {
				return int(f), true
			}
		}
	}
	return 0, false
}

// scalar writes a string, number or boolean as text; "" for anything else.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// scalars are the scalars of a list, as texts.
func scalars(vs []any) []string {
	var texts []string
	for _, v := range vs {
		if s := scalar(v); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// flat reports whether values hold no others.
func flat(vs ...any) bool {
	return !slices.ContainsFunc(vs, func(v any) bool {
		switch v.(type) {
		case []any, map[string]any:
			return true
		}
		return false
	})
}

// text writes a value for people: a list's elements and an object's members one
// after the other, what is nested deeper as JSON. "" for null.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case []any:
		if flat(x...) {
			return strings.Join(scalars(x), ", ")
		}
	case map[string]any:
		var rows []string
		for key, v := range x {
			if xs, ok := v.([]any); !flat(v) && !(ok && flat(xs...)) {
				return compactText(x)
			}
			rows = append(rows, row(key, v)...)
		}
		slices.Sort(rows)
		return strings.Join(rows, "; ")
	default:
		return scalar(v)
	}
	return compactText(v)
}

func compactText(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// row is a key with its value as text; nothing where there is none.
func row(key string, v any) []string {
	if t := text(v); t != "" {
		return []string{key + ": " + t}
	}
	return nil
}
