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
		return u.outputs[of] || named && !status && len(u.artifacts[of]) == 0
	})
}

// NeedsArtifacts tells whether a step is given artifacts of another one.
func NeedsArtifacts(p Plan, s Step, of string) bool {
	return evaluates(p, s, func(u *uses, err error) bool { return err == nil && len(u.artifacts[of]) > 0 })
}

// evaluates tells whether an expression of a step is such a one.
func evaluates(p Plan, s Step, such func(*uses, error) bool) bool {
	in := frame{inputs: p.inputNames(), output: true, when: true, own: []string{"item", "index", "matrix", "iteration"}}
	exprs, texts := []string{s.When, s.Repeat.Until, s.Repeat.While}, append(textsIn(s.Parameters), slices.Collect(maps.Values(s.Artifacts))...)
	for _, of := range []any{s.ForEach, s.Matrix} {
		if expr, is := of.(string); is {
			exprs = append(exprs, expr)
		} else {
			texts = append(texts, textsIn(of)...)
		}
	}
	for _, c := range s.Check {
		exprs, texts = append(exprs, c.Expr), append(texts, c.Run)
	}
	named := func(expr string) bool {
		_, u, err := compile(expr, in, outcome{}, &meter{})
		return expr != "" && such(u, err)
	}
	return slices.ContainsFunc(exprs, named) || slices.ContainsFunc(texts, func(text string) bool {
		parts, err := split(text)
		return err != nil && such(&uses{}, err) || slices.ContainsFunc(parts, func(x part) bool { return named(x.expr) })
	})
}

// textsIn are the texts in a value.
func textsIn(v any) (list []string) {
	switch x := v.(type) {
	case string:
		return []string{x}
	case []any:
		for _, item := range x {
			list = append(list, textsIn(item)...)
		}
	case map[string]any:
		for _, item := range x {
			list = append(list, textsIn(item)...)
		}
	}
	return list
}

// Brief is a value in a line for people, shortened.
func Brief(v any) string {
	if v == nil {
		return "not set"
	}
	return short(plainText(v))
}
