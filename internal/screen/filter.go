package screen

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
func ParseJq(text string, variables ...string) (*gojq.Code, error) {
	q, err := gojq.Parse(text)
	var code *gojq.Code
	if err == nil {
		code, err = gojq.Compile(q, gojq.WithVariables(variables))
	}
	if err != nil {
		return nil, piton.Errorf(piton.Invalid, "", "the jq manual explains expressions; an example: --jq '.checkpoints[].id'", "--jq: %v", err)
	}
	return code, nil
}

// pickFields leaves the members $fields of an object, of those in it, and of the objects in its
// lists, each of which then has the same ones.
const pickFields = `
def rows: type == "array" and all(.[]; type == "object");
def pick:
  if rows then
    map(pick) | (map(keys) | add // [] | unique) as $some | map(. as $row | reduce $some[] as $name ({}; .[$name] = $row[$name]))
  else
    with_entries(
      if IN(.key; $fields[]) then .
      elif .value | type == "object" and any(keys[]; IN($fields[])) then .value |= pick
      elif .value | rows then .value |= pick | select(.value == [] or any(.value[]; . != {}))
      else empty end)
  end;
if type == "object" or rows then pick else . end`

// empty reports whether the filter leaves a value as it is.
func (f Filter) empty() bool { return len(f.Fields) == 0 && f.Jq == nil }

// each hands what is to be printed of an answer to print.
func (f Filter) each(answer any, print func(any) error) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err
	}
	if len(f.Fields) > 0 {
		code, err := ParseJq(pickFields, "$fields")
		if err != nil {
			return err
		}
		var fields []any
		for _, name := range f.Fields {
			fields = append(fields, name)
		}
		v, _ = code.Run(v, fields).Next()
	}
	if f.Jq == nil {
		return print(v)
	}
	for results := f.Jq.RunWithContext(cmp.Or(f.Ctx, context.Background()), v); ; {
		x, ok := results.Next()
		if !ok {
			return nil
		}
		if failed, is := x.(error); is {
			return piton.Errorf(piton.Invalid, "", "the command was carried out, and only its answer could not be printed; '--json' alone prints all of it, which is "+shapeOf(v), "--jq: %v", failed)
		}
		if err := print(x); err != nil {
			return err
		}
	}
}

// shapeOf says where the rows of an answer are.
func shapeOf(v any) string {
	object, _ := v.(map[string]any)
	var lists []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, is := object[name].([]any); is {
			lists = append(lists, "."+name+"[]")
		}
	}
	if len(lists) == 0 {
		return "one value"
	}
	return "an object with " + strings.Join(lists, ", ")
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
