package redact

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Clean is a value without secrets. Only this package makes one, so whatever
// keeps, logs, prints or sends texts takes it instead of the value itself. The
// zero Clean holds the zero value.
type Clean[T any] struct{ value T }

// Get returns the value.
func (c Clean[T]) Get() T { return c.value }

// Value takes the secrets out of every text of v: strings and bytes in its
// exported fields, in slices, in maps and their keys, and behind pointers and
// interfaces. v itself stays as it is. A struct's tag says how a field is read:
//
//	redact:"name"  it is found by this text, which loses only what Known takes out
//	redact:"json"  the text is a JSON document
//	redact:"-"     it is never kept or shown
func Value[T any](v T) Clean[T] {
	c, _ := By(nil, v)
	return c
}

// By is Value by rules. It also returns where each secret stood, as a JSON
// pointer into v as encoding/json writes it. Bytes of v that are those of a known
// document are not looked at again.
func By[T any](r *Rules, v T, known ...Document) (clean Clean[T], paths []string) {
	p := planOf(reflect.TypeFor[T]())
	if p.how == textless {
		return Clean[T]{v}, nil
	}
	c := cleaner{rules: r, known: known}
	c.walk(reflect.ValueOf(&v).Elem(), p, asText)
	return Clean[T]{v}, c.paths
}

// Name is a text by which something is found, as it is kept and looked up.
func Name(s string) Clean[string] {
	s, _ = Known(s)
	return Clean[string]{s}
}

// Document is a JSON document without secrets.
type Document = Clean[json.RawMessage]

// Find is JSON by these rules; instead of a count it returns where each secret
// stood, as a JSON pointer.
func (r *Rules) Find(doc []byte) (clean Document, paths []string, err error) {
	d := document{reader: newReader(r), src: doc, find: true}
	out, err := d.clean()
	for _, e := range d.edits {
		for range e.found {
			paths = append(paths, e.path)
		}
	}
	return Document{out}, paths, err
}

// Unchecked is v as it stands: it was read from where only clean values are put,
// or put together of parts that were found clean. It is the one way around the
// others; a test names its callers.
func Unchecked[T any](v T) Clean[T] { return Clean[T]{v} }

// shape is what a type holds of texts.
type shape uint8

const (
	textless shape = iota
	aString
	someBytes
	aStruct
	aSlice // or an array
	aMap
	aPointer
	anInterface
)

// reading is how a text is read.
type reading uint8

const (
	asText reading = iota
	asName
	asJSON
)

// shapes are those of the kinds of types that can hold texts.
var shapes = [...]shape{reflect.String: aString, reflect.Interface: anInterface, reflect.Slice: aSlice, reflect.Array: aSlice, reflect.Map: aMap,
	reflect.Pointer: aPointer, reflect.Struct: aStruct, reflect.UnsafePointer: textless}

// readings are those of the tags.
var readings = map[string]reading{"name": asName, "json": asJSON}

// plan is how the texts of a type are found, made once for each type.
type plan struct {
	how    shape
	fields []fieldPlan // of a struct
	key    *plan       // of a map
	elem   *plan       // of a map, a slice, a pointer
}

type fieldPlan struct {
	index int
	name  string // in JSON; empty: its fields stand among those around it
	read  reading
	*plan
}

var plans sync.Map // of reflect.Type to *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := newPlan(t, map[reflect.Type]*plan{})
	plans.Store(t, p)
	return p
}

// newPlan makes a type's plan. open are the plans that are being made, which a
// type that holds itself needs.
func newPlan(t reflect.Type, open map[reflect.Type]*plan) *plan {
	if p := open[t]; p != nil {
		return p
	}
	p := &plan{how: shapes[t.Kind()]}
	open[t] = p
	switch {
	case p.how == textless, p.how == aString, p.how == anInterface:
		return p
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		p.how = someBytes
		return p
	case p.how == aStruct:
		p.fields = fieldPlans(t, open)
	default:
		p.elem = newPlan(t.Elem(), open)
	}
	if p.how == aMap {
		p.key = newPlan(t.Key(), open)
	}
	if len(p.fields) == 0 && !p.elem.texts() && !p.key.texts() {
		p.how = textless
	}
	return p
}

// texts tells whether values of a type hold texts.
func (p *plan) texts() bool { return p != nil && p.how != textless }

