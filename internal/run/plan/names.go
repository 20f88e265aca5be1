package plan

import (
	"maps"
	"slices"
)

// Names tells whether a step evaluates one of these inputs, directly. One that names all
// of them evaluates each.
func Names(p Plan, s Step, inputs []string) bool {
	return len(inputs) > 0 && evaluates(p, s, func(u *uses, err error) bool {
		return err != nil || u.whole > 0 || slices.ContainsFunc(inputs, func(name string) bool { return u.inputs[name] })
	})
}

// NeedsOutput tells whether a step evaluates the output of another one.
func NeedsOutput(p Plan, s Step, of string) bool {
	return evaluates(p, s, func(u *uses, err error) bool {
		if err != nil {
			return false
		}
		status, named := u.steps[of]
		return named && !status
	})
}

// evaluates tells whether an expression of a step is such a one.
func evaluates(p Plan, s Step, such func(*uses, error) bool) bool {
	in := frame{output: true, when: true}
	for _, x := range p.Inputs {
		in.inputs = append(in.inputs, x.Name)
	}
	named := func(text string) bool {
		if text == "" {
			return false
		}
		_, u, err := compile(text, in, outcome{}, &meter{})
		return such(u, err)
	}
	inText := func(text string) bool {
		parts, err := split(text)
		if err != nil {
			return such(&uses{}, err)
		}
		return slices.ContainsFunc(parts, func(x part) bool { return named(x.expr) })
	}
	if named(s.When) || slices.ContainsFunc(s.Check, func(c Check) bool { return named(c.Expr) || inText(c.Run) }) {
		return true
	}
	var inValue func(v any) bool
	inValue = func(v any) bool {
		switch x := v.(type) {
		case string:
			return inText(x)
		case []any:
			return slices.ContainsFunc(x, inValue)
		case map[string]any:
			return slices.ContainsFunc(slices.Collect(maps.Values(x)), inValue)
		}
		return false
	}
	return inValue(any(s.Parameters))
}

// Brief is a value in a line for people, shortened.
func Brief(v any) string {
	if v == nil {
		return "not set"
	}
	return short(plainText(v))
}
