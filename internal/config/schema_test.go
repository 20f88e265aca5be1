package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/testkit/schematest"
)

// TestSchemaAgrees holds what the program takes against the schema, for every key with
// values of every kind: what is taken is accepted, and of keys whose values are words,
// counts and durations what is refused is refused.
func TestSchemaAgrees(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	schema := schematest.Compile(t, Schema(false), "")
	values := []string{
		"", "null", "~", "{}", "{a: b}", "[]", "[x]", "[[x]]", "''", "' '", "x", "'x y'", "soon", "' audit '",
		"true", "False", "TRUE", "'true'", "yes", "No", "ON", "off", "'1'", "'0'", "1", "0", "2", "-1", "1.0", "1.5", "'5'", "'-5'", "'+5'", "'05'",
		"30s", "1d12h", "90d", "'90'", "2w", "5S", "1d 2h", "'.'", "'5.'", "5h.", "-3s", "1e2", "9999999999",
		"/a/b", "s3://bucket/x", "sqlite:/tmp/x.db", "[make a, make b]", "{name: x}", "{name: x, run: y}", "2026-01-31",
	}
	for _, k := range keys() {
		for _, v := range k.choices {
			if w, ok := v.(string); ok {
				values = append(values, w, strings.ToUpper(w), strings.ToUpper(w[:1])+w[1:])
			}
		}
	}
	check := func(name, text string, exact bool) {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := Load(Places{UserFile: path, Getenv: func(string) string { return "" }})
		refused := schema.Validate(v)
		if taken := len(c.Problems) == 0; taken && refused != nil {
			t.Errorf("%q is taken, and the schema refuses it: %v", text, refused)
		} else if exact && !taken && refused == nil {
			t.Errorf("%q is refused, and the schema accepts it: %v", text, c.Problems)
		}
	}
	builtin := builtIn(func(string) string { return "" })
	for _, k := range keys() {
		exact := k.choices != nil
		switch v := k.get(&builtin).(type) {
		case bool, int:
			exact = true
		case string:
			exact = exact || v != "" && strings.Trim(v, "0123456789") != v
		}
		nested := ""
		for i, step := range strings.Split(k.name, ".") {
			nested += strings.Repeat("  ", i) + step + ":\n"
		}
		for _, v := range values {
			check(k.name, k.name+": "+v+"\n", exact)
			check(k.name, strings.TrimSuffix(nested, "\n")+" "+v+"\n", exact)
		}
	}
	for _, text := range []string{"debrief: {}", "debrief: {agents: {}}", "debrief: {agents: {claude: {}}}", "debrief: {x: {}}", "x: {}", "x:\n", "agent: {}", "projects: {}", "projects:\n"} {
		check("groups", text, true)
	}
}
