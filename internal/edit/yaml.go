package edit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML is a text in YAML. Its changes are texts to try, the best first: whoever asks reads them again, as not every form of YAML
// leaves a safe place.
type YAML struct {
	text    string
	newline string
	lines   []int // where each begins
	root    *Node // nil where the text says nothing
}

// ParseYAML finds the values in a text by what was read of it; nil: it says nothing.
func ParseYAML(text []byte, root *yaml.Node) YAML {
	y := YAML{text: string(text), newline: Newline(text), lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			y.lines = append(y.lines, i+1)
		}
	}
	if root != nil {
		y.root = &Node{}
		y.read(y.root, root)
	}
	return y
}

var yamlKinds = map[yaml.Kind]byte{yaml.MappingNode: Object, yaml.SequenceNode: array, yaml.ScalarNode: String}

// read reads a value into a node, whose From is known.
func (y YAML) read(n *Node, v *yaml.Node) {
	n.kind = yamlKinds[v.Kind]
	if v.Tag == "!!null" {
		n.kind = Null
	}
	n.block = len(v.Content) > 0 && v.Style&yaml.FlowStyle == 0
	n.column = v.Column - 1
	n.start = y.offset(v)
	n.end = y.end(n, v)
	for i, c := range v.Content {
		switch {
		case v.Kind != yaml.MappingNode:
			n.List = append(n.List, &Node{in: n, from: y.offset(c)}) // no path leads into it
		case i%2 == 1:
			key := v.Content[i-1]
			m := &Node{in: n, Name: key.Value, from: y.offset(key)}
			y.read(m, c)
			if c.Line > key.Line || m.start == m.end { // the value begins on a line below, or there is none
				m.start = m.from + strings.IndexByte(y.text[m.from:], ':') + 1
				m.end = max(m.start, m.end)
			}
			n.List = append(n.List, m)
		}
	}
}

// offset is where a node begins. YAML counts columns in characters.
func (y YAML) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(y.lines) {
		return len(y.text)
	}
	column, line := 0, y.text[y.lines[n.Line-1]:]
	for i := range line {
		if column++; column == n.Column {
			return y.lines[n.Line-1] + i
		}
	}
	return len(y.text)
}

// end is where a value ends.
func (y YAML) end(n *Node, v *yaml.Node) int {
	flow := n.in != nil && !n.in.block
	if flow || v.Style&yaml.FlowStyle != 0 {
		return flowEnd(y.text, n.start)
	}
	at := y.lastLine(n)
	end := y.lineEnd(at)
	if comment := v.LineComment; comment != "" && at == y.line(n.start) {
		if i := strings.LastIndex(y.text[:end], comment); i > n.start {
			end = n.start + len(strings.TrimRight(y.text[n.start:i], " \t"))
		}
	}
	return end
}

// flowEnd is where a value within brackets ends, or one that stands in some.
func flowEnd(text string, at int) int {
	depth, before := 0, byte(',')
	for ; at < len(text); at++ {
		c := text[at]
		switch {
		case strings.IndexByte(`"'`, c) >= 0 && strings.IndexByte("[{,:", before) >= 0:
			at = quoteEnd(text, at)
		case c == '#' && strings.IndexByte(" \t\n", text[at-1]) >= 0:
			comment, _, _ := strings.Cut(text[at:], "\n")
			at += len(comment)
		case strings.IndexByte("[{", c) >= 0:
			depth++
		case strings.IndexByte("]}", c) >= 0:
			depth--
		}
		switch closed := strings.IndexByte("]}", c) >= 0; {
		case closed && depth == 0:
			return at + 1
		case depth < 0, depth == 0 && c == ',':
			return len(strings.TrimRight(text[:at], " \t\r\n"))
		}
		if strings.IndexByte(" \t\r\n", c) < 0 {
			before = c
		}
	}
	return len(text)
}

// quoteEnd is where the last quote of a text in quotes stands.
func quoteEnd(text string, at int) int {
	quote := text[at]
	escape := map[byte]string{'"': `\`, '\'': "''"}[quote]
	for at++; at < len(text); at++ {
		switch {
		case strings.HasPrefix(text[at:], escape):
			at++
		case text[at] == quote:
			return at
		}
	}
	return at
}

// line is the number of the line, from 0, in which an offset lies.
func (y YAML) line(at int) int {
	n, begins := slices.BinarySearch(y.lines, at)
	if !begins {
		n--
	}
	return n
}

// lineEnd is where a line's text ends.
func (y YAML) lineEnd(n int) int {
	if n+1 < len(y.lines) {
		return y.lines[n] + len(strings.TrimRight(y.text[y.lines[n]:y.lines[n+1]], "\r\n"))
	}
	return len(y.text)
}

// lastLine is the last line of what stands in a block: lines that are further to the right than where it begins, and lists at its own
// column. Blank lines and comments behind it belong to what follows.
func (y YAML) lastLine(n *Node) int {
	first := y.line(n.from)
	column, last := n.from-y.lines[first], first
	for at := first + 1; at < len(y.lines); at++ {
		line := y.text[y.lines[at]:y.lineEnd(at)]
		said := strings.TrimLeft(line, " ")
		if strings.TrimSpace(said) == "" || said[0] == '#' {
			continue
		}
		item := said == "-" || strings.HasPrefix(said, "- ")
		if indent := len(line) - len(said); indent < column || indent == column && !item {
			break
		}
		last = at
	}
	return max(last, y.line(n.end))
}
