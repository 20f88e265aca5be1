package plan

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// Resolved is what a step is given, with values.
type Resolved struct {
	Parameters map[string]any
	Check      []Check
	Artifacts  map[string]string
	CheckEnv   map[string]string // the variables that the commands in Check refer to
	DirValued  bool              // a value is in the parameter dir
	Secrets    []string          // the values of ${env:NAME}: logs and outputs are cleaned of them
}

// Resolve gives a step's parameters and checks their values. A text that is one
// expression takes its type; in other texts each expression is written as text,
// objects and lists as compact JSON. A shell step's command, where it is one text,
// and the commands of checks are made safe as Script does. ${env:NAME} is put in last; Invalid names a
// variable that is not set, or an expression that fails.
func Resolve(s Step, r Resolver) (Resolved, error) {
	v := resolution{Resolver: r, frame: r.frame()}
	out := Resolved{}
	params, err := v.parameters(s)
	if err == nil {
		out.Check, out.CheckEnv, err = v.checks(s.Check)
	}
	if err == nil {
		out.Artifacts, err = v.left(s)
	}
	if err != nil {
		return Resolved{}, piton.Errorf(piton.Invalid, "resolve step "+s.ID, "", "%w", err)
	}
	out.Parameters, out.DirValued = params, hasValue(s.Parameters["dir"])
	slices.Sort(v.secrets)
	out.Secrets = slices.Compact(v.secrets)
	return out, nil
}

// Holds tells whether the expression of a Check holds for an output: whether it is
// true.
func Holds(expr string, output any, r Resolver) (bool, error) {
	in := r.frame()
	in.output = true
	output, err := plain(output)
	is := false
	if err == nil {
		is, err = r.holds(expr, in, outcome{}, map[string]any{"output": output})
	}
	if err != nil {
		return false, piton.Errorf(piton.Invalid, "evaluate a check", "", "%w", err)
	}
	return is, nil
}

// resolution is the work on one step.
type resolution struct {
	Resolver
	frame   frame
	env     map[string]string // of its commands
	secrets []string
}

