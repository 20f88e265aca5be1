package redact_test

import (
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/need"
)

var planted = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

// plant puts the secret into every text of a value.
func plant(v reflect.Value, tag string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("a " + planted)
		if tag == "json" {
			v.SetString(`{"a":"` + planted + `"}`)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf("a " + planted))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(v.Elem(), tag)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{"a":"` + planted + `"}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plant(v.Index(0), tag)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		plant(key, tag)
		plant(elem, tag)
		v.SetMapIndex(key, elem)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("redact") != "-" {
				plant(v.Field(i), f.Tag.Get("redact"))
			}
		}
	}
}

func check[T any](t *testing.T) {
	var v T
	plant(reflect.ValueOf(&v).Elem(), "")
	before := fmt.Sprintf("%+v", v)
	if !strings.Contains(before, planted) {
		t.Fatalf("%T: nothing was planted", v)
	}
	// The bytes of slices are printed as numbers.
	text := func(v any) string {
		return fmt.Sprintf("%+v", v) + strings.ReplaceAll(fmt.Sprintf("%q", v), `\`, "")
	}
	if got := text(redact.Value(v).Get()); strings.Contains(got, planted) {
		t.Errorf("%T: got %s", v, got)
	}
	if after := fmt.Sprintf("%+v", v); after != before {
		t.Errorf("%T was changed", v)
	}
}

// Whatever text a noun has, now or with a new field, a clean one holds no
// secret in it.
func TestNounsAreClean(t *testing.T) {
	check[piton.Checkpoint](t)
	check[piton.Workflow](t)
	check[piton.Project](t)
	check[[]piton.Alias](t)
	check[agent.Session](t)
	check[agent.Turn](t)
	check[agent.Decision](t)
	check[agent.Verified](t)
	check[agent.Letter](t)
	check[store.LogEvent](t)
	check[store.Entry](t)
	check[store.Prepared](t)
	check[piton.Run](t)
	check[piton.Answer](t)
}

// Only these make a clean value of what they have not looked at.
func TestWhoMayLeaveTheCheckOut(t *testing.T) {
	out, err := exec.Command("git", "-C", "../..", "grep", "-l", `redact\.Unchecked(`, "--", "internal", "cmd", "checkpoints").Output()
	if err != nil {
		need.Missing(t, "this is not a git checkout")
	}
	want := []string{
		"internal/history/export.go",       // entries read from the store, for an export and the archive
		"internal/history/flush.go",        // states read from this machine's file
		"internal/run/action/artifacts.go", // files that were searched, and are kept as they are
		"internal/states/parts.go",         // a state of which each changed part was searched
		"internal/states/recent.go",        // the same, and one that its owner keeps with the secrets in it
	}
	for file := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/testkit/") || strings.HasPrefix(file, "internal/redact/") {
			continue
		}
		if !slices.Contains(want, file) {
			t.Errorf("%s leaves the check out", file)
		}
	}
}
