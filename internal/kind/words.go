package kind

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// findingsShown bounds what an error names.
const findingsShown = 3

// finding is one place and what is wrong with it.
type finding struct {
	at   []string
	what string
}

// findings says in words what does not fit, in the order of the places.
func findings(all []finding) string {
	slices.SortStableFunc(all, func(a, b finding) int { return slices.CompareFunc(a.at, b.at, comparePart) })
	var rows []string
	for _, f := range all {
		if row := pointer(f.at) + " " + f.what; !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	if n := len(rows) - findingsShown; n > 0 {
		rows = append(rows[:findingsShown], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(rows, "; ")
}

// mustBe says what type belongs at a place.
func mustBe(types []string, v any) string {
	var want []string
	for _, t := range types {
		if t != "null" {
			want = append(want, typeWord(t))
		}
	}
	slices.Sort(want) // words of one sentence, in one order
	must := "must be " + strings.Join(want, " or ")
	if typeOf(v) == "number" {
		return must + notWhole(types)
	}
	return must + ", and is " + typeWord(typeOf(v))
}

// notWhole is how a number misses what is wanted.
func notWhole(want []string) string {
	if slices.Contains(want, "integer") {
		return ", and has a fraction or is too large"
	}
	return ", and is a number"
}

func typeWord(t string) string {
	switch t {
	case "array":
		return "a list"
	case "integer":
		return "a whole number"
	case "object":
		return "an object"
	case "boolean":
		return "true or false"
	case "null":
		return "null"
	}
	return "a " + t
}

// pointer writes a place as history does: a JSON pointer.
func pointer(at []string) string {
	var b strings.Builder
	for _, part := range at {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	if b.Len() == 0 {
		return "the state"
	}
	return b.String()
}

// comparePart orders indexes as numbers.
func comparePart(a, b string) int {
	m, err := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if err == nil && err2 == nil {
		return m - n
	}
	return strings.Compare(a, b)
}

// typeOf is the type of a value, as JSON Schema calls it.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
