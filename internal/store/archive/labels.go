package archive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what is kept of another program's names, as a save has them.
const (
	maxLabel  = 200 // bytes
	maxLabels = 40
)

// labels are the tags an imported checkpoint gets: what the other program calls
// it, its workflow, project and episode, and the tags of the memory that held
// it. What cannot be a tag is left out.
func labels(o, outer object) []string {
	var tags []string
	add := func(prefix, name string) {
		tag := prefix + name
		if name != "" && len(tag) <= maxLabel && len(tags) < maxLabels && !slices.Contains(tags, tag) && utf8.ValidString(tag) && strings.IndexFunc(tag, unicode.IsControl) < 0 {
			tags = append(tags, tag)
		}
	}
	meta := o.sub("metadata")
	add("id:", o.text1("checkpoint_id", "id"))
	add("workflow:", o.text1("workflow_id"))
	for _, from := range []object{o, meta, outer, outer.sub("metadata")} {
		add("project:", from.text1("project", "projectId", "project_id"))
		add("episode:", from.text1("episode", "episodeId", "episode_id"))
		for _, name := range from.texts("episodes") {
			add("episode:", name)
		}
		for _, name := range from.texts("tags") {
			add("", name)
		}
	}
	return tags
}

// text1 is the first of the members that is a text, or a number as it stands;
// "" for anything else.
func (o object) text1(names ...string) string { return scalar(o.get(names...)) }

// texts are the texts in a member that is a list.
func (o object) texts(name string) (list []string) {
	dec := jsontext.NewDecoder(strings.NewReader(string(o.get(name))), compactOptions()...)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '[' {
		return nil
	}
	for dec.PeekKind() != ']' && len(list) < maxLabels {
		raw, err := dec.ReadValue()
		if err != nil {
			break
		}
		list = append(list, scalar(raw))
	}
	return list
}

func scalar(raw jsontext.Value) string {
	switch raw.Kind() {
	case '0':
		return string(raw)
	case '"':
		s, _ := jsontext.AppendUnquote(nil, raw)
		return strings.TrimSpace(string(s))
	}
	return ""
}

// nameOf is another program's name of a session, where it is one.
func nameOf(id string) string {
	if id == "unknown" || len(id) > maxLabel || strings.IndexFunc(id, unicode.IsControl) >= 0 {
		return ""
	}
	return id
}
