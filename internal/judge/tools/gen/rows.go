package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// rows writes what a file says beside its outputs as Go literals. A field of a row is a
// key of its name; constants are named, and so are lists that several rows share.
type rows struct {
	bytes.Buffer
	lists  map[string]string // {name} in a text stands for this one
	names  map[string]bool   // the constants of the package
	shared map[string]bool   // the lists of rows that have a name
}

// suffixes end the names of lists that rows share, by what they are lists of.
var suffixes = map[reflect.Type]string{
	reflect.TypeFor[[]tools.Picks]():    "Picks",
	reflect.TypeFor[[]tools.Case]():     "Writes",
	reflect.TypeFor[[]tools.Spot]():     "Spots",
	reflect.TypeFor[[]tools.Spelling](): "Spells",
}

// maxLine is after how many bytes of rows a line of the table ends.
const maxLine = 6000

// list writes a variable that holds rows of one type, on few lines: what is read and
// compared is the data.
func (w *rows) list(name string, of reflect.Type, all []any) error {
	fmt.Fprintf(w, "var %s = []%s{", name, short(of))
	line := w.Len()
	for _, row := range all {
		if err := w.value(of, row); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		w.WriteString(", ")
		if w.Len()-line > maxLine {
			w.WriteByte('\n')
			line = w.Len()
		}
	}
	_, err := w.WriteString("}\n")
	return err
}

// value writes a value of a type.
func (w *rows) value(t reflect.Type, v any) error {
	switch x := v.(type) {
	case map[string]any:
		return w.row(t, x)
	case []any:
		fmt.Fprintf(w, "%s{", short(t))
		for _, one := range x {
			if err := w.value(t.Elem(), one); err != nil {
				return err
			}
			w.WriteString(", ")
		}
		return w.WriteByte('}')
	case string:
		return w.text(t, x)
	}
	fmt.Fprintf(w, "%#v", v)
	return nil
}

func short(t reflect.Type) string { return strings.ReplaceAll(t.String(), "tools.", "") }

// row writes a struct, or a pointer to one. A key that is not a field is an error.
func (w *rows) row(t reflect.Type, row map[string]any) error {
	if t.Kind() == reflect.Pointer {
		w.WriteByte('&')
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("%v is not a row of %v", row, t)
	}
	left := maps.Clone(row)
	if err := w.fields(t, row, left); err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("a row of %v has no %v", t, slices.Sorted(maps.Keys(left)))
	}
	return nil
}

// fields writes a struct with the fields that are set, those of its groups too, and takes
// them from what is left.
func (w *rows) fields(t reflect.Type, row, left map[string]any) error {
	fmt.Fprintf(w, "%s{", short(t))
	for i := range t.NumField() {
		field, err := t.Field(i), error(nil)
		key := keyOf(field.Name, left)
		switch before := w.Len(); {
		case field.Anonymous:
			set := len(left)
			fmt.Fprintf(w, "%s: ", field.Name)
			if err = w.fields(field.Type, row, left); set == len(left) {
				w.Truncate(before)
				continue
			}
		case key == "":
			continue
		default:
			delete(left, key)
			fmt.Fprintf(w, "%s: ", field.Name)
			err = w.value(field.Type, row[key])
		}
		if err != nil {
			return fmt.Errorf("%s: %w", field.Name, err)
		}
		w.WriteString(", ")
	}
	return w.WriteByte('}')
}

// keyOf is the key of a row that a field is written with; "" if there is none.
func keyOf(field string, row map[string]any) string {
	for key := range row {
		if strings.EqualFold(strings.ReplaceAll(key, "-", ""), field) {
			return key
		}
	}
	return ""
}

var listName = regexp.MustCompile(`\{([A-Za-z]\w+)\}`)

// text writes what stands for a value of a type: itself; the name of a list of rows;
// the words of a set.
func (w *rows) text(t reflect.Type, text string) error {
	switch suffix := suffixes[t]; {
	case suffix != "" && w.shared[text+suffix]:
		w.WriteString(text + suffix)
		return nil
	case t.Kind() == reflect.String:
		fmt.Fprintf(w, "%q", w.filled(text))
		return nil
	case suffix != "" || t.PkgPath() == "":
		return fmt.Errorf("%q is no %v", text, t)
	}
	for i, word := range strings.Fields(text) {
		exported := strings.ToUpper(word[:1]) + word[1:]
		if !w.names[word] {
			word = exported
		}
		if !w.names[word] {
			return fmt.Errorf("%s is not a constant of the package", word)
		}
		w.WriteString([]string{"", " | "}[min(i, 1)] + word)
	}
	return nil
}

// filled is a text with the lists that it names.
func (w *rows) filled(text string) string {
	return listName.ReplaceAllStringFunc(text, func(name string) string {
		if list := w.lists[name[1:len(name)-1]]; list != "" {
			return w.filled(list)
		}
		return name
	})
}

// constants are those of the package in a folder that are written by hand.
func constants(dir string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	names := map[string]bool{}
	for _, file := range files {
		parsed, parseErr := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if parseErr != nil {
			return nil, parseErr
		}
		for name, object := range parsed.Scope.Objects {
			names[name] = names[name] || object.Kind == ast.Con
		}
	}
	return names, err
}
