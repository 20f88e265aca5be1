package screen

import "strings"

// Rendered is a text of Markdown as a person's terminal shows it: headings and labels
// are bold instead of marked, code has no fences, and lines are wrapped: those of code
// with their own indent, so that it stays readable ('piton load' prints a state as it is).
// Agents and files get the text as it is.
func (s *Screen) Rendered(text string) string {
	if !s.ForPerson() {
		return text
	}
	var b strings.Builder
	w := wrapping{columns: s.Width(), indent: Always(len(Indentation))}
	asCode := wrapping{columns: s.Width(), indent: func(l string) int {
		return len(l) - len(strings.TrimLeft(l, " ")) + 2*len(Indentation)
	}}
	code := false
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		heading := strings.TrimLeft(l, "#")
		label, rest, labelled := strings.Cut(strings.TrimPrefix(l, "**"), "**:")
		switch {
		case strings.HasPrefix(l, "```"):
			code = !code
			continue
		case code:
			b.WriteString(asCode.lines(l) + "\n")
			continue
		case heading != l && strings.HasPrefix(heading, " "):
			l = s.Bold(heading[1:])
		case labelled && strings.HasPrefix(l, "**"):
			l = s.Bold(label) + ":" + rest
		}
		b.WriteString(w.lines(l) + "\n")
	}
	return b.String()
}
