package edit

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// layout is how a text spells what JSON leaves free.
type layout struct {
	newline string // "\n" or "\r\n"
	unit    string // one step of indentation
	space   string // behind colons, and behind commas within a line
}

// layout reads the habits of a text off its first member.
func (d *JSON) layout() layout {
	l := layout{Newline(d.text), "  ", " "}
	if len(d.root.List) == 0 {
		return l
	}
	first := d.root.List[0]
	if d.plain[first.start-1] == ':' {
		l.space = ""
	}
	if lead := d.lead(first.from); strings.Contains(lead, "\n") {
		l.unit = strings.TrimPrefix(tail(lead), tail(d.lead(d.root.from)))
	}
	return l
}

// piece renders a member (with a name) or an element (without); its first line goes where the cursor stands, the others at indent.
func (l layout) piece(name, value, indent string, lines bool) string {
	text := jsontext.Value(value)
	options := append([]jsontext.Options{jsontext.SpaceAfterColon(l.space != ""), jsontext.SpaceAfterComma(l.space != "" && !lines)}, lenient...)
	if lines {
		options = append(options, jsontext.WithIndentPrefix(indent), jsontext.WithIndent(l.unit))
	}
	if err := text.Format(options...); err != nil {
		panic("edit: rendering our own JSON: " + err.Error())
	}
	piece := strings.ReplaceAll(string(text), "\n", l.newline) // strings hold no raw newline
	if name == "" {
		return piece
	}
	return Quote(name) + ":" + l.space + piece
}

// lead is the white space before an offset, up to the comma, bracket or beginning of the text.
func (d *JSON) lead(at int) string {
	return string(d.plain[len(bytes.TrimRight(d.plain[:at], " \t\r\n")):at])
}

// tail is the indentation that ends a lead.
func tail(lead string) string {
	return lead[len(strings.TrimRight(lead, " \t")):]
}

// Quote is s as a JSON string.
func Quote(s string) string {
	v, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 comes out as U+FFFD
	return string(v)
}
