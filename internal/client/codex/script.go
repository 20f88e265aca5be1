package codex

import (
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/client"
)

// toolCall is a call of a tool in a script that the model wrote: tools.name({…}).
type toolCall struct {
	name   string
	fields map[string]string // those that are written out: texts without their quotes, numbers as they are
}

// A cell is a script of the model's that calls tools. Some versions of the client
// tell of each call in it; others leave nothing of the commands but the script and
// what it printed.
type cell struct {
	begun  time.Time
	script string
	calls  []toolCall
	ids    []string // the calls' own, as they stand among the turn's
	plain  bool
	parts  []string // what the script has printed so far, text by text
	wall   float64  // the seconds that it has taken
}

// scriptCalls are the calls of tools in a script, in their order. plain tells that
// each is made once, in this order: none stands in a loop or in a function. Only
// what the script writes out is read; nothing of it is run.
func scriptCalls(text string) (calls []toolCall, plain bool) {
	plain = true
	repeats := false
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "//"):
			i += until(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			i += until(rest, "*/")
		case text[i] == '"' || text[i] == '\'' || text[i] == '`':
			_, n, _ := literal(rest)
			i += n
		case strings.HasPrefix(rest, "=>") || word(text, i, "for") || word(text, i, "while") || word(text, i, "function"):
			repeats = true
			i += 2
		case word(text, i, "tools") && strings.HasPrefix(rest, "tools."):
			name := identifier(rest[len("tools."):])
			i += len("tools.") + len(name)
			if i < len(text) && text[i] == '(' {
				plain = plain && !repeats
				calls = append(calls, toolCall{name, fields(text[i+1:])})
			}
		default:
			i++
		}
	}
	return calls, plain
}

// until is the length of a text to the end of a mark, or all of it.
func until(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

// word reports whether a word of its own begins at a place.
func word(text string, at int, name string) bool {
	rest, ok := strings.CutPrefix(text[at:], name)
	behindName := at > 0 && (inName(text[at-1]) || text[at-1] == '.')
	return ok && !behindName && identifier(rest) == ""
}

func inName(b byte) bool {
	return b == '$' || b != '-' && strings.IndexByte(client.Letters, b) >= 0
}

func identifier(text string) string {
	n := 0
	for n < len(text) && inName(text[n]) {
		n++
	}
	return text[:n]
}

// literal reads the string that a text begins with: what it comes to, how long it
// is in the text, and whether that is known. A template with a value in it is not.
func literal(text string) (value string, n int, ok bool) {
	quote := text[0]
	var b strings.Builder
	for n, ok = 1, true; n < len(text); n++ {
		switch c := text[n]; {
		case c == quote:
			return b.String(), n + 1, ok
		case c == '\\' && n+1 < len(text):
			r, _, rest, err := strconv.UnquoteChar(text[n:], 0)
			if text[n+1] == '\n' { // the line goes on
				n++
				continue
			}
			if err != nil { // JavaScript takes the character as it is: \` and \$
				n++
				b.WriteByte(text[n])
				continue
			}
			b.WriteRune(r)
			n = len(text) - len(rest) - 1
		case quote == '`' && strings.HasPrefix(text[n:], "${"):
			ok = false
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), n, false
}

// fields reads the members of the object that a text begins with, as far as they
// are written out.
func fields(text string) map[string]string {
	all := map[string]string{}
	text = strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(text, "{") {
		return all
	}
	for text = text[1:]; ; {
		text = strings.TrimLeft(text, " \t\r\n,")
		if text == "" || text[0] == '}' {
			return all
		}
		key := identifier(text)
		n := len(key)
		if text[0] == '"' || text[0] == '\'' {
			key, n, _ = literal(text)
		}
		if n == 0 {
			return all
		}
		text = strings.TrimLeft(text[n:], " \t\r\n")
		if !strings.HasPrefix(text, ":") {
			continue // {cmd}: its value is written elsewhere
		}
		value, n := expression(text[1:])
		if value != "" {
			all[key] = value
		}
		text = text[1+n:]
	}
}

// expression reads a member's value, to the comma or the bracket that ends it: what
// it comes to where it is one string or one number, else "".
func expression(text string) (value string, n int) {
	depth, parts := 0, 0
	known := true
	for n < len(text) {
		switch c := text[n]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			n++
		case depth == 0 && (c == ',' || c == '}' || c == ')'):
			if !known || parts != 1 {
				value = ""
			}
			return value, n
		case c == '"' || c == '\'' || c == '`':
			text, size, ok := literal(text[n:])
			value, known = text, known && ok
			n += size
			parts++
		case '0' <= c && c <= '9':
			value = identifier(text[n:])
			n += len(value)
			parts++
		default:
			known = false
			switch c {
			case '{', '(', '[':
				depth++
			case '}', ')', ']':
				depth--
			}
			n++
		}
	}
	return "", n
}
