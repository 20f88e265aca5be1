package plan

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// part is a piece of a text: itself, an expression, or a variable of the
// environment.
type part struct {
	text     string
	expr     string
	variable string
}

// Variables are the names of all ${env:NAME} in a plan.
func (p Plan) Variables() []string {
	var names []string
	for at := range strings.SplitSeq(string(p.JSON()), "${env:") {
		if m := envReference().FindStringSubmatch("${env:" + at); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

var envReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`) })

// split takes a text apart. "$${{" and "$${env:" stand for themselves with one
// dollar less.
func split(text string) ([]part, error) {
	var parts []part
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			parts = append(parts, part{text: plain.String()})
			plain.Reset()
		}
	}
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			plain.WriteString(text)
			break
		}
		plain.WriteString(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, "$${{"), strings.HasPrefix(text, "$${env:"):
			plain.WriteString("${")
			text = text[3:]
		case strings.HasPrefix(text, "${{"):
			n := expressionLen(text[3:])
			if n < 0 {
				return nil, errors.New("an expression begins with ${{ and does not end with }}")
			}
			flush()
			inner := strings.TrimSpace(text[3 : 3+n])
			if inner == "" {
				return nil, errors.New("the expression is empty")
			}
			parts = append(parts, part{expr: inner})
			text = text[3+n+2:]
		case strings.HasPrefix(text, "${env:"):
			m := envReference().FindStringSubmatch(text)
			if m == nil {
				return nil, errors.New("a secret is written as ${env:NAME}, where NAME is a variable of the environment")
			}
			flush()
			parts = append(parts, part{variable: m[1]})
			text = text[len(m[0]):]
		default:
			plain.WriteByte('$')
			text = text[1:]
		}
	}
	flush()
	return parts, nil
}

// expressionLen is how long an expression is up to its closing braces; texts and
// objects in it may have braces too.
func expressionLen(text string) int {
	depth := 0
	for i := 0; i < len(text); {
		if n := quotedLen(text[i:]); n > 0 {
			i += n
			continue
		}
		switch {
		case text[i] == '{':
			depth++
		case text[i] == '}' && depth > 0:
			depth--
		case strings.HasPrefix(text[i:], "}}"):
			return i
		}
		i++
	}
	return -1
}

// join writes parts into a text or a value: one expression alone keeps its type.
func (r Resolver) join(parts []part, in frame, secrets *[]string) (any, error) {
	if len(parts) == 1 && parts[0].expr != "" {
		return r.value(parts[0].expr, in)
	}
	var b strings.Builder
	for _, p := range parts {
		text, err := r.partText(p, in, secrets)
		if err != nil {
			return nil, err
		}
		if b.Len()+len(text) > maxValue {
			return nil, errValue
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// partText is one part as text. An expression without a value is an error: a text
// with a hole is not what anybody meant.
func (r Resolver) partText(p part, in frame, secrets *[]string) (string, error) {
	switch {
	case p.variable != "":
		value, err := r.secret(p.variable)
		if err == nil {
			*secrets = append(*secrets, value)
		}
		return value, err
	case p.expr != "":
		v, err := r.value(p.expr, in)
		if err != nil {
			return "", err
		}
		if v == nil {
			return "", noValue(p)
		}
		return plainText(v), nil
	}
	return p.text, nil
}

func noValue(p part) error {
	return fmt.Errorf("${{ %s }} has no value; give it one, as in ${{ %s ?? \"\" }}", p.expr, p.expr)
}

// secret is the value of ${env:NAME}.
func (r Resolver) secret(name string) (string, error) {
	if r.Getenv != nil {
		if value, ok := r.Getenv(name); ok {
			return value, nil
		}
	}
	return "", fmt.Errorf("the variable %s is not set; set it before the run starts", name)
}

// value evaluates an expression.
func (r Resolver) value(text string, in frame) (any, error) {
	return r.evaluate(text, in, outcome{}, nil)
}

// holds tells whether an expression is true.
func (r Resolver) holds(text string, in frame, o outcome, more map[string]any) (bool, error) {
	v, err := r.evaluate(text, in, o, more)
	is, ok := v.(bool)
	if err == nil && !ok {
		err = fmt.Errorf("%s is %s, not true or false", clipped(text), kindName(v))
	}
	return is, err
}

func (r Resolver) evaluate(text string, in frame, o outcome, more map[string]any) (any, error) {
	m := &meter{}
	program, _, err := compile(text, in, o, m)
	if err != nil {
		return nil, fmt.Errorf("${{ %s }}: %w", clipped(text), err)
	}
	steps := map[string]any{}
	for id, s := range r.Steps {
		var failure any
		if s.Error != "" {
			failure = s.Error
		}
		steps[id] = map[string]any{"status": s.Status, "outcome": outcomes[s.Status], "output": s.Output, "artifacts": s.Artifacts, "error": failure}
	}
	values := map[string]any{"steps": steps, "inputs": orEmpty(r.Inputs), "run": orEmpty(r.Run), "query": r.Query}
	maps.Copy(values, r.Each)
	maps.Copy(values, more)
	v, err := evaluate(program, values)
	if err != nil {
		return nil, fmt.Errorf("${{ %s }}: %w", clipped(text), err)
	}
	return v, nil
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// frame is what a run's expressions may name.
func (r Resolver) frame() frame {
	return frame{inputs: slices.Collect(maps.Keys(r.Inputs)), own: slices.Collect(maps.Keys(r.Each))}
}
