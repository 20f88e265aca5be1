package screen

import "strings"

// Coloured tells whether output may have colours.
func (s *Screen) Coloured() bool {
	if s.Color == "always" || s.Color == "never" {
		return s.Color == "always"
	}
	return s.ForPerson() && s.Getenv("NO_COLOR") == "" && s.Getenv("TERM") != "dumb"
}

// styled is a text in a style of the terminal, where output may have one.
func (s *Screen) styled(text, style string) string {
	if !s.Coloured() {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// Styles of a text, where output may be coloured.
func (s *Screen) Bold(text string) string   { return s.styled(text, "1") }
func (s *Screen) Faint(text string) string  { return s.styled(text, "2") }
func (s *Screen) Red(text string) string    { return s.styled(text, "31") }
func (s *Screen) Green(text string) string  { return s.styled(text, "32") }
func (s *Screen) Yellow(text string) string { return s.styled(text, "33") }

// Unicode tells whether lines and signs beyond ASCII are drawn: on a terminal whose
// locale does not name another character set.
func (s *Screen) Unicode() bool {
	if !s.ForPerson() || s.Getenv("TERM") == "dumb" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(s.Getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// ColourDiff gives a diff the colours that diffs have.
func (s *Screen) ColourDiff(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "+"):
			lines[i] = s.Green(l)
		case strings.HasPrefix(l, "-"):
			lines[i] = s.Red(l)
		}
	}
	return strings.Join(lines, "\n")
}

// ShortPath writes a path in at most n columns: its end says more than its
// beginning.
func (s *Screen) ShortPath(path string, n int) string { return CutBeginning(s.HomePath(path), n) }

// HomePath writes a path on one line, with ~ for the user's home.
func (s *Screen) HomePath(path string) string {
	if rest, ok := strings.CutPrefix(path, s.Home); ok && len(s.Home) > 1 && (rest == "" || rest[0] == '/') {
		path = "~" + rest
	}
	return Line(path)
}

// Wrapped is a text as a person's terminal shows it: no line is wider than the terminal,
// as far as what people copy allows it. Elsewhere the text stays as it is.
func (s *Screen) Wrapped(text string, indent func(line string) int, keep ...string) string {
	if !s.ForPerson() {
		return text
	}
	return Wrap(text, s.Width(), indent, keep...)
}
