package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
)

var inputTypes = []string{"string", "number", "boolean", "choice", "object", "list"}

// Values gives a plan's inputs their values: those given, else the defaults, else
// nil. A given text is read as the input's type. Missing are the required ones
// that have neither: the caller asks for them, or refuses. Invalid for an unknown
// name or a value of another type; the value is not repeated.
func Values(p Plan, given map[string]any) (values map[string]any, missing []Input, err error) {
	var slips []string
	var names []string
	for _, in := range p.Inputs {
		names = append(names, in.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			more := DidYouMean(name, names)
			if len(names) == 0 {
				more = "; the plan has none"
			}
			slips = append(slips, fmt.Sprintf("there is no input %s%s", quoted(name), more))
		}
	}
	values = map[string]any{}
	for _, in := range p.Inputs {
		v, ok := given[in.Name]
		switch {
		case ok && v != nil:
			if values[in.Name], err = in.value(v); err != nil {
				slips = append(slips, fmt.Sprintf("the input %s: %v", quoted(in.Name), err))
			}
		case in.Default != nil:
			values[in.Name] = in.Default
		default:
			values[in.Name] = nil
			if in.Required {
				missing = append(missing, in)
			}
		}
	}
	if len(slips) > 0 {
		return nil, nil, piton.Errorf(piton.Invalid, "read the inputs", "'input NAME=VALUE' gives a value", "%s", strings.Join(slips[:min(len(slips), maxSlips)], "; "))
	}
	return values, missing, nil
}

// NewValues gives the inputs of a run that goes on their values: those given now, else
// those it was started with, else the defaults. Inputs that only an older form of the
// plan had stay as they are. Invalid as in Values, and for a required input without a
// value, which a changed plan may have.
func NewValues(p Plan, kept, given map[string]any) (map[string]any, error) {
	all := maps.Clone(given)
	if all == nil {
		all = map[string]any{}
	}
	for _, in := range p.Inputs {
		if v, ok := kept[in.Name]; ok && all[in.Name] == nil {
			all[in.Name] = v
		}
	}
	values, missing, err := Values(p, all)
	switch {
	case err != nil:
		return nil, err
	case len(missing) > 0:
		return nil, piton.Errorf(piton.Invalid, "read the inputs", "give 'input "+missing[0].Name+"=VALUE'", "the input %s is missing", missing[0].Name)
	}
	for name, v := range kept {
		if _, ok := values[name]; !ok {
			values[name] = v
		}
	}
	return values, nil
}

// value is a value in the input's type; a text is read as one.
func (in Input) value(v any) (any, error) {
	v, err := jsonValue(v)
	if err != nil {
		return nil, err
	}
	text, isText := v.(string)
	switch in.Type {
	case "", "string":
		switch v := v.(type) {
		case string:
			return v, nil
		case float64, bool:
			return plainText(v), nil
		}
		return nil, errors.New("it wants a text")
	case "choice":
		if !isText {
			text = plainText(v)
		}
		if !slices.Contains(in.Options, text) {
			return nil, fmt.Errorf("it wants one of %s", strings.Join(in.Options, ", "))
		}
		return text, nil
	case "number":
		if isText {
			n, err := number(strings.TrimSpace(text))
			if err != nil {
				return nil, errors.New("it wants a number")
			}
			return n, nil
		}
		if n, ok := v.(float64); ok {
			return n, nil
		}
		return nil, errors.New("it wants a number")
	case "boolean":
		if isText {
			b, err := strconv.ParseBool(strings.TrimSpace(text))
			if err != nil {
				return nil, errors.New("it wants true or false")
			}
			return b, nil
		}
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, errors.New("it wants true or false")
	}
	return in.structured(v)
}

var errList = errors.New(`it wants a list, as in ["a", "b"] or a,b`)

// structured is a value of the types object and list: JSON, or for a list words
// with commas between them.
func (in Input) structured(v any) (any, error) {
	if text, ok := v.(string); ok {
		var read any
		err := json.Unmarshal([]byte(text), &read)
		switch {
		case err == nil:
			v = read
		case in.Type == "list" && strings.HasPrefix(strings.TrimSpace(text), "["):
			return nil, errList
		case in.Type == "list":
			list := []any{}
			for word := range strings.SplitSeq(text, ",") {
				if word = strings.TrimSpace(word); word != "" {
					list = append(list, word)
				}
			}
			return list, nil
		}
	}
	switch v.(type) {
	case map[string]any:
		if in.Type == "object" {
			return v, nil
		}
	case []any:
		if in.Type == "list" {
			return v, nil
		}
	default:
		if in.Type == "list" {
			return []any{v}, nil
		}
	}
	if in.Type == "object" {
		return nil, errors.New(`it wants a JSON object, as in {"key": "value"}`)
	}
	return nil, errList
}

// jsonValue is a Go value as JSON has it.
func jsonValue(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, float64, string:
		return v, nil
	case int:
		return float64(v), nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("it is not a value of JSON")
	}
	var out any
	err = json.Unmarshal(b, &out)
	return out, err
}

// plainText writes a value into a text: texts as they are, all else as compact
// JSON.
func plainText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
