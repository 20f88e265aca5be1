package redact

import "strings"

// manifest takes the values out that a Secret of Kubernetes holds in YAML,
// whatever their names. at is behind "kind: "; data stands before it in what
// kubectl prints, and after it in what people write.
func (w *walker) manifest(at int) {
	const kind = "kind: "
	s := w.text
	if !strings.HasSuffix(s[:at], kind) {
		return
	}
	line := strings.LastIndexByte(s[:at], '\n') + 1
	depth := at - len(kind) - line
	if depth > 32 || strings.Trim(s[line:line+depth], " ") != "" {
		return
	}
	from, least := line, max(w.copied, line-8*looked)
	for from > least {
		before := strings.LastIndexByte(s[:from-1], '\n') + 1
		if !within(s[before:from], depth) {
			break
		}
		from = before
	}
	w.at = max(w.at, at)
	inside, most := false, min(len(s), at+8*looked)
	for from < most {
		n := strings.IndexByte(s[from:most], '\n')
		if n < 0 {
			n = most - from
		}
		text := s[from : from+n]
		if from > line && !within(text, depth) {
			return
		}
		switch body := strings.TrimSpace(text); {
		case body == "":
		case indent(text) == depth:
			inside = body == "data:" || body == "stringData:"
		case inside && indent(text) > depth:
			if colon := strings.Index(text, ": "); colon > 0 {
				w.take(valueAfter(s, from+colon), "secret")
			}
		}
		from += n + 1
	}
}

// within tells whether a line belongs to the object whose keys stand at depth.
func within(line string, depth int) bool {
	body := strings.TrimSpace(line)
	return body == "" || indent(line) >= depth && !strings.HasPrefix(body, "---") && (indent(line) > depth || !strings.HasPrefix(body, "kind:"))
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
