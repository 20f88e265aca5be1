package screen

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/piton-project/piton"
)

// Filter chooses what of a JSON value is printed: with its zero value all.
type Filter struct {
	Fields []string   // members of the value, or of the objects in its lists
	Jq     *gojq.Code // printed is what it makes of the value; nil: the value
}

// ParseJq compiles an expression of jq. It sees no environment variables and no files.
func ParseJq(text string) (*gojq.Code, error) {
	q, err := gojq.Parse(text)
	var code *gojq.Code
	if err == nil {
		code, err = gojq.Compile(q)
	}
	if err != nil {
		return nil, piton.Errorf(piton.Invalid, "", "the jq manual explains expressions; an example: --jq '.checkpoints[].id'", "--jq: %v", err)
	}
	return code, nil
}

// empty reports whether the filter leaves a value as it is.
func (f Filter) empty() bool { return len(f.Fields) == 0 && f.Jq == nil }

// choose returns the chosen part of a JSON text. unknown names the fields that nothing in it
// has, and known those that something has.
func (f Filter) choose(text []byte) (v any, unknown, known []string, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || len(f.Fields) == 0 {
		return v, nil, nil, err
	}
	seen := map[string]bool{}
	v, _ = f.pick(v, seen)
	if seen[anyField] {
		return v, nil, nil, nil
	}
	unknown = slices.DeleteFunc(slices.Clone(f.Fields), func(name string) bool { return seen[name] })
	return v, unknown, slices.Sorted(maps.Keys(seen)), nil
}

// print writes what the filter makes of a value.
func (f Filter) print(s *Screen, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	v, unknown, known, err := f.choose(text)
	if err != nil {
		return err
	}
	if len(unknown) > 0 && len(known) > 0 {
		s.Tell("piton: warning: the answer has no field %s; it has: %s", strings.Join(unknown, ", "), strings.Join(known, ", "))
	}
	if f.Jq == nil {
		return WriteJSON(s.Out, v)
	}
	results := f.Jq.Run(v)
	for {
		x, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := x.(error); failed {
			return piton.Errorf(piton.Invalid, "", "the command was carried out, and only its answer could not be printed; --json alone prints all of it", "--jq: %v", err)
		}
		if err := printResult(s, x); err != nil {
			return err
		}
	}
}

// printResult writes a text as it is, and any other value as JSON.
func printResult(s *Screen, v any) error {
	if text, ok := v.(string); ok {
		return s.Print(text + "\n")
	}
	text, err := gojq.Marshal(v)
	if err != nil {
		return err
	}
	return WriteJSON(s.Out, json.RawMessage(text))
}

// anyField is seen in a list without objects: nobody can say which fields they would have.
const anyField = ""

// pick returns the chosen members of an object, and of the objects in its lists. It
// reports whether there were any, and notes the names of all that it has seen.
func (f Filter) pick(v any, seen map[string]bool) (any, bool) {
	switch v := v.(type) {
	case []any:
		rows, any := make([]any, len(v)), len(v) == 0
		if any {
			seen[anyField] = true
		}
		for i := range v {
			row, has := f.pick(v[i], seen)
			rows[i], any = row, any || has
		}
		return rows, any
	case map[string]any:
		picked := map[string]any{}
		for name, member := range v {
			seen[name] = true
			if slices.Contains(f.Fields, name) {
				picked[name] = member
			} else if rows, ok := member.([]any); ok {
				if list, has := f.pick(rows, seen); has {
					picked[name] = list
				}
			}
		}
		return picked, len(picked) > 0
	}
	return v, false
}
