package turn

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxPlanned bounds the files that a plan names.
const maxPlanned = 1000

// planned reads the files that a work item's plan names: the paths in
// back-ticks under the heading "Files to Change", in the first column of a
// table or at the head of a list's items. They may be globs and folders.
// Rule: docs/spec.md, "Hygiene".
func planned(markdown string) []string {
	var files []string
	depth, fenced := 0, false // of the heading that we are under; 0: not yet
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		level, title := heading(line)
		switch {
		case fenced:
		case level > 0 && strings.Contains(strings.ToLower(title), "files to change"):
			depth = level
		case level > 0 && level <= depth:
			depth = 0
		case level == 0 && depth > 0:
			for _, f := range plannedIn(line) {
				if f = plannedPath(f); f != "" && !slices.Contains(files, f) {
					files = append(files, f)
				}
			}
		}
	}
	return files[:min(len(files), maxPlanned)]
}

// heading tells a heading and its depth; a line in bold is one below all.
func heading(line string) (level int, title string) {
	if m := headed().FindStringSubmatch(line); m != nil {
		return len(m[1]), m[2]
	}
	if m := bold().FindStringSubmatch(line); m != nil {
		return 7, m[1]
	}
	return 0, ""
}

// How Markdown writes headings, the items of lists, and the cells of tables.
var (
	headed   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(#+)(?:[ \t](.*))?$`) })
	bold     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\\*\\*([^`]+?):?\\*\\*:?$") })
	listItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-*+]|\d+[.)]) +(?:\[[ xX]\])?(.*)$`) })
	cell     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\\|?((?:`[^`]*`?|[^`|])*)") })
	ticked   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`]*)`") })
)

// plannedIn are the names in back-ticks of a table's row or a list's item.
func plannedIn(line string) (names []string) {
	listed := listItem().FindStringSubmatch(line)
	if listed == nil && strings.Contains(line, "|") {
		for _, m := range ticked().FindAllStringSubmatch(cell().FindString(line), -1) {
			names = append(names, m[1])
		}
	}
	if listed == nil {
		return names
	}
	// What stands between the first name and the next tells whether that is
	// one too, or a word of the description.
	rest := listed[1]
	for {
		at := ticked().FindStringSubmatchIndex(rest)
		if at == nil || len(names) > 0 && !joins(rest[:at[0]]) {
			return names
		}
		if name := rest[at[2]:at[3]]; len(names) > 0 || joins(rest[:at[0]]) || strings.ContainsAny(name, "/.") {
			names = append(names, name)
		}
		rest = rest[at[1]:]
	}
}

// joins tells whether a text does no more than join two names of a list.
func joins(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Trim(strings.TrimSuffix(text, "and"), " \t,;&*_()") == ""
}

// plannedPath is a name of a plan as a path from the root; "" for what is none.
func plannedPath(name string) string {
	name = strings.TrimSpace(name)
	if path, lines, ok := strings.Cut(name, ":"); ok && lines != "" && strings.Trim(lines, "0123456789-:,") == "" {
		name = path
	}
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	if name == "" || strings.ContainsAny(name, "()\t") || strings.HasPrefix(name, "../") || len(name) > 1000 {
		return ""
	}
	return name
}
