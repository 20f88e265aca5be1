package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// part is a part of a text.
type part struct{ from, to int }

// tableParts are the parts of a TOML text under the heads of a table and of those in it, each up to its last line that is neither
// empty nor a comment: a comment above the next head belongs to that.
func tableParts(text []byte, path ...string) (parts []part) {
	var p unstable.Parser
	p.Reset(text)
	inside := false
	for p.NextExpression() {
		e := p.Expression()
		said := int(e.Raw.Offset + e.Raw.Length)
		if e.Kind != unstable.KeyValue {
			var from int
			inside, from, said = headOf(e, text, path)
			if inside && (len(parts) == 0 || parts[len(parts)-1].to != from) {
				parts = append(parts, part{from: from})
			}
		}
		if inside {
			rest, _, ended := bytes.Cut(text[said:], []byte("\n"))
			parts[len(parts)-1].to = said + len(rest)
			if ended {
				parts[len(parts)-1].to++
			}
		}
	}
	return parts
}

// headOf reads the head of a table: whether its names begin with those of a path, where its line begins, and where its last name ends.
func headOf(e *unstable.Node, text []byte, path []string) (inside bool, from, end int) {
	var names []string
	for it := e.Key(); it.Next(); {
		name := it.Node()
		names, end = append(names, string(name.Data)), int(name.Raw.Offset+name.Raw.Length)
		from = bytes.LastIndexByte(text[:name.Raw.Offset], '\n') + 1
	}
	inside = e.Kind == unstable.Table && len(names) >= len(path) && slices.Equal(names[:len(path)], path)
	return inside, from, end
}

// TableText is all that stands under the heads of a table.
func TableText(text []byte, path ...string) (own []byte) {
	for _, p := range tableParts(text, path...) {
		own = append(own, text[p.from:p.to]...)
	}
	return own
}

// RemoveTable takes out the parts of a table, each with the end of a line that AppendTable put before it.
func RemoveTable(text []byte, path ...string) []byte {
	after := bytes.Clone(text)
	for _, part := range slices.Backward(tableParts(text, path...)) {
		from := part.from
		if cut, ok := bytes.CutSuffix(after[:from], []byte("\n")); ok {
			cut = bytes.TrimSuffix(cut, []byte("\r"))
			if last := len(after) == part.to; last || len(cut) == 0 || bytes.HasSuffix(cut, []byte("\n")) {
				from = len(cut)
			}
		}
		after = splice(after, from, part.to, "")
	}
	return after
}

// AppendTable adds a table's text at the end, behind an empty line.
func AppendTable(text []byte, table string) []byte {
	newline := Newline(text)
	table = strings.ReplaceAll(table, "\n", newline)
	if len(text) > 0 {
		table = newline + table
	}
	return append(bytes.Clone(text), table...)
}
