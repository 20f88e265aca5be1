// Package request reads what a verb is asked, at every door, from one declaration: a
// struct whose fields say in tags what they are. A door never names a field.
//
// A tag has one value for all doors; key.cli, key.http, key.mcp change it for one.
//
//	help      what it is, in a few words
//	cli, http, mcp  another name there, or "- reason" where the door leaves it out
//	arg       its place among the command line's arguments, from 1; "rest" takes all others
//	path, header    its name in the path or the header of an HTTP request
//	short, value    one letter, and the placeholder in help, of the command line
//	not       of a *bool: the name of its opposite in doors that take text
//	split     what separates the parts of a list that is given as one text
//	default, min, max, enum  checked here, shown in every schema
//	schema    "any": schemas name no type, because it may be of several
//	empty     "ok": an empty text is a value
//	required  "yes": it cannot be left out
//	hint      what to do where it is missing or out of range
//	flag      "yes": an argument that may be given as a flag too
//	one       words: of all fields with one of them, one at most is given
//	complete  what a shell offers: checkpoint, workflow, session, run, plan, dir, file
package request

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Door is a way in.
type Door string

// The doors that read requests.
const (
	CLI  Door = "cli"
	HTTP Door = "http"
	MCP  Door = "mcp"
)

// doors say how a name is written there, what is put before it in messages, and what a
// field is called.
var doors = map[Door]struct {
	join   func(words []string) string
	prefix string
	kind   string
}{
	CLI:  {func(w []string) string { return strings.Join(w, "-") }, "--", "flag"},
	HTTP: {func(w []string) string { return strings.Join(w, "_") }, "", "member"},
	MCP:  {camel, "", "argument"},
}

func camel(words []string) string {
	text := words[0]
	for _, w := range words[1:] {
		text += strings.ToUpper(w[:1]) + w[1:]
	}
	return text
}

// Field is a field of a request.
type Field struct {
	Go    string // its name
	Type  reflect.Type
	tag   reflect.StructTag
	index []int
	words []string // of its name, in small letters
}

// Form is what a request can have.
type Form struct {
	Type   reflect.Type
	Fields []Field
}

var forms sync.Map // of *Form, by type

// FormOf is the form of a request's type: its fields, and those of embedded structs.
func FormOf(t reflect.Type) *Form {
	if f, ok := forms.Load(t); ok {
		return f.(*Form)
	}
	form := &Form{Type: t}
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.IsExported() {
			form.Fields = append(form.Fields, Field{f.Name, f.Type, f.Tag, f.Index, split(f.Name)})
		}
	}
	f, _ := forms.LoadOrStore(t, form)
	return f.(*Form)
}

// At are the fields that a door has.
func (f *Form) At(d Door) []Field {
	return slices.DeleteFunc(slices.Clone(f.Fields), func(x Field) bool { return x.Name(d) == "" })
}

// Named is the field with this name at a door.
func (f *Form) Named(d Door, name string) (Field, bool) {
	for _, x := range f.Fields {
		if slices.Contains(x.Names(d), name) {
			return x, true
		}
	}
	return Field{}, false
}

// Tag is what a tag says at a door: that of the door before that for all.
func (f Field) Tag(key string, d Door) string {
	if text, ok := f.tag.Lookup(key + "." + string(d)); ok {
		return text
	}
	return f.tag.Get(key)
}

// Has tells whether a tag is there and says something.
func (f Field) Has(key string, d Door) bool { return f.Tag(key, d) != "" }

// Name is the field's name at a door; "" where the door leaves it out.
func (f Field) Name(d Door) string {
	given := f.tag.Get(string(d))
	switch {
	case strings.HasPrefix(given, "- "):
		return ""
	case given != "":
		return given
	}
	return doors[d].join(f.words)
}

// Names are its names at a door: in those that take text, a switch can have an opposite.
func (f Field) Names(d Door) []string {
	name := f.Name(d)
	if name == "" {
		return nil
	}
	if not := f.tag.Get("not"); not != "" && d != MCP {
		return []string{name, not}
	}
	return []string{name}
}

// Help says what the field means under one of its names.
func (f Field) Help(d Door, name string) string {
	if not := f.tag.Get("not"); not != "" && name == not {
		return f.tag.Get("help.not")
	}
	return f.Tag("help", d)
}

// Groups are those of fields of which one at most is given.
func (f Field) Groups(d Door) []string { return strings.Fields(f.Tag("one", d)) }

// shown is the field as a message calls it.
func (f Field) shown(d Door) string {
	if f.Has("arg", d) && d == CLI {
		return "the " + strings.ToLower(strings.ReplaceAll(cmp.Or(f.Tag("value", d), f.Name(d)), "|", " or "))
	}
	return doors[d].prefix + f.Name(d)
}

// split cuts a Go name into words in small letters: DurationMS is duration, ms.
func split(name string) (words []string) {
	start := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || unicode.IsUpper(rune(name[i])) && !unicode.IsUpper(rune(name[i-1])) {
			words, start = append(words, strings.ToLower(name[start:i])), i
		}
	}
	return words
}

// Switch tells whether it is named and takes no value.
func (f Field) Switch() bool { return f.base().Kind() == reflect.Bool }

// Many tells whether it may be given again, in doors that take text.
func (f Field) Many() bool {
	return f.Type.Kind() == reflect.Slice && f.Type != rawType || f.Type.Kind() == reflect.Map
}

// base is its type without a pointer.
func (f Field) base() reflect.Type {
	if f.Type.Kind() == reflect.Pointer {
		return f.Type.Elem()
	}
	return f.Type
}

// Enum are the words that it may be; nil where it may be any.
func (f Field) Enum() []string {
	if words := f.tag.Get("enum"); words != "" {
		return enums[words]
	}
	return nil
}

// bound is the tag min, max or default as a number.
func (f Field) bound(key string, d Door) (float64, bool) {
	n, err := strconv.ParseFloat(f.Tag(key, d), 64)
	return n, err == nil
}

// rawType is the type of a state.
var rawType = reflect.TypeFor[json.RawMessage]()

// enums are the lists that the tag enum names.
var enums = map[string][]string{}

// Enum names a list of words for the tag enum. It is for package variables.
func Enum(name string, words []string) bool {
	enums[name] = words
	return true
}