// fieldPlans are the plans of the exported fields of a struct that hold texts.
func fieldPlans(t reflect.Type, open map[reflect.Type]*plan) (fields []fieldPlan) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("redact")
		if !f.IsExported() || tag == "-" {
			continue
		}
		if inner := newPlan(f.Type, open); inner.texts() {
			fields = append(fields, fieldPlan{i, jsonName(f), readings[tag], inner})
		}
	}
	return fields
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" && !f.Anonymous {
		return f.Name
	}
	return name
}

// cleaner goes over a value.
type cleaner struct {
	rules *Rules
	known []Document
	at    []string // the steps of the path
	paths []string
}

// walk takes the secrets out of a value that can be set. What is shared with
// others is copied first.
func (c *cleaner) walk(v reflect.Value, p *plan, read reading) {
	switch p.how {
	case aString:
		if s := v.String(); s != "" {
			if clean, n := c.text(s, read); n > 0 {
				v.SetString(clean)
			}
		}
	case someBytes:
		if read == asText && v.Type() == reflect.TypeFor[json.RawMessage]() {
			read = asJSON
		}
		if b := v.Bytes(); !slices.ContainsFunc(c.known, func(d Document) bool { return same(d.value, b) }) {
			if clean, n := c.text(string(b), read); n > 0 {
				v.SetBytes([]byte(clean))
			}
		}
	case aStruct:
		for _, f := range p.fields {
			r := read
			if f.read != asText {
				r = f.read
			}
			c.step(f.name, v.Field(f.index), f.plan, r)
		}
	case aSlice:
		if v.Kind() == reflect.Slice && v.Len() > 0 {
			own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(own, v)
			v.Set(own)
		}
		for i := range v.Len() {
			c.step(strconv.Itoa(i), v.Index(i), p.elem, read)
		}
	case aMap:
		c.walkMap(v, p, read)
	case aPointer, anInterface:
		if v.IsNil() {
			return
		}
		elem := p.elem
		if p.how == anInterface {
			elem = planOf(v.Elem().Type())
		}
		own := reflect.New(v.Elem().Type())
		own.Elem().Set(v.Elem())
		c.walk(own.Elem(), elem, read)
		if p.how == anInterface {
			own = own.Elem()
		}
		v.Set(own)
	}
}

// walkMap puts a new map in the place of one. Keys that become equal are
// numbered.
func (c *cleaner) walkMap(v reflect.Value, p *plan, read reading) {
	if v.Len() == 0 {
		return
	}
	own := reflect.MakeMapWithSize(v.Type(), v.Len())
	keys := v.MapKeys()
	if p.key.how == aString {
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	}
	for _, k := range keys {
		key, elem := reflect.New(k.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.Set(k)
		elem.Set(v.MapIndex(k))
		step := k.String()
		c.step("", key, p.key, read)
		if p.key.how == aString {
			step = key.String()
			for i := 2; own.MapIndex(key).IsValid(); i++ {
				key.SetString(step + "#" + strconv.Itoa(i))
			}
		}
		c.step(step, elem, p.elem, read)
		own.SetMapIndex(key, elem)
	}
	v.Set(own)
}

// step walks one step further in.
func (c *cleaner) step(name string, v reflect.Value, p *plan, read reading) {
	if name == "" {
		c.walk(v, p, read)
		return
	}
	c.at = append(c.at, name)
	c.walk(v, p, read)
	c.at = c.at[:len(c.at)-1]
}

// text takes the secrets out of one text and notes where it stands, once for
// each.
func (c *cleaner) text(s string, read reading) (clean string, found int) {
	switch read {
	case asName:
		clean, found = Known(s)
	case asJSON:
		doc, n, err := c.rules.JSON([]byte(s))
		if clean, found = string(doc), n; err != nil {
			clean, found = c.rules.Text(s) // it is none
		}
	default:
		clean, found = c.rules.Text(s)
	}
	for range found {
		c.paths = append(c.paths, c.pointer())
	}
	return clean, found
}

// same tells whether two slices are of the same bytes in memory.
func same(a, b []byte) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// pointer is where the walk stands, as a JSON pointer.
func (c *cleaner) pointer() string {
	var b strings.Builder
	for _, step := range c.at {
		b.WriteByte('/')
		escape.WriteString(&b, step)
	}
	return b.String()
}
