package plan

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write the keys in docs/plans.md and in the schema of plans anew")

// schemaFile is what 'piton schema plan' prints, docsFile what people read.
const (
	schemaFile = "../../kind/schema/plan.json"
	docsFile   = "../../../docs/plans.md"
)

// definitions are the kinds of objects of a plan's file, by their names in the schema.
var definitions = map[string]keys{
	"file": planKeys, "file_step": stepKeys, "file_input": inputKeys, "file_result": resultKeys,
	"file_retry": retryKeys, "file_budget": budgetKeys, "file_check": checkKeys, "file_repeat": repeatKeys,
	"file_schedule": scheduleKeys,
}

// TestKeys: the properties of the schema of plans, and the tables of docs/plans.md below
// comments that name which, are made of the keys.
func TestKeys(t *testing.T) {
	for path, made := range map[string]func(t *testing.T, have string) string{schemaFile: schemaOfKeys, docsFile: docsOfKeys} {
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := made(t, string(have))
		if *update {
			err = os.WriteFile(path, []byte(want), 0o644)
		}
		if err != nil || !*update && want != string(have) {
			t.Errorf("%s is not what the keys are (%v): go test ./internal/run/plan -run TestKeys -update writes it anew", path, err)
		}
	}
}

// TestKeysAreUnique: a name stands for one key, which is not refused.
func TestKeysAreUnique(t *testing.T) {
	for def, k := range definitions {
		all := k.all()
		slices.Sort(all)
		for i, name := range all {
			if _, refused := k.refused[name]; refused || i > 0 && name == all[i-1] {
				t.Errorf("%s: %s stands for two keys, or is read and refused", def, name)
			}
		}
	}
}

// schemaOfKeys is the schema with the properties of each kind of object.
func schemaOfKeys(t *testing.T, have string) string {
	for def, k := range definitions {
		var rows []string
		for _, x := range k.list {
			rows = append(rows, property(x.name, x.form.schema(), described(x.says)))
			for _, other := range x.others {
				same := fmt.Sprintf(`"$ref": "#/$defs/%s/properties/%s"`, def, x.name)
				rows = append(rows, property(other, same, `"description": "Another spelling of `+x.name+`."`))
			}
		}
		properties := regexp.MustCompile(`(?s)(\n    "` + def + `": \{\n[^}]*?\n      "properties": \{\n).*?(\n      \})`)
		if !properties.MatchString(have) {
			t.Fatalf("%s has no properties of %s", schemaFile, def)
		}
		have = properties.ReplaceAllStringFunc(have, func(old string) string {
			m := properties.FindStringSubmatch(old)
			return m[1] + strings.Join(rows, ",\n") + m[2]
		})
	}
	return have
}

// TestSchemaAgrees holds what is read against the schema, for every key with values of
// every kind: the schema accepts what is read. Of a result little is read.
func TestSchemaAgrees(t *testing.T) {
	schema, refused := PlanSchema(t), 0
	type object = map[string]any
	wholes := map[string]func(object) object{
		"file":          func(o object) object { return o },
		"file_step":     func(o object) object { return object{"steps": []any{o}} },
		"file_input":    func(o object) object { return object{"inputs": []any{o}, "steps": "x"} },
		"file_retry":    func(o object) object { return object{"steps": []any{object{"run": "x", "retry": o}}} },
		"file_budget":   func(o object) object { return object{"steps": []any{object{"run": "x", "budget": o}}} },
		"file_repeat":   func(o object) object { return object{"steps": []any{object{"run": "x", "repeat": o}}} },
		"file_schedule": func(o object) object { return object{"steps": []any{"x"}, "schedule": o} },
		"file_check":    func(o object) object { return object{"steps": []any{object{"prompt": "x", "check": o}}} },
	}
	beside := map[string]object{"file": {"steps": []any{"x"}}, "file_step": {"run": "x"}, "file_input": {"name": "x"}, "file_retry": {}, "file_budget": {}, "file_repeat": {}, "file_check": {}, "file_schedule": {"cron": "@daily"}}
	for def, whole := range wholes {
		for _, x := range definitions[def].list {
			values := []any{"x", "90s", 0, 1, 2.5, -1, 1e6, 1e15, true, false, []any{}, []any{"x"}, []any{1}, []any{true}, object{}, object{"a": 1}, object{"run": "x"}}
			for _, word := range x.form.words {
				values = append(values, word)
			}
			switch {
			case x.name == "results":
				values = []any{nil, []any{}}
			case def == "file_step" && has("run prompt approval dir shell dotenv container host", x.name): // the actions say what they take
				values = []any{nil, "x"}
			}
			for _, v := range values {
				o := maps.Clone(beside[def])
				if o[x.name] = v; x.name == "prompt" || x.name == "approval" {
					delete(o, "run")
				}
				text, err := json.Marshal(whole(o))
				if err != nil {
					t.Fatal(err)
				}
				_, notRead := Parse("p.json", text, nil)
				err = schema.Validate(AsRead(t, "p.json", text))
				if notRead == nil && err != nil {
					t.Errorf("%s is read, and the schema refuses it: %v", text, err)
				}
				if err != nil {
					refused++
				}
			}
		}
	}
	if refused < 100 {
		t.Errorf("the schema refuses %d of these plans only", refused)
	}
}