// parameters resolves all of a step's parameters.
func (v *resolution) parameters(s Step) (map[string]any, error) {
	out := map[string]any{}
	v.env = map[string]string{}
	for where, list := range argvs(s) {
		if err := v.words(list); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		var err error
		value := s.Parameters[name]
		switch s.Action + " " + name {
		case "shell command":
			out[name], err = v.command(value, s.Parameters)
		case "http url", "mcp server":
			out[name], err = v.server(value)
		case "http body":
			out[name], err = v.body(value, s.Parameters["headers"])
		default:
			out[name], err = v.any(value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(v.env) > 0 {
		env := map[string]any{}
		if own, ok := out["env"].(map[string]any); ok {
			maps.Copy(env, own)
		}
		for name, value := range v.env {
			env[name] = value
		}
		out["env"] = env
	}
	return out, nil
}

// any resolves all texts of a value.
func (v *resolution) any(value any) (any, error) {
	switch x := value.(type) {
	case string:
		parts, err := split(x)
		if err != nil {
			return nil, err
		}
		return v.join(parts, v.frame, &v.secrets)
	case []any:
		list := make([]any, 0, len(x))
		for _, item := range x {
			got, err := v.any(item)
			if err != nil {
				return nil, err
			}
			list = append(list, got)
		}
		return list, nil
	case map[string]any:
		m := make(map[string]any, len(x))
		for _, name := range slices.Sorted(maps.Keys(x)) {
			got, err := v.any(x[name])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			m[name] = got
		}
		return m, nil
	}
	return value, nil
}

// command resolves a shell step's command: one text is a script; of a list each
// item is an argument of its own, but for the script behind sh -c.
func (v *resolution) command(value any, params map[string]any) (any, error) {
	switch x := value.(type) {
	case string:
		if err := readable(x, params["shell"]); err != nil {
			return nil, err
		}
		return v.script(x, taintedBy(params)...)
	case []any:
		l, err := listed(x, true, taintedBy(params)...)
		if err != nil {
			return nil, err
		}
		list := make([]any, 0, len(x))
		for i, item := range x {
			var got any
			if text, isText := item.(string); i == l.code && isText {
				got, err = v.script(text, append(taintedBy(params), l.tainted...)...)
			} else {
				got, err = v.argument(item, l.verdicts[i])
			}
			if err != nil {
				return nil, err
			}
			list = append(list, got)
		}
		return list, nil
	}
	return value, nil
}

// argument resolves one argument of a list.
func (v *resolution) argument(item any, is verdict) (any, error) {
	got, err := v.any(item)
	if err != nil {
		return nil, err
	}
	text := plainText(got)
	switch {
	case len(text) > maxVariable:
		return nil, fmt.Errorf("an argument has %d bytes, and a command takes at most %d; hand it over in a file, or by 'stdin'", len(text), maxVariable)
	case is.lead && looksLikeOption(text):
		return nil, fmt.Errorf("%v: %w", item, errOption)
	}
	return text, nil
}

// words refuses a list of arguments in which a value would be code or an option.
func (v *resolution) words(x []any) error {
	l, err := listed(x, false)
	for i, item := range x {
		if err == nil && l.verdicts[i].lead {
			_, err = v.argument(item, l.verdicts[i])
		}
	}
	return err
}

// script resolves one script.
func (v *resolution) script(command string, tainted ...string) (string, error) {
	text, holes, err := parsedScript(command, tainted...)
	if err != nil {
		return "", err
	}
	names := make([]string, len(holes))
	for i, h := range holes {
		if h.err != nil {
			return "", h.err
		}
		value, err := v.partText(h.part, v.frame, &v.secrets)
		if err != nil {
			return "", err
		}
		if err := fits(value); err != nil {
			return "", fmt.Errorf("${{ %s }}: %w", clipped(h.expr+h.variable), err)
		}
		if h.lead && looksLikeOption(value) {
			return "", fmt.Errorf("${{ %s }}: %w", clipped(h.expr+h.variable), errOption)
		}
		names[i] = variable(len(v.env))
		v.env[names[i]] = value
	}
	return filled(text, holes, func(i int) string { return names[i] }), nil
}

// checks resolves what must hold. The values of its commands are variables of env,
// as those of a shell step: neither a list of processes nor the agent, which is told
// what is checked, shows them.
func (v *resolution) checks(list []Check) (out []Check, env map[string]string, err error) {
	own := resolution{Resolver: v.Resolver, frame: v.frame, env: map[string]string{}}
	for _, c := range list {
		for _, at := range []*string{&c.File, &c.Changed} {
			got, err := v.any(*at)
			if err != nil {
				return nil, nil, fmt.Errorf("check: %w", err)
			}
			*at = plainText(got)
		}
		if c.Run, err = own.script(c.Run); err != nil {
			return nil, nil, fmt.Errorf("check: %w", err)
		}
		out = append(out, c)
	}
	v.secrets = append(v.secrets, own.secrets...)
	return out, own.env, nil
}

// server resolves a URL, each value as its place wants it.
func (v *resolution) server(value any) (any, error) {
	text, ok := value.(string)
	if !ok {
		return v.any(value)
	}
	got, err := v.placed(text, urlPlaces)
	address, _ := got.(string)
	if u, bad := url.Parse(address); err == nil && bad == nil && hasValue(text) && dotSegment().MatchString(u.Path) {
		err = errors.New(`with this value the URL has a segment "." or "..", which is another path`)
	}
	return got, err
}

// body resolves what is sent: in a text that is JSON or a form each value is written
// as its place wants it.
func (v *resolution) body(value, headers any) (any, error) {
	text, ok := value.(string)
	if !ok {
		return v.any(value)
	}
	return v.placed(text, func(parts []part) ([]place, error) { return bodyPlaces(text, parts, headers) })
}

// placed resolves a text whose values are written as their places want it. One
// expression alone is the whole text and no part of one.
func (v *resolution) placed(text string, places func([]part) ([]place, error)) (any, error) {
	parts, err := split(text)
	if err != nil {
		return nil, err
	}
	where, err := places(parts)
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 && parts[0].expr != "" && where[0] != asWhole {
		return v.any(text)
	}
	var b strings.Builder
	for i, p := range parts {
		value, err := v.one(p)
		if err == nil && p.text == "" {
			value, err = put(where[i], value)
		}
		if err != nil {
			return nil, fmt.Errorf("${{ %s }}: %w", clipped(p.expr+p.variable), err)
		}
		if p.variable != "" {
			v.secrets = append(v.secrets, plainText(value))
		}
		if b.WriteString(plainText(value)); b.Len() > maxValue {
			return nil, errValue
		}
	}
	return b.String(), nil
}

// one is the value of a part.
func (v *resolution) one(p part) (any, error) {
	if p.expr == "" {
		return v.partText(p, v.frame, &v.secrets)
	}
	got, err := v.value(p.expr, v.frame)
	if err == nil && got == nil {
		err = noValue(p)
	}
	return got, err
}

// left are the paths of the artifacts of a step, by their names.
func (v *resolution) left(s Step) (map[string]string, error) {
	out := maps.Clone(s.Artifacts)
	for name, file := range s.Artifacts {
		got, err := v.any(file)
		if err != nil {
			return nil, fmt.Errorf("artifacts: %w", err)
		}
		to := plainText(got)
		if name == file { // it is its own name
			delete(out, name)
			name = to
		}
		out[name] = to
	}
	return out, nil
}
