package kind

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// findingsShown bounds what an error names.
const findingsShown = 3

// findings says in words what does not fit, in the order of the places.
func findings(e *jsonschema.ValidationError) string {
	all := leaves(e)
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

// finding is one place and what is wrong with it.
type finding struct {
	at   []string
	what string
}

// leaves are the ends of the tree of causes. Of alternatives the first one is
// named: it is our own spelling.
func leaves(e *jsonschema.ValidationError) []finding {
	if _, ok := e.ErrorKind.(*kind.AnyOf); ok && len(e.Causes) > 0 {
		return leaves(e.Causes[0])
	}
	if len(e.Causes) == 0 {
		if r, ok := e.ErrorKind.(*kind.Required); ok {
			var all []finding
			for _, name := range r.Missing {
				all = append(all, finding{append(slices.Clone(e.InstanceLocation), name), "is missing"})
			}
			return all
		}
		return []finding{{e.InstanceLocation, words(e.ErrorKind)}}
	}
	var all []finding
	for _, c := range e.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

// words says what belongs at a place. The value itself is not repeated: it may
// be long, or a secret.
func words(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		var want []string
		for _, t := range k.Want {
			if t != "null" {
				want = append(want, typeWord(t))
			}
		}
		must := "must be " + strings.Join(want, " or ")
		if k.Got == "number" {
			return must + notWhole(k.Want)
		}
		return must + ", and is " + typeWord(k.Got)
	case *kind.Enum:
		var want []string
		for _, v := range k.Want {
			if s, ok := v.(string); ok && s != "" {
				want = append(want, s)
			}
		}
		return "must be one of " + strings.Join(want, ", ")
	case *kind.Minimum:
		return "must be " + k.Want.RatString() + " or more"
	case *kind.MinLength:
		return "is empty"
	}
	return "does not fit"
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
