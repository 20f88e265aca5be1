package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// arguments decodes the arguments of a call. A name may be spelled with
// underscores or in other case, as models write them; an unknown one is an error,
// because leaving it out could mean another checkpoint.
func arguments[In any](raw json.RawMessage, known form) (in In, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return in, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return in, piton.Errorf(piton.Invalid, "", "give the arguments as one JSON object", "the arguments cannot be read: %v", err)
	}
	read := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		arg, ok := spelled(known, name)
		if !ok {
			return in, piton.Errorf(piton.Invalid, "", "the arguments are: "+strings.Join(names(known), ", "), "there is no argument %q", name)
		}
		if _, twice := read[arg]; twice {
			return in, piton.Errorf(piton.Invalid, "", "give it once", "the argument %s is given twice", arg)
		}
		if string(value) != "null" {
			read[arg] = value
		}
	}
	for _, name := range known.Required {
		if _, ok := read[name]; !ok {
			return in, piton.Errorf(piton.Invalid, "", "give "+name, "the argument %s is missing", name)
		}
	}
	// A state is large: it is not written and read once more with the others.
	held, _ := any(&in).(holder)
	large := read["state"]
	if held != nil {
		delete(read, "state")
	}
	body, err := json.Marshal(read)
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err == nil && held != nil && large != nil {
		held.hold(large)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return in, piton.Errorf(piton.Invalid, "", "give "+article(kind.Type.Kind().String()), "the argument %s is a JSON %s", kind.Field, kind.Value)
	}
	if err != nil {
		return in, piton.Errorf(piton.Invalid, "", "", "the arguments cannot be read: %v", err)
	}
	return in, nil
}

// holder are arguments with a state.
type holder interface{ hold(json.RawMessage) }

// spelled finds the argument that a name means.
func spelled(known form, name string) (string, bool) {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for arg := range known.Properties {
		if plain(arg) == plain(name) {
			return arg, true
		}
	}
	return "", false
}

func names(known form) []string { return slices.Sorted(maps.Keys(known.Properties)) }

// article names a Go kind in the words of JSON.
func article(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case kind == "bool":
		return "true or false"
	case kind == "slice":
		return "an array"
	case kind == "struct", kind == "map":
		return "an object"
	}
	return "a " + kind
}
