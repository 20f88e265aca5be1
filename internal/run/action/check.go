package action

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// Check holds a step's parameters against what its action takes: Invalid, one line. Values
// that contain an expression are not known yet and pass.
func (d Doc) Check(s plan.Step) error {
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		i := slices.IndexFunc(d.Parameters, func(p Parameter) bool { return p.Name == name })
		if i < 0 {
			if d.Any {
				continue
			}
			return wrong("the action %s has no parameter %q%s", d.Name, piton.Printable(name), d.meant(name))
		}
		if err := d.Parameters[i].takes(d.Name, s.Parameters[name]); err != nil {
			return err
		}
	}
	for _, p := range d.Parameters {
		if v, ok := s.Parameters[p.Name]; p.Required && (!ok || v == nil || v == "") {
			return wrong("the action %s needs the parameter %q: %s", d.Name, p.Name, p.Meaning)
		}
	}
	return nil
}

// meant suggests a parameter for a name that is none.
func (d Doc) meant(name string) string {
	for _, p := range d.Parameters {
		if slices.Contains(p.Others, strings.ToLower(name)) {
			return fmt.Sprintf("; did you mean %q?", p.Name)
		}
	}
	return nearest(name, d.Names())
}

func (p Parameter) takes(action string, v any) error {
	if v == nil || open(v) {
		return nil
	}
	if len(p.Kinds) > 0 && !slices.ContainsFunc(p.Kinds, func(k Kind) bool { return k.holds(v) }) {
		return wrong("the parameter %q of the action %s is %s, and must be %s", p.Name, action, described(v), kinds(p.Kinds))
	}
	if t, ok := v.(string); ok && len(p.Options) > 0 && !slices.ContainsFunc(p.Options, func(o string) bool { return strings.EqualFold(o, t) }) {
		return wrong("the parameter %q of the action %s is %q%s", p.Name, action, piton.Printable(t), nearest(t, p.Options))
	}
	return nil
}

// open tells whether a value is a text with an expression or a secret, whose value is not
// known before the step begins.
func open(v any) bool {
	t, ok := v.(string)
	return ok && (strings.Contains(t, "${{") || strings.Contains(t, "${env:"))
}

func (k Kind) holds(v any) bool {
	if k == Time {
		_, is := duration(v)
		return is
	}
	return k == kindOf(v)
}

// duration reads a time as plans have it.
func duration(v any) (time.Duration, bool) {
	b, err := json.Marshal(v)
	var d plan.Duration
	if err != nil || d.UnmarshalJSON(b) != nil {
		return 0, false
	}
	return time.Duration(d), d > 0
}

// AsNumber is the value of a number of any type that plans have.
func AsNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return 0, false
}

// kindOf is the kind of a value; of null it is none of those of parameters.
func kindOf(v any) Kind {
	switch v.(type) {
	case nil:
		return "empty"
	case string:
		return Text
	case bool:
		return Bool
	case []any:
		return List
	case map[string]any:
		return Map
	}
	return Number
}

// described is a value's kind, for people.
func described(v any) string { return kindOf(v).words() }

func (k Kind) words() string {
	switch k {
	case Time:
		return `a time such as "90s"`
	case Bool, "empty":
		return string(k)
	}
	return "a " + string(k)
}

func kinds(list []Kind) string {
	var words []string
	for _, k := range list {
		words = append(words, k.words())
	}
	return strings.Join(words, " or ")
}

func wrong(format string, args ...any) error {
	return piton.Errorf(piton.Invalid, "", "", "%s", fmt.Sprintf(format, args...))
}

// nearest suggests one of the names for a misspelt one, or lists some of them.
func nearest(name string, names []string) string {
	if len(names) == 0 {
		return "; it has none"
	}
	return cmp.Or(plan.DidYouMean(name, names), fmt.Sprintf("; it has %d others", len(names)))
}
