package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/span"
)

// schemaAt is where the schemas of the newest version lie, for editors.
const schemaAt = "https://raw.githubusercontent.com/piton-project/piton/main/docs/schema/"

// schemaName is the name of the schema of a project's file, or of the user's.
func schemaName(project bool) string {
	if project {
		return "project"
	}
	return "settings"
}

// schemaComment is the line with which a new file begins: editors that know the
// language server of YAML then complete and check the keys.
func schemaComment(project bool) string {
	return "# yaml-language-server: $schema=" + schemaAt + schemaName(project) + ".json\n"
}

// Schema is the JSON Schema (draft 2020-12) of the user's settings file, or of a
// project's: the keys with their values. What it accepts may still be refused, where
// only reading tells; what it refuses cannot be used.
func Schema(project bool) []byte {
	title, keys := "The user's settings of Piton", object{}
	if project {
		title = "The settings of a project in .piton.yaml"
	}
	for _, k := range keysOf(project) {
		keys.put(strings.Split(k.name, "."), schemaOf(k))
	}
	if !project {
		one := object{}
		for _, k := range keysOf(true) {
			one.put(strings.Split(k.name, "."), schemaOf(k))
		}
		keys[projectsKey] = object{"type": []string{"object", "null"}, "additionalProperties": one.closed()}
		for _, o := range otherSpellings {
			keys.put(strings.Split(o.name, "."), schemaOfOther(o))
		}
	}
	top := keys.closed()
	for _, k := range keysOf(project) { // a key may also be written in one word
		if strings.Contains(k.name, ".") {
			top["properties"].(object)[k.name] = schemaOf(k)
		}
	}
	top["$schema"], top["$id"], top["title"] = "https://json-schema.org/draft/2020-12/schema", schemaAt+schemaName(project)+".json", title
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic("config: writing a schema: " + err.Error()) // it holds texts and numbers only
	}
	return append(text, '\n')
}

func keysOf(project bool) []key {
	var list []key
	for _, k := range keys() {
		if !project || k.scope == needsTrust || k.scope == stricter {
			list = append(list, k)
		}
	}
	return list
}

// object is a part of a schema, or, while it is built, a map of steps to parts.
type object map[string]any

// steps marks a map of steps that is not closed yet.
type steps object

func (o object) put(path []string, leaf object) {
	if len(path) == 1 {
		o[path[0]] = leaf
		return
	}
	below, ok := o[path[0]].(steps)
	if !ok {
		below = steps{}
		o[path[0]] = below
	}
	object(below).put(path[1:], leaf)
}

// closed is the schema of an object with these keys and no other; a key may be empty.
func (o object) closed() object {
	all := object{}
	for name, x := range o {
		if below, ok := x.(steps); ok {
			x = object(below).closed()
		}
		all[name] = x
	}
	return object{"type": []string{"object", "null"}, "properties": all, "additionalProperties": false}
}

// inAnyCase is a pattern of words in small or large letters, as oneOf reads them.
func inAnyCase(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, r := range w {
			if up := unicode.ToUpper(r); up != r {
				b.WriteString("[" + string(up) + string(r) + "]")
			} else {
				b.WriteRune(r)
			}
		}
	}
	return "^(" + b.String() + ")$"
}

// oneWord is the schema of a value that is one of some: editors offer them as they are
// written here, and they are read in any case.
func oneWord(values ...any) object {
	var words []string
	for _, v := range values {
		switch v.(type) {
		case string, bool:
			words = append(words, fmt.Sprint(v))
		}
	}
	return object{"anyOf": []any{object{"enum": values}, object{"type": "string", "pattern": inAnyCase(words)}}}
}

// schemaOf is the schema of a key's value. A key without one sets nothing.
func schemaOf(k key) object {
	one, says := schemaOfValue(k), meaningOf(k.name).says
	list, ok := one["anyOf"].([]any)
	if !ok {
		list = []any{one}
	}
	return object{"anyOf": append(list, object{"type": "null"}), "description": says}
}

