package request

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
)

// Reading reads one request at a door.
type Reading struct {
	Fields []Field // that can be given; those of the door, until they are made fewer
	door   Door
	req    reflect.Value     // a pointer to it
	given  map[string]string // the names they were given under, by their names in Go
}

// Read begins to read a request into req, a pointer to a struct: every field has its
// default.
func Read(d Door, req any) *Reading {
	form := FormOf(reflect.TypeOf(req).Elem())
	r := &Reading{form.At(d), d, reflect.ValueOf(req), map[string]string{}}
	for _, f := range form.Fields {
		if text := f.Tag("default", d); text != "" {
			if err := f.fromText(r.value(f), text); err != nil {
				panic(err) // it is ours
			}
		}
	}
	return r
}

func (r *Reading) value(f Field) reflect.Value { return r.req.Elem().FieldByIndex(f.index) }

// Given tells whether a field was given, by its name in Go.
func (r *Reading) Given(name string) bool { return r.given[name] != "" }

// give marks a field as given under a name.
func (r *Reading) give(f Field, name string) { r.given[f.Go] = cmp.Or(name, f.shown(r.door)) }

// Text takes a field's value from text, under one of its names.
func (r *Reading) Text(f Field, name, text string) error {
	before, now := r.given[f.Go], cmp.Or(name, f.shown(r.door))
	again := before != "" && !f.Many()
	switch {
	case again && before != now && f.tag.Get("not") != "":
		return invalid("give one of them", "%s and %s exclude each other", doors[r.door].prefix+before, doors[r.door].prefix+now)
	case again && (before != now || r.door != CLI): // of a flag the last one counts
		return r.wrong(f, "give it once", "is given twice")
	case strings.TrimSpace(text) == "" && f.tag.Get("empty") != "ok":
		return r.wrong(f, "give it a value, or leave it out", "is empty")
	}
	first := before == ""
	r.give(f, name)
	if not := f.tag.Get("not"); not != "" && name == not {
		yes, err := strconv.ParseBool(text)
		if err != nil {
			return r.wrong(f, "give true or false", "cannot be %q", text)
		}
		text = strconv.FormatBool(!yes)
	}
	v := r.value(f)
	if first && f.Many() {
		v.SetZero() // without its default
	}
	if err := f.fromText(v, text); err != nil {
		return r.refused(f, err)
	}
	return nil
}

// fromText sets a value from text.
func (f Field) fromText(v reflect.Value, text string) error {
	if f.Type.Kind() == reflect.Pointer {
		v.Set(reflect.New(f.Type.Elem()))
		v = v.Elem()
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Slice:
		if f.Type == rawType {
			v.SetBytes([]byte(text))
			return nil
		}
		parts := []string{text}
		if by := f.tag.Get("split"); by != "" {
			parts = strings.Split(text, by)
		}
		for _, p := range parts {
			v.Set(reflect.Append(v, reflect.ValueOf(strings.TrimSpace(p)).Convert(v.Type().Elem())))
		}
	case reflect.Map:
		return setPair(v, text)
	default:
		return plain(v, text)
	}
	return nil
}

