package kind

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// check holds a value against a schema. The value itself is not repeated: it may be
// long, or a secret.
func (s *schema) check(v any, at []string) (all []finding) {
	wrong := func(what string) { all = append(all, finding{slices.Clone(at), what}) }
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(want string) bool { return is(v, want) }) {
		wrong(mustBe(s.Type, v))
		return all
	}
	switch v := v.(type) {
	case string:
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			wrong("must be one of " + strings.Join(slices.DeleteFunc(slices.Clone(s.Enum), func(w string) bool { return w == "" }), ", "))
		}
		if utf8.RuneCountInString(v) < s.MinLength {
			wrong("is empty")
		}
	case json.Number:
		if s.Minimum != nil && below(v, *s.Minimum) {
			wrong("must be " + strconv.FormatInt(*s.Minimum, 10) + " or more")
		}
	case []any:
		for i, x := range v {
			if s.Items != nil {
				all = append(all, s.Items.check(x, append(at, strconv.Itoa(i)))...)
			}
		}
	case map[string]any:
		all = append(all, s.object(v, at)...)
	}
	return append(all, s.alternatives(v, at)...)
}

func (s *schema) object(v map[string]any, at []string) (all []finding) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			all = append(all, finding{append(slices.Clone(at), name), "is missing"})
		}
	}
	for name, p := range s.Properties {
		if x, ok := v[name]; ok {
			all = append(all, p.check(x, append(slices.Clone(at), name))...)
		}
	}
	return all
}

// alternatives are the findings of the first alternative where none fits: it is our
// own spelling.
func (s *schema) alternatives(v any, at []string) (first []finding) {
	for i, a := range s.AnyOf {
		found := a.check(v, at)
		if len(found) == 0 {
			return nil
		}
		if i == 0 {
			first = found
		}
	}
	return first
}

// is tells whether a value has a type. A number without a fraction is an integer.
func is(v any, want string) bool {
	n, number := v.(json.Number)
	return typeOf(v) == want || number && want == "integer" && whole(n)
}

// rational is a number as it is written; nil where it is too large to be read.
func rational(n json.Number) *big.Rat {
	f, err := n.Float64()
	if err != nil {
		return nil
	}
	if f == 0 { // or so near to it that only its sign counts
		if !strings.ContainsAny(strings.FieldsFunc(string(n), func(r rune) bool { return r == 'e' || r == 'E' })[0], "123456789") {
			return new(big.Rat)
		}
		near := big.NewRat(1, 2)
		if strings.HasPrefix(string(n), "-") {
			near.Neg(near)
		}
		return near
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}

func whole(n json.Number) bool {
	r := rational(n)
	return r != nil && r.IsInt()
}

// below tells whether a number is less than another one. What is too large to be
// read is below where it is negative.
func below(n json.Number, least int64) bool {
	r := rational(n)
	if r == nil {
		return strings.HasPrefix(string(n), "-")
	}
	return r.Cmp(new(big.Rat).SetInt64(least)) < 0
}
