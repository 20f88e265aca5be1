package debrief

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Bounds of a plan.
const (
	planBytes = 1 << 20
	planFiles = 1000
)

// Planned reads the files that a work item's plan names: the paths in
// back-ticks under the heading "Files to Change", in the first column of a
// table or at the head of a list's items. They may be globs and folders.
// Rule: docs/spec.md, "Hygiene".
func Planned(markdown string) []string {
	var files []string
	depth, fenced := 0, false // of the heading that we are under; 0: not yet
	for line := range strings.Lines(markdown[:min(len(markdown), planBytes)]) {
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
				if f = plannedPath(f); f != "" {
					files = union(files, f)
				}
			}
		}
	}
	return files[:min(len(files), planFiles)]
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
	headed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(#+)(?:[ \t](.*))?$`) })
	bold   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\\*\\*([^`]+?):?\\*\\*:?$") })
	item   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-*+]|\d+[.)]) +(?:\[[ xX]\])?(.*)$`) })
	cell   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\\|?((?:`[^`]*`?|[^`|])*)") })
	ticked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`]*)`") })
)

// plannedIn are the names in back-ticks of a table's row or a list's item.
func plannedIn(line string) (names []string) {
	listed := item().FindStringSubmatch(line)
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

// astray names the work item if none of the changed files is one that its plan
// names.
func (t *turn) astray() []string {
	if t.Item == "" || len(t.Planned) == 0 || len(t.planned()) > 0 {
		return nil
	}
	return []string{"The active work item " + quote(t.Item) + " plans changes in " + list(t.Planned) + ", and no file of this turn is among them: is it the right one?"}
}

// planned are the changed files that the plan names.
func (t *turn) planned() (files []string) {
	for _, f := range t.files {
		if slices.ContainsFunc(t.Planned, func(plan string) bool { return t.plans(plan, f.Path) }) {
			files = append(files, f.Path)
		}
	}
	return files
}

// plans tells whether a plan's path, glob or folder takes the file.
func (t *turn) plans(plan, file string) bool {
	if path.IsAbs(plan) {
		plan, _ = t.relative("", plan)
	}
	plan = strings.TrimPrefix(plan, "./")
	folder := strings.TrimSuffix(plan, "/")
	return folder != "" && (folder == "." || inside(file, folder)) || match(plan, file)
}
