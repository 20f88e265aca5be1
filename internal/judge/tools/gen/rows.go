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
// key of its name; a function is named, and so are the words of a set.
type rows struct {
	bytes.Buffer
	lists map[string]string // {name} in a text stands for this one
	names map[string]bool   // the functions and constants of the package
}

// list writes a slice of rows of one type.
func (w *rows) list(name string, of reflect.Type, all []any) error {
	if len(all) == 0 {
		return nil
	}
	fmt.Fprintf(w, "var %s = []%s{\n", name, short(of))
	for _, row := range all {
		if err := w.value(of, row); err != nil {
			return err
		}
		w.WriteString(",\n")
	}
	_, err := w.WriteString("}\n\n")
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

// row writes a struct, or a pointer to one. A key that is no field is an error.
func (w *rows) row(t reflect.Type, row map[string]any) error {
	if t.Kind() == reflect.Pointer {
		w.WriteByte('&')
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("%v is no row of %v", row, t)
	}
	left := maps.Clone(row)
	fmt.Fprintf(w, "%s{", short(t))
	for i := range t.NumField() {
		field := t.Field(i)
		for key, v := range row {
			if !strings.EqualFold(strings.ReplaceAll(key, "-", ""), field.Name) {
				continue
			}
			delete(left, key)
			fmt.Fprintf(w, "%s: ", field.Name)
			if err := w.value(field.Type, v); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			w.WriteString(", ")
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("a row of %v has no %v", t, slices.Sorted(maps.Keys(left)))
	}
	return w.WriteByte('}')
}

var listName = regexp.MustCompile(`\{([a-z]\w+)\}`)

// text writes what stands for a value of a type: itself; the name of a function, or of
// rows that say what a tool's arguments pick or change; the words of a set.
func (w *rows) text(t reflect.Type, text string) error {
	switch {
	case t == reflect.TypeFor[[]tools.Picks]():
		w.WriteString(text + "Picks")
	case t == reflect.TypeFor[[]tools.Case]():
		w.WriteString(text + "Writes")
	case t.Kind() == reflect.String:
		w.WriteString(w.filled(text))
	case t.Kind() == reflect.Func:
		return w.named(text)
	case t.PkgPath() != "":
		for i, word := range strings.Fields(text) {
			w.WriteString([]string{"", " | "}[min(i, 1)])
			if err := w.named(strings.ToUpper(word[:1]) + word[1:]); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("%q is no %v", text, t)
	}
	return nil
}

// filled is a text with the lists that it names.
func (w *rows) filled(text string) string {
	return listName.ReplaceAllStringFunc(fmt.Sprintf("%q", text), func(name string) string {
		if bare := name[1 : len(name)-1]; w.lists[bare] != "" {
			return `"+` + bare + `+"`
		}
		return name
	})
}

func (w *rows) named(name string) error {
	if !w.names[name] {
		return fmt.Errorf("%s is no function and no constant of the package", name)
	}
	w.WriteString(name)
	return nil
}

// packageNames are the functions and constants of the package in a folder.
func packageNames(dir string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	names := map[string]bool{}
	for _, file := range files {
		parsed, parseErr := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if parseErr != nil {
			return nil, parseErr
		}
		for name, object := range parsed.Scope.Objects {
			if object.Kind == ast.Fun || object.Kind == ast.Con {
				names[name] = true
			}
		}
	}
	return names, err
}
