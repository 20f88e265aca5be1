package redact

import "strings"

// manifest takes the values out that a Secret of Kubernetes holds in YAML,
// whatever their names. at is behind "kind: "; data stands before it in what
// kubectl prints, and after it in what people write.
func (w *walker) manifest(at int) {
	const kind = "kind: "
	s := w.text
	line := at - len(lineBefore(s, at, at))
	depth := indent(s[line:at])
	if depth > 32 || s[line+depth:at] != kind {
		return
	}
	w.at = max(w.at, at)
	from := objectStart(s, line, depth, max(w.copied, line-8*looked))
	inside := false
	for text := range strings.Lines(s[from:min(len(s), at+8*looked)]) {
		if from > line && !inObject(text, depth) {
			return
		}
		switch body := strings.TrimSpace(text); {
		case body == "":
		case indent(text) == depth:
			inside = body == "data:" || body == "stringData:"
		case inside && indent(text) > depth:
			w.entry(from, text)
		}
		from += len(text)
	}
}

// entry takes the value out of a line of YAML.
func (w *walker) entry(from int, line string) {
	if colon := strings.Index(line, ": "); colon > 0 {
		w.take("given", valueAfter(w.text, from+colon), "secret")
	}
}

// objectStart is where the object begins of which a line is, least at the earliest.
func objectStart(s string, line, depth, least int) int {
	for line > least {
		above := line - 1 - len(lineBefore(s, line-1, line-1))
		if !inObject(s[above:line], depth) {
			break
		}
		line = above
	}
	return line
}

// inObject tells whether a line belongs to the object whose keys stand at depth.
func inObject(line string, depth int) bool {
	body, deep := strings.TrimSpace(line), indent(line)
	key := deep == depth && !startsWith(body, "---", "kind:")
	return body == "" || key || deep > depth && !strings.HasPrefix(body, "---")
}

func indent(line string) int { return run(line, 0, len(line), &spaces) }

var spaces = chars(" ")
