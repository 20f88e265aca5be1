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

func (p Plan) inputNames() (names []string) {
	for _, in := range p.Inputs {
		names = append(names, in.Name)
	}
	return names
}

// Values gives a plan's inputs their values: those given, else the defaults, else
// nil. A given text is read as the input's type. Missing are the required ones
// that have neither: the caller asks for them, or refuses. Invalid for an unknown
// name or a value of another type; the value is not repeated.
func Values(p Plan, given map[string]any) (values map[string]any, missing []Input, err error) {
	var slips []string
	names := p.inputNames()
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

var (
	errText   = errors.New("it wants a text")
	errNumber = errors.New("it wants a number")
	errBool   = errors.New("it wants true or false")
	errObject = errors.New(`it wants a JSON object, as in {"key": "value"}`)
	errList   = errors.New(`it wants a list, as in ["a", "b"] or a,b`)
)

// value is a value in the input's type; a text is read as one.
func (in Input) value(v any) (any, error) {
	v, err := jsonValue(v)
	if err != nil {
		return nil, err
	}
	switch in.Type {
	case "", "string":
		switch v.(type) {
		case string, float64, bool:
			return plainText(v), nil
		}
		return nil, errText
	case "choice":
		text := plainText(v)
		if !slices.Contains(in.Options, text) {
			return nil, fmt.Errorf("it wants one of %s", strings.Join(in.Options, ", "))
		}
		return text, nil
	case "number":
		return readAs(v, number, errNumber)
	case "boolean":
		return readAs(v, strconv.ParseBool, errBool)
	}
	return in.structured(v)
}

// readAs is a value of a type, or what a text says as one.
func readAs[T any](v any, read func(string) (T, error), wants error) (any, error) {
	if x, ok := v.(T); ok {
		return x, nil
	}
	text, _ := v.(string)
	x, err := read(strings.TrimSpace(text))
	if err != nil {
		return nil, wants
	}
	return x, nil
}

// structured is a value of the types object and list: JSON, or for a list words
// with commas between them.
func (in Input) structured(v any) (any, error) {
	text, isText := v.(string)
	isWords := isText && json.Unmarshal([]byte(text), &v) != nil
	_, isObject := v.(map[string]any)
	_, isList := v.([]any)
	switch {
	case in.Type == "object" && !isObject:
		return nil, errObject
	case in.Type == "object", isList:
		return v, nil
	case isObject, isWords && strings.HasPrefix(strings.TrimSpace(text), "["):
		return nil, errList
	case !isWords:
		return []any{v}, nil
	}
	list := []any{}
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list, nil
}

// jsonValue is a Go value as JSON has it.
func jsonValue(v any) (any, error) {
	switch v.(type) {
	case nil, bool, float64, string:
		return v, nil
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
