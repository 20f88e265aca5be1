package runner

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
)

// fillAll gives every exported field under v a value of its own kind that is not zero.
// A kind that it does not know fails the test: a new field is never passed over.
func fillAll(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Interface().(type) {
	case piton.Time:
		v.Set(reflect.ValueOf(piton.At(time.UnixMilli(1767323045000))))
		return
	case time.Duration:
		v.SetInt(int64(time.Minute)) // the settings of a plan have whole units
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"a":1}`))
		return
	case Status:
		v.SetString(string(Failed))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Interface:
		v.Set(reflect.ValueOf("any"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillAll(t, v.Index(0))
	case reflect.Map:
		one := reflect.New(v.Type().Elem()).Elem()
		fillAll(t, one)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("other"), one)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillAll(t, v.Field(i))
			}
		}
	default:
		t.Fatalf("%s: fillAll knows no value for this kind", v.Type())
	}
}

// TestEveryFieldIsKept: what a run is at is all in its state, so a field that is not
// written, or not read again, would be lost with its owner.
func TestEveryFieldIsKept(t *testing.T) {
	var want State
	fillAll(t, reflect.ValueOf(&want).Elem())
	want.Plan = []Step{{ID: "done", Status: Completed}, want.Plan[0]}
	want.Index = 1 // follows from the plan
	text, err := encode(want)
	if err != nil {
		t.Fatal(err)
	}
	var got State
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Result{})); diff != "" {
		t.Errorf("written as %s\nlost or changed (want -, got +):\n%s", text, diff)
	}
}

// TestEveryChangeOfAStepIsWritten: a step is written again where its stamp has
// changed. Only what comes from the plan, and what another program has put beside,
// does not change while a run works.
func TestEveryChangeOfAStepIsWritten(t *testing.T) {
	fixed := []string{"ID", "Description", "Action", "Parameters", "Dependencies", "Other"}
	for i := range reflect.TypeFor[Step]().NumField() {
		name := reflect.TypeFor[Step]().Field(i).Name
		if slices.Contains(fixed, name) {
			continue
		}
		var x Step
		fillAll(t, reflect.ValueOf(&x).Elem().Field(i))
		if stampOf(x) == stampOf(Step{}) {
			t.Errorf("a change of %s alone would not be written", name)
		}
	}
}
