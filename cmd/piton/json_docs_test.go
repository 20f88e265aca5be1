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
// them, and says "never" just of those that are always there.
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

// jsonForm is the fields of a type or a table, with whether each may be absent.
type jsonForm map[string]bool

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
		if absent, ok := forms[its][name]; !ok {
			t.Errorf("table %s: %s has no field %s", table, its, name)
		} else if absent != rows[name] && table+" "+name != "rules 1 from" { // its tag is for a file
			t.Errorf("table %s: %s of %s may be absent: %v, and the table says %v", table, name, its, absent, rows[name])
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

// tableRows are the fields of a table, with whether each may be absent.
func tableRows(table string) jsonForm {
	rows := jsonForm{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(line, "| |", "|  |")), " |"), " | ")
		if strings.Contains(cells[0], "(#checkpoint)") {
			maps.Copy(rows, formOf(reflect.TypeFor[piton.Checkpoint]()))
		}
		for _, m := range fieldName.FindAllStringSubmatch(cells[0], -1) {
			says := strings.TrimSpace(cells[len(cells)-1])
			rows[m[1]] = says != "never" && !strings.Contains(says, ":") || strings.Contains(says, "`"+m[1]+"`:")
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
		if !field.IsExported() || field.Anonymous && name == "" || name == "-" || name == "" {
			continue
		}
		f[name] = strings.Contains(options, "omit")
	}
	return f
}