// property is a line of a schema.
func property(name string, says ...string) string {
	says = slices.DeleteFunc(says, func(part string) bool { return part == "" })
	return fmt.Sprintf(`        "%s": { %s }`, name, strings.Join(says, ", "))
}

// schema is a form as JSON Schema says it.
func (f form) schema() string {
	names := map[string]string{isObject: "object", isList: "array", isText: "string", isNumber: "number", isBool: "boolean", isNull: "null"}
	var says []string
	say := func(keyword string, value any) {
		text, _ := json.Marshal(value)
		says = append(says, fmt.Sprintf("%q: %s", keyword, strings.ReplaceAll(string(text), ",", ", ")))
	}
	var types []string
	for _, kind := range f.kinds {
		types = append(types, names[kind])
	}
	switch {
	case f.words != nil:
		says = append(says, `"enum": ["`+strings.Join(f.words, `", "`)+`", null]`)
	case f.most > 0:
		say("type", []string{"integer", "null"})
		say("minimum", f.least)
		say("maximum", f.most)
	case f.kinds != nil:
		say("type", types)
	}
	if f.unit != "" {
		say("examples", []any{"90s", "1.5h", 30})
	}
	if f.more != "" {
		says = append(says, f.more)
	}
	return strings.Join(says, ", ")
}

// described is what a schema says of a key: a sentence without links.
func described(says string) string {
	if says == "" {
		return ""
	}
	says = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`).ReplaceAllString(says, "$1")
	letters := []rune(says)
	letters[0] = unicode.ToUpper(letters[0])
	return fmt.Sprintf(`"description": %q`, string(letters)+".")
}

// docsOfKeys is the page with a table of the keys below each comment that names a kind of
// object.
func docsOfKeys(t *testing.T, have string) string {
	table := regexp.MustCompile(`(<!-- keys of (.+) -->\n)(?:\n|\|.*\n)*`)
	return table.ReplaceAllStringFunc(have, func(old string) string {
		m := table.FindStringSubmatch(old)
		for _, k := range definitions {
			if k.what == m[2] {
				return m[1] + "\n" + tableOf(k) + "\n"
			}
		}
		t.Fatalf("%s: there is no %s", docsFile, m[2])
		return ""
	})
}

// tableOf is a table of keys. Of spellings that differ in their case and dashes it has the
// first.
func tableOf(k keys) string {
	var b strings.Builder
	b.WriteString("| key | meaning | also |\n|---|---|---|\n")
	for _, x := range k.list {
		var also []string
		bare := func(name string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) }
		seen := []string{bare(x.name)}
		for _, other := range x.others {
			if !slices.Contains(seen, bare(other)) {
				seen, also = append(seen, bare(other)), append(also, " `"+other+"`")
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s |%s |\n", x.name, x.says, strings.Join(also, ","))
	}
	return b.String()
}
