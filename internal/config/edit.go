package config

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// edit knows the ways to change a text.
type edit struct{ text string }

// atEnd adds lines behind the text.
func (e edit) atEnd(lines string) string {
	text := e.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += e.newline()
	}
	return text + strings.ReplaceAll(lines, "\n", e.newline())
}

// belowLine adds lines under a line, so many columns to the right.
func (e edit) belowLine(line, columns int, lines ...string) string {
	all := strings.SplitAfter(e.text, "\n")
	if line > len(all) {
		return e.text
	}
	head, tail := strings.Join(all[:line], ""), strings.Join(all[line:], "")
	if !strings.HasSuffix(head, "\n") {
		head += e.newline()
	}
	for _, l := range lines {
		head += strings.Repeat(" ", max(columns, 0)) + l + e.newline()
	}
	return head + tail
}

// afterBracket adds a text behind the bracket that opens a node in the flow style.
func (e edit) afterBracket(n *yaml.Node, text string) string {
	if n == nil {
		return e.text
	}
	at := e.offset(n)
	if at >= len(e.text) || e.text[at] != '{' && e.text[at] != '[' {
		return e.text
	}
	if len(n.Content) > 0 {
		text += ", "
	}
	return e.text[:at+1] + text + e.text[at+1:]
}

// offset is where a node begins. YAML counts columns in characters.
func (e edit) offset(n *yaml.Node) int {
	at := 0
	for i, line := range strings.SplitAfter(e.text, "\n") {
		column := 0
		for j := range line {
			if column++; i == n.Line-1 && column == n.Column {
				return at + j
			}
		}
		at += len(line)
	}
	return len(e.text)
}

func (e edit) newline() string {
	if strings.Contains(e.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// flow is a value as JSON, which is YAML too: a text in quotes.
func flow(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// child finds a key of a map as it stands there.
func child(n *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// column is how far a map's keys stand to the right.
func column(n *yaml.Node) int {
	if len(n.Content) == 0 {
		return 2
	}
	return n.Content[0].Column - 1
}
