package main

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/verbs"
)

// TestDocsJSON: each table of docs/json.md has the fields of an answer's type, all of
// them, with their types, and says "never" just of those that are always there.
func TestDocsJSON(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	forms := answerForms()
	if len(forms) < 50 {
		t.Fatalf("got %d types of answers, want all", len(forms))
	}
	_, above, _ := strings.Cut(string(text), "\n## ")
	for _, section := range strings.Split(above, "\n## ") {
		name, _, _ := strings.Cut(section, "\n")
		for i, table := range strings.Split(section, "\n| field | type | meaning | absent when |\n|---|---|---|---|\n")[1:] {
			table, _, _ = strings.Cut(table, "\n\n")
			if name == "Error" {
				continue // a failure is no answer
			}
			compareTable(t, fmt.Sprintf("%s %d", name, i+1), tableRows(table), forms)
		}
	}
}

// jsonForm is the fields of a type or a table.
type jsonForm map[string]jsonField

// jsonField is whether a field may be absent, and what it is: a string, number, boolean,
// time, list or object; empty where that is not said.
type jsonField struct {
	absent bool
	kind   string
}

// partly are the tables that say what is added to the fields of another one.
var partly = []string{"fork 1", "rules 1"}

// compareTable holds a table against the type that has most of its fields.
func compareTable(t *testing.T, table string, rows jsonForm, forms map[reflect.Type]jsonForm) {
	var its reflect.Type
	for _, typ := range slices.SortedFunc(maps.Keys(forms), func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) }) {
		if its == nil || fitsTable(rows, forms[typ]) > fitsTable(rows, forms[its]) {
			its = typ
		}
	}
	for _, name := range slices.Sorted(maps.Keys(forms[its])) {
		if _, ok := rows[name]; !ok && !slices.Contains(partly, table) {
			t.Errorf("table %s: %s has a field %s, and the table has not", table, its, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		got, want := rows[name], forms[its][name]
		if table+" "+name == "rules 1 from" {
			want.absent = false // its tag is for a file
		}
		if _, ok := forms[its][name]; !ok {
			t.Errorf("table %s: %s has no field %s", table, its, name)
		} else if got.absent != want.absent || got.kind != want.kind && got.kind != "" && want.kind != "" {
			t.Errorf("table %s, %s of %s: got %+v, want %+v", table, name, its, got, want)
		}
	}
}

// fitsTable is how well a type fits a table: it has many of its fields and few others.
func fitsTable(rows, f jsonForm) int {
	same := 0
	for name := range rows {
		if _, ok := f[name]; ok {
			same++
		}
	}
	return 1000*same - len(f)
}

var fieldName = regexp.MustCompile("`([a-z0-9_]+)`")

// tableRows are the fields of a table.
func tableRows(table string) jsonForm {
	rows := jsonForm{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(line, "| |", "|  |")), " |"), " | ")
		if strings.Contains(cells[0], "(#checkpoint)") {
			maps.Copy(rows, formOf(reflect.TypeFor[piton.Checkpoint]()))
		}
		names, kinds := fieldName.FindAllStringSubmatch(cells[0], -1), strings.Split(cells[1], ", ")
		for i, m := range names {
			says, kind := strings.TrimSpace(cells[len(cells)-1]), kinds[0]
			if len(kinds) == len(names) {
				kind = kinds[i]
			}
			kind, _, _ = strings.Cut(strings.TrimSpace(kind), " ")
			if !slices.Contains([]string{"string", "number", "boolean", "time", "list", "object"}, kind) {
				kind = ""
			}
			rows[m[1]] = jsonField{says != "never" && !strings.Contains(says, ":") || strings.Contains(says, "`"+m[1]+"`:"), kind}
		}
	}
	return rows
}

// answerForms are the types that the verbs and the application answer with, and all within.
func answerForms() map[reflect.Type]jsonForm {
	forms := map[reflect.Type]jsonForm{}
	for _, v := range verbs.All {
		collectForms(v.Answer, forms, map[reflect.Type]bool{})
	}
	a := reflect.TypeFor[*app.App]()
	collectAnswers(a, forms, map[reflect.Type]bool{})
	collectForms(reflect.TypeFor[runner.Event](), forms, map[reflect.Type]bool{})
	return forms
}

// collectAnswers collects what the methods of a type return.
func collectAnswers(t reflect.Type, forms map[reflect.Type]jsonForm, seen map[reflect.Type]bool) {
	for m := range t.NumMethod() {
		f := t.Method(m).Type
		for i := range f.NumOut() {
			out := f.Out(i)
			if out.Kind() == reflect.Pointer && strings.Contains(out.Elem().PkgPath(), "internal/app") && !seen[out] {
				seen[out] = true
				collectAnswers(out, forms, seen)
			}
			collectForms(out, forms, map[reflect.Type]bool{})
		}
	}
}

// collectForms adds a type and those of its fields.
func collectForms(t reflect.Type, forms map[reflect.Type]jsonForm, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collectForms(t.Elem(), forms, seen)
	case reflect.Struct:
		if seen[t] || !strings.Contains(t.PkgPath(), "piton-project") {
			return
		}
		seen[t] = true
		if f := formOf(t); len(f) > 0 {
			forms[t] = f
		}
		for i := range t.NumField() {
			collectForms(t.Field(i).Type, forms, seen)
		}
	}
}

// formOf are the fields of a type in JSON.
func formOf(t reflect.Type) jsonForm {
	f := jsonForm{}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" || name == "" {
			continue
		}
		f[name] = jsonField{strings.Contains(options, "omit"), kindOf(field.Type)}
	}
	return f
}

// kindOf is what a type is in JSON.
func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[piton.Time]():
		return "time"
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return "list"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64:
		return "number"
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map:
		return "object"
	}
	return ""
}

// TestDocsHTTP: docs/http.md names the path of each route.
func TestDocsHTTP(t *testing.T) {
	text, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs.All {
		for _, r := range v.Routes {
			if !r.Hidden && !regexp.MustCompile("`(GET |POST |DELETE )?"+regexp.QuoteMeta(r.Path)+"[`?]").Match(text) {
				t.Errorf("docs/http.md has no row of %s %s", r.Method, r.Path)
			}
		}
	}
}