// setPair puts NAME=VALUE into a map.
func setPair(v reflect.Value, text string) error {
	name, value, ok := strings.Cut(text, "=")
	if name = strings.TrimSpace(name); !ok || name == "" {
		return fault{"give {} NAME=VALUE", fmt.Sprintf(": %q has no value", text)}
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	key := reflect.ValueOf(name)
	if v.MapIndex(key).IsValid() {
		return fault{"give it once", fmt.Sprintf("has %s twice", name)}
	}
	v.SetMapIndex(key, reflect.ValueOf(value).Convert(v.Type().Elem()))
	return nil
}

// plain sets a number or a switch.
func plain(v reflect.Value, text string) error {
	var err error
	switch v.Kind() {
	case reflect.Bool:
		var yes bool
		yes, err = strconv.ParseBool(text)
		v.SetBool(yes)
	case reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		v.SetFloat(x)
	default:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fault{"", fmt.Sprintf(": %q is too large a number", text)}
	case err != nil:
		return fault{"", fmt.Sprintf(": %q is not %s", text, takes(v.Type()))}
	}
	return nil
}

// JSON takes the fields of an object. A model may spell a name in another way.
func (r *Reading) JSON(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	if err := r.whole(body); err != nil {
		return err
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = dec.ReadToken()
	for dec.PeekKind() == '"' {
		token, _ := dec.ReadToken()
		name := token.String()
		value, _ := dec.ReadValue()
		raw := json.RawMessage(bytes.Clone(value))
		f, ok := r.spelled(name)
		switch {
		case !ok:
			return invalid("there are: "+strings.Join(r.names(), ", "), "there is no %s %q", doors[r.door].kind, name)
		case r.Given(f.Go):
			return r.wrong(f, "give it once", "is given twice")
		case string(raw) == "null", r.door == MCP && f.leftOut(raw):
			continue
		}
		r.give(f, f.Name(r.door))
		if text := ""; r.door == MCP && f.Type == rawType && json.Unmarshal(raw, &text) == nil {
			raw = json.RawMessage(text) // and a state as a text
		}
		if err := f.fromJSON(r.value(f), raw); err != nil {
			return r.refused(f, err)
		}
	}
	return nil
}

// leftOut tells whether a value says nothing: a model writes out what it leaves out.
func (f Field) leftOut(raw json.RawMessage) bool {
	least, ok := f.bound("min", MCP)
	return string(raw) == `""` || string(raw) == "0" && ok && least > 0
}

// whole refuses what is not one JSON object. Programs are held to what JSON is; a model's
// client may let more pass, and who keeps a state holds that to it.
func (r *Reading) whole(body []byte) error {
	lax := r.door == MCP
	v := jsontext.Value(bytes.Clone(body))
	if err := v.Compact(jsontext.AllowDuplicateNames(lax), jsontext.AllowInvalidUTF8(lax)); err != nil {
		hint, cause := states.Fault(body, err)
		return invalid(hint, "the request cannot be read: %v", cause)
	}
	if v.Kind() != '{' {
		return invalid("give one JSON object", "the request is not a JSON object")
	}
	return nil
}

// spelled is the field that a name means.
func (r *Reading) spelled(name string) (Field, bool) {
	if i := slices.IndexFunc(r.Fields, func(f Field) bool { return f.Name(r.door) == name }); i >= 0 {
		return r.Fields[i], true
	}
	if r.door != MCP {
		return Field{}, false
	}
	small := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, f := range r.Fields {
		if small(f.Name(r.door)) == small(name) {
			return f, true
		}
	}
	return Field{}, false
}

func (r *Reading) names() (list []string) {
	for _, f := range r.Fields {
		list = append(list, f.Name(r.door))
	}
	slices.Sort(list)
	return list
}

// fromJSON sets a value from JSON.
func (f Field) fromJSON(v reflect.Value, raw json.RawMessage) error {
	var text string
	isText := raw[0] == '"' && json.Unmarshal(raw, &text) == nil
	switch {
	case f.Type == rawType:
		v.SetBytes(raw) // a state keeps its bytes
		return nil
	case isText && strings.TrimSpace(text) == "" && f.tag.Get("empty") != "ok":
		return fault{"give it a value, or leave it out", "is empty"}
	case isText && f.base().Kind() == reflect.String:
		return f.fromText(v, text)
	case f.Type.Kind() == reflect.Slice && raw[0] == '[':
		return f.fromArray(v, raw)
	}
	err := json.Unmarshal(raw, v.Addr().Interface())
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fault{"give " + takes(f.base()), "is a JSON " + kind.Value}
	}
	return err
}

// fromArray sets a list of texts, none of them empty.
func (f Field) fromArray(v reflect.Value, raw json.RawMessage) error {
	var texts []*string
	if err := json.Unmarshal(raw, &texts); err != nil {
		return fault{"give " + takes(f.Type), "has an element that is not a text"}
	}
	list := reflect.MakeSlice(f.Type, 0, len(texts))
	for _, t := range texts {
		if t == nil || strings.TrimSpace(*t) == "" {
			return fault{"", "has an element that is empty"}
		}
		list = reflect.Append(list, reflect.ValueOf(*t).Convert(f.Type.Elem()))
	}
	v.Set(list)
	return nil
}

// takes says in a few words what a type takes.
func takes(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array of texts"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a text"
}

// Check holds the request against its tags: what is required, the words, the bounds, and
// what excludes each other.
func (r *Reading) Check() error {
	only := map[string]Field{}
	for _, f := range r.Fields {
		if err := r.check(f); err != nil {
			return err
		}
		for _, group := range f.Groups(r.door) {
			if other, ok := only[group]; ok && r.Given(f.Go) {
				return invalid("give one of them", "%s and %s exclude each other", other.shown(r.door), f.shown(r.door))
			}
			if r.Given(f.Go) {
				only[group] = f
			}
		}
	}
	return nil
}

func (r *Reading) check(f Field) error {
	v := reflect.Indirect(r.value(f))
	if f.Tag("required", r.door) == "yes" && !r.Given(f.Go) && f.Name(r.door) != "" {
		return r.wrong(f, cmp.Or(f.Tag("hint", r.door), "give "+f.shown(r.door)), "is missing")
	}
	if !v.IsValid() || !r.Given(f.Go) {
		return nil
	}
	if words := f.Enum(); words != nil && v.Kind() == reflect.String && !slices.Contains(words, v.String()) {
		return r.wrong(f, "one of "+strings.Join(words, ", "), "cannot be %q", v.String())
	}
	var n float64
	switch {
	case v.CanInt():
		n = float64(v.Int())
	case v.CanFloat():
		n = v.Float()
	case f.Many():
		n = float64(v.Len())
	default:
		return nil
	}
	least, hasLeast := f.bound("min", r.door)
	most, hasMost := f.bound("max", r.door)
	switch {
	case f.Many() && hasLeast && n < least:
		return r.wrong(f, cmp.Or(f.Tag("hint", r.door), "name one, or leave it out"), "is empty")
	case hasLeast && hasMost && (n < least || n > most):
		return r.wrong(f, cmp.Or(f.Tag("hint", r.door), fmt.Sprintf("give a number from %v to %v", least, most)), "%v is out of range", n)
	case hasLeast && n < least:
		return r.wrong(f, cmp.Or(f.Tag("hint", r.door), fmt.Sprintf("give a number from %v", least)), "%v is too small", n)
	}
	return nil
}

// fault is what is wrong with a value, and what to do.
type fault struct{ hint, what string }

func (f fault) Error() string { return f.what }

// refused says at which field a value was wrong.
func (r *Reading) refused(f Field, err error) error {
	var x fault
	if errors.As(err, &x) {
		return r.wrong(f, cmp.Or(strings.ReplaceAll(x.hint, "{}", f.shown(r.door)), f.Tag("hint", r.door)), "%s", x.what)
	}
	var e *piton.Error
	if errors.As(err, &e) {
		return invalid(e.Hint, "%s: %v", f.shown(r.door), e.Err)
	}
	return r.wrong(f, "", "%v", err)
}

func (r *Reading) wrong(f Field, hint, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if !strings.HasPrefix(what, ":") {
		what = " " + what
	}
	return invalid(hint, "%s%s", f.shown(r.door), what)
}

func invalid(hint, format string, args ...any) error {
	return piton.Errorf(piton.Invalid, "", hint, format, args...)
}
