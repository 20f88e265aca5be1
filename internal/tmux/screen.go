package tmux

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Read takes the colours out of a screen as capture-pane -e gives it. solid has
// spaces where something faint or grey stands.
func Read(screen string) (lines, solid []string) {
	var now style // goes on from line to line
	for line := range strings.Lines(screen) {
		var all, firm strings.Builder
		for text := strings.TrimSuffix(line, "\n"); text != ""; {
			if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
				end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
				if end < 0 {
					break
				}
				if rest[end] == 'm' {
					now = now.after(rest[:end])
				}
				text = rest[end+1:]
				continue
			}
			r, n := utf8.DecodeRuneInString(text)
			text = text[n:]
			if r < ' ' || r == utf8.RuneError && n == 1 {
				continue // capture-pane gives none but those of colours
			}
			all.WriteRune(r)
			if now.faint || now.grey {
				r = ' '
			}
			firm.WriteRune(r)
		}
		lines = append(lines, strings.TrimRight(all.String(), " "))
		solid = append(solid, strings.TrimRight(firm.String(), " "))
	}
	return lines, solid
}

// style is how characters look, as far as it says that they are a hint.
type style struct{ faint, grey bool }

// after is the style after the numbers of one sequence.
func (s style) after(numbers string) style {
	f := strings.FieldsFunc(numbers, func(r rune) bool { return r == ';' || r == ':' })
	if len(f) == 0 {
		return style{}
	}
	for i := 0; i < len(f); i++ {
		switch n := number(f[i]); {
		case n == 0:
			s = style{}
		case n == 2:
			s.faint = true
		case n == 22:
			s.faint = false
		case n == 90:
			s.grey = true
		case n == 38 || n == 48:
			used, grey := colour(f[i+1:])
			if n == 38 {
				s.grey = grey
			}
			i += used
		case n == 39, n >= 30 && n <= 37, n >= 91 && n <= 97:
			s.grey = false
		}
	}
	return s
}

// Greys that are hints: darker than what people's own words are shown in.
const lightest = 200

// colour reads what stands behind 38 or 48: how many numbers it takes, and whether
// it is grey.
func colour(f []string) (used int, grey bool) {
	switch {
	case len(f) >= 4 && f[0] == "2":
		r, _ := strconv.Atoi(f[1])
		return 4, f[1] == f[2] && f[2] == f[3] && r <= lightest && r > 0
	case len(f) >= 2 && f[0] == "5":
		n, _ := strconv.Atoi(f[1])
		return 2, n == 8 || n >= 235 && n <= 250
	}
	return len(f), false
}
