package screen

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/piton-project/piton"
)

// Filter chooses what of a JSON value is printed: with its zero value all.
type Filter struct {
	Fields []string        // members of the value, or of the objects in its lists
	Jq     *gojq.Code      // printed is what it makes of the value; nil: the value
	Ctx    context.Context // ends what Jq does; nil: nothing does
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

// choose returns the chosen part of an answer. unknown names the fields that it cannot have,
// and known those that it can.
func (f Filter) choose(answer any) (v any, unknown, known []string, err error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, nil, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || len(f.Fields) == 0 {
		return v, nil, nil, err
	}
	seen := map[string]bool{}
	fieldsOf(reflect.TypeOf(answer), seen)
	v, _ = f.pick(v, seen)
	unknown = slices.DeleteFunc(slices.Clone(f.Fields), func(name string) bool { return seen[name] })
	return v, unknown, slices.Sorted(maps.Keys(seen)), nil
}

// results are what the expression makes of a chosen value; without one the value itself.
func (f Filter) results(v any) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		if f.Jq == nil {
			yield(v, nil)
			return
		}
		ctx := f.Ctx
		if ctx == nil {
			ctx = context.Background()
		}
		for results := f.Jq.RunWithContext(ctx, v); ; {
			x, ok := results.Next()
			if !ok {
				return
			}
			var err error
			if failed, is := x.(error); is {
				x, err = nil, piton.Errorf(piton.Invalid, "", "the command was carried out, and only its answer could not be printed; '--json' alone prints all of it", "--jq: %v", failed)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// fieldsOf notes the JSON names of a type's fields, and of those of the rows of its lists.
func fieldsOf(t reflect.Type, seen map[string]bool) {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return
	}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "" || name == "-" || seen[name] {
			continue
		}
		if seen[name] = true; field.Type.Kind() == reflect.Slice {
			fieldsOf(field.Type, seen)
		}
	}
}

// pick returns the chosen members of an object, and of the objects in its lists. It
// reports whether there were any, and notes the names of all that it has seen.
func (f Filter) pick(v any, seen map[string]bool) (any, bool) {
	switch v := v.(type) {
	case []any:
		rows, any := make([]any, len(v)), len(v) == 0
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
