package archive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabel bounds what is kept of another program's name, in bytes, as a save has
// it.
const maxLabel = 200

// labels are the tags an imported checkpoint gets: what the other program calls
// it, its workflow, project and episode, and the tags of the memory that held
// it. What cannot be a tag is left out.
func labels(o, outer object) []string {
	var tags []string
	add := func(prefix, name string) {
		tag := prefix + name
		isTag := len(tag) <= maxLabel && utf8.ValidString(tag) && strings.IndexFunc(tag, unicode.IsControl) < 0
		if isTag && name != "" && len(tags) < maxLabels && !slices.Contains(tags, tag) {
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

// nameOf is another program's name of a session, where it is one.
func nameOf(id string) string {
	if id == "unknown" || len(id) > maxLabel || strings.IndexFunc(id, unicode.IsControl) >= 0 {
		return ""
	}
	return id
}
