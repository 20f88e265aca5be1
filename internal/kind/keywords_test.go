package kind_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/kind"
)

// TestKeywords: the schemas of states use nothing of JSON Schema that is not checked.
func TestKeywords(t *testing.T) {
	checked := []string{"$ref", "type", "items", "properties", "required", "anyOf", "enum", "minLength", "minimum"}
	words := []string{"$schema", "$id", "$defs", "title", "description", "examples", "default"}
	for _, name := range kind.Names() {
		text, err := kind.Schema(name)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		defs, _ := doc["$defs"].(map[string]any)
		var walk func(where string, s map[string]any)
		walk = func(where string, s map[string]any) {
			for key, v := range s {
				if !slices.Contains(checked, key) && !slices.Contains(words, key) {
					t.Errorf("%s: nothing checks the keyword %s", where, key)
				}
				switch v := v.(type) {
				case string:
					if ref, ok := strings.CutPrefix(v, "#/$defs/"); ok && key == "$ref" {
						walk(ref, defs[ref].(map[string]any))
					}
				case []any:
					for _, x := range v {
						if x, ok := x.(map[string]any); ok && key == "anyOf" {
							walk(where+" anyOf", x)
						}
					}
				case map[string]any:
					switch key {
					case "items":
						walk(where+"[]", v)
					case "properties":
						for p, x := range v {
							walk(where+"."+p, x.(map[string]any))
						}
					}
				}
			}
		}
		if name == plan {
			doc = defs["state"].(map[string]any)
		}
		walk(name, doc)
	}
}
