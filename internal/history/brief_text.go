package history

import (
	"encoding/json"
	"slices"
	"strings"
)

// text writes a value of a state for people: a list's elements and an object's
// members one after the other, what lies deeper as JSON. "" for null.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case []any:
		if flat(x...) {
			return strings.Join(texts(x), ", ")
		}
	case map[string]any:
		var rows []string
		for key, v := range x {
			if xs, ok := v.([]any); !flat(v) && !(ok && flat(xs...)) {
				return compact(x)
			}
			rows = append(rows, row(key, v)...)
		}
		slices.Sort(rows)
		return strings.Join(rows, "; ")
	default:
		return scalar(v)
	}
	return compact(v)
}

// row is a key with its value; nothing where there is none.
func row(key string, v any) []string {
	if t := text(v); t != "" {
		return []string{key + ": " + t}
	}
	return nil
}

// flat tells whether values hold no others.
func flat(vs ...any) bool {
	for _, v := range vs {
		switch v.(type) {
		case []any, map[string]any:
			return false
		}
	}
	return true
}

func compact(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// results lists what the steps of a plan brought, under the steps' names; the
// newest, where there are many.
func (b *briefing) results(s map[string]any) {
	names := map[string]string{}
	for _, x := range list(s, "plan") {
		names[scalar(object(x)["id"])] = stepName(x)
	}
	var rows []string
	for _, x := range list(s, "results") {
		r := object(x)
		id := scalar(firstOfAny(r["step_id"], r["stepId"]))
		output, known := r["output"]
		if !known {
			output = x
		}
		rows = append(rows, row(firstOf(names[id], id, "result"), output)...)
	}
	b.newest("Results", rows, "- ")
}

// newest lists the last rows, where there are too many.
func (b *briefing) newest(title string, rows []string, bullet string) {
	from := max(len(rows)-linesShown, 0)
	if from > 0 {
		rows = append([]string{"(" + itoa(from) + " older ones are in the state: 'piton load')"}, rows[from:]...)
		b.line("\n### %s", title)
		for _, r := range rows {
			b.line("%s%s", bullet, oneLine(r))
		}
		return
	}
	b.list(title, rows, bullet)
}