func schemaOfValue(k key) object {
	if k.choices != nil {
		return oneWord(k.choices...)
	}
	item := map[string]reflect.Type{
		"debrief.rules": reflect.TypeFor[debrief.Rule](), verifyKey: reflect.TypeFor[debrief.Verify](), listenersKey: reflect.TypeFor[agent.Listener](),
	}
	if t, ok := item[k.name]; ok {
		one := schemaOfType(t)
		if k.name == verifyKey {
			one = object{"anyOf": []any{object{"type": "string"}, one}}
		}
		return object{"anyOf": []any{object{"type": "array", "items": one}, one}}
	}
	if k.name == "run.prices" {
		price := object{}
		for _, name := range []string{"input", "output", "cache_read", "cache_write"} {
			price[name] = object{"type": "number", "minimum": 0}
		}
		return object{"type": "object", "additionalProperties": object{"type": "object", "properties": price, "required": []string{"input", "output"}, "additionalProperties": false}}
	}
	if k.name == "serve.runs" {
		return object{"anyOf": []any{object{"type": "integer", "minimum": 1, "maximum": maxWidth}, object{"type": "string", "pattern": "^0*([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-6])$"}}}
	}
	c := builtIn(func(string) string { return "" })
	switch v := k.get(&c).(type) {
	case bool:
		return oneWord(true, false, "yes", "no", "on", "off", "1", "0", 1, 0)
	case int:
		return object{"anyOf": []any{object{"type": "integer", "minimum": 0, "maximum": math.MaxInt32}, object{"type": "string", "pattern": "^[0-9]+$"}}}
	case string:
		if _, err := span.Parse(v); err == nil {
			return schemaOfDuration(!strings.HasPrefix(k.name, "checkpoints.") && !strings.HasPrefix(k.name, "restore."))
		}
	case []string:
		if k.name == "debrief.profiles" { // in any case
			one := oneWord(anyOf(debrief.ProfileNames())...)
			return object{"anyOf": []any{object{"type": "array", "items": one}, one}}
		}
		return object{"anyOf": []any{object{"type": "array", "items": object{"type": "string"}}, object{"type": "string"}}}
	}
	return object{"type": []string{"string", "number", "boolean"}} // YAML reads some texts as these
}

// schemaOfOther is the schema of another spelling of a key.
func schemaOfOther(o spelling) object {
	i := slices.IndexFunc(keys(), func(k key) bool { return k.name == o.ours })
	if i < 0 {
		return object{"description": "checked, and changes nothing"}
	}
	out := schemaOf(keys()[i])
	if o.ours == "checkpoints.delete_after" {
		out = object{"type": "integer", "minimum": 0}
	}
	out["description"] = "another spelling of " + o.ours
	return out
}

// schemaOfDuration is the schema of a duration (package span); where it decides what is
// deleted, a number alone is none but 0.
func schemaOfDuration(seconds bool) object {
	const number = `([0-9]+\.?[0-9]*|\.[0-9]+)`
	const units = `(` + number + `(ns|us|µs|ms|s|m|h|d|w))+`
	if seconds {
		return object{"anyOf": []any{object{"type": "string", "pattern": "^(" + units + "|" + number + ")$"}, object{"type": "number", "minimum": 0, "maximum": span.Max.Seconds()}}}
	}
	return object{"anyOf": []any{object{"type": "string", "pattern": "^(" + units + "|0)$"}, object{"const": 0}}}
}

// schemaOfType is the schema of what strict decodes into a type.
func schemaOfType(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return schemaOfDuration(true)
	case t.Kind() == reflect.Pointer:
		return schemaOfType(t.Elem())
	case t.Kind() == reflect.Bool:
		return object{"type": "boolean"}
	case t.Kind() == reflect.Int:
		return object{"type": "integer"}
	case t.Kind() == reflect.Slice:
		one := schemaOfType(t.Elem())
		return object{"anyOf": []any{object{"type": "array", "items": one}, one}}
	case t.Kind() != reflect.Struct:
		return object{"type": "string"}
	}
	fields := object{}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "-" && f.IsExported() {
			name = cmp.Or(name, strings.ToLower(f.Name))
			fields[name] = schemaOfType(f.Type)
		}
	}
	return object{"type": "object", "properties": fields, "additionalProperties": false}
}
