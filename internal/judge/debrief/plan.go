package debrief

import (
	"path"
	"slices"
	"strings"
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
		if fenced {
			continue
		}
		if level, title := heading(line); level > 0 {
			if strings.Contains(strings.ToLower(title), "files to change") {
				depth = level
			} else if level <= depth {
				depth = 0
			}
			continue
		}
		if depth == 0 {
			continue
		}
		for _, f := range plannedIn(line) {
			if f = plannedPath(f); f != "" && !slices.Contains(files, f) && len(files) < planFiles {
				files = append(files, f)
			}
		}
	}
	return files
}

// heading tells a heading and its depth; a line in bold is one below all.
func heading(line string) (level int, title string) {
	if rest := strings.TrimLeft(line, "#"); len(rest) < len(line) {
		if rest == "" || rest[0] == ' ' || rest[0] == '\t' {
			return len(line) - len(rest), strings.TrimSpace(rest)
		}
		return 0, ""
	}
	bold := strings.TrimSuffix(line, ":")
	if strings.HasPrefix(bold, "**") && (strings.HasSuffix(bold, "**") || strings.HasSuffix(bold, ":**")) && len(bold) > 4 && !strings.Contains(bold, "`") {
		return 7, strings.Trim(bold, "*:")
	}
	return 0, ""
}

// plannedIn are the names in back-ticks of a table's row or a list's item.
func plannedIn(line string) []string {
	item, ok := listItem(line)
	if !ok {
		if strings.Contains(line, "|") {
			return ticked(firstCell(line))
		}
		return nil
	}
	// What stands between the first name and the next tells whether that is
	// one too, or a word of the description.
	var names []string
	for {
		before, rest, _ := strings.Cut(item, "`")
		name, after, ok := strings.Cut(rest, "`")
		if !ok || len(names) > 0 && !joins(before) {
			return names
		}
		if len(names) > 0 || joins(before) || strings.ContainsAny(name, "/.") {
			names = append(names, name)
		}
		item = after
	}
}

// listItem is what a list's item says: after its mark and its box.
func listItem(line string) (item string, ok bool) {
	mark, item, ok := strings.Cut(line, " ")
	digits := strings.TrimLeft(mark, "0123456789")
	numbered := len(digits) < len(mark) && (digits == "." || digits == ")")
	if !ok || !numbered && mark != "-" && mark != "*" && mark != "+" {
		return "", false
	}
	item = strings.TrimSpace(item)
	for _, box := range []string{"[ ]", "[x]", "[X]"} {
		item = strings.TrimPrefix(item, box)
	}
	return item, true
}

// joins tells whether a text does no more than join two names of a list.
func joins(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Trim(strings.TrimSuffix(text, "and"), " \t,;&*_()") == ""
}

// ticked are the names in back-ticks.
func ticked(text string) []string {
	parts := strings.Split(text, "`")
	var names []string
	for i := 1; i+1 < len(parts); i += 2 {
		names = append(names, parts[i])
	}
	return names
}

// firstCell is the first column of a table's row.
func firstCell(row string) string {
	row = strings.TrimPrefix(row, "|")
	code := false
	for i, r := range row {
		switch {
		case r == '`':
			code = !code
		case r == '|' && !code:
			return row[:i]
		}
	}
	return row
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
func (t *turn) planned() []string {
	var files []string
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
		rel, ok := t.relative("", plan)
		if !ok {
			return false
		}
		plan = rel
	}
	plan = strings.TrimPrefix(plan, "./")
	folder := strings.TrimSuffix(plan, "/")
	return folder == file || folder == "." || folder != "" && strings.HasPrefix(file, folder+"/") || match(plan, file)
}
