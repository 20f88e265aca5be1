package setup

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// layout is how a document spells what JSON leaves free.
type layout struct {
	newline string // "\n" or "\r\n"
	unit    string // one step of indentation
	spaced  bool   // a space behind colons, and behind commas within a line
}

func (l layout) space() string {
	if l.spaced {
		return " "
	}
	return ""
}

// piece renders a member (with a name) or an element (without); its first line goes where the cursor stands, the others at indent.
func (l layout) piece(name string, value jsontext.Value, indent string, lines bool) string {
	value = value.Clone()
	options := append([]jsontext.Options{jsontext.SpaceAfterColon(l.spaced), jsontext.SpaceAfterComma(l.spaced && !lines)}, lenient...)
	if lines {
		options = append(options, jsontext.WithIndentPrefix(indent), jsontext.WithIndent(l.unit))
	}
	if err := value.Format(options...); err != nil {
		panic("setup: rendering our own JSON: " + err.Error())
	}
	text := strings.ReplaceAll(string(value), "\n", l.newline) // strings hold no raw newline
	if name == "" {
		return text
	}
	return string(quoted(name)) + ":" + l.space() + text
}

// layout reads the habits of a document off its first member.
func (d *document) layout() layout {
	l := layout{newline: newlineOf(d.text), unit: "  ", spaced: true}
	root := d.root()
	if list := d.children(root); len(list) > 0 {
		first := list[0]
		l.spaced = d.plain()[first.start-1] != ':'
		if lead := d.lead(first.from); strings.Contains(lead, "\n") {
			l.unit = strings.TrimPrefix(tail(lead), tail(d.lead(root.from)))
		}
	}
	return l
}

func newlineOf(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// quoted is s as a JSON string.
func quoted(s string) jsontext.Value {
	v, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 comes out as U+FFFD
	return v
}
