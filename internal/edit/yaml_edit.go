package edit

import (
	"slices"
	"strings"
)

// find is the value that most of a path leads to, and the rest of the path. A file may write a key in one word, debrief.min_turn, or in
// steps.
func (y YAML) find(path []string) (n *Node, rest []string) {
	for n, rest = y.root, path; len(rest) > 0; {
		many := len(rest)
		for many > 0 && n.At(strings.Join(rest[:many], ".")) == nil {
			many--
		}
		if many == 0 {
			break
		}
		n, rest = n.At(strings.Join(rest[:many], ".")), rest[many:]
	}
	return n, rest
}

// Set gives a key the value that is written, on one line.
func (y YAML) Set(path []string, written string) []string {
	n, rest := y.find(path)
	switch {
	case len(rest) > 0 || n == nil:
		return y.insert(n, rest, written, nil)
	case y.text[n.start-1] == ':':
		written = " " + written
	}
	text := y.text[:n.start] + written + y.text[n.end:]
	if n.in.block && n.end == len(y.text) {
		text += y.newline
	}
	return []string{text}
}

// Append adds an item to a key's list, as it is written on a line of its own and in brackets.
func (y YAML) Append(path []string, line, flow string) []string {
	n, rest := y.find(path)
	line = "- " + line
	switch {
	case len(rest) > 0 || n == nil:
		return y.insert(n, rest, "["+flow+"]", []string{line})
	case n.kind == Null:
		return y.insert(n, nil, "", []string{line})
	case n.kind != array:
		return nil
	case n.block:
		last := n.List[len(n.List)-1]
		return []string{y.below(y.line(last.from), n.column, line), y.below(y.line(n.from), n.column, line)}
	}
	front := y.front(n, flow)
	if len(n.List) == 0 {
		return []string{front}
	}
	return []string{y.text[:n.end-1] + ", " + flow + y.text[n.end-1:], front}
}

// Remove takes out a key, and the keys above it that then hold nothing.
func (y YAML) Remove(path []string) (ways []string) {
	n, rest := y.find(path)
	if len(rest) > 0 || n == nil {
		return nil // it stands in what is merged, or nowhere
	}
	if !n.in.block {
		from, to := n.between()
		return []string{y.text[:from] + y.text[to:]}
	}
	from, to := y.line(n.from), y.lastLine(n)
	for {
		tail := ""
		if to+1 < len(y.lines) {
			tail = y.text[y.lines[to+1]:]
		}
		ways = append(ways, y.text[:y.lines[from]]+tail)
		if n = n.in; n.in == nil || len(n.List) > 1 || y.line(n.from) != from-1 {
			slices.Reverse(ways)
			return ways
		}
		from--
	}
}

// insert adds what is missing of a path to a value, with a value in brackets or, where there are some, on lines of its own: these
// stand before the others of a group, one value behind them.
func (y YAML) insert(n *Node, rest []string, flow string, lines []string) []string {
	block := nested(rest, flow, lines)
	switch {
	case n == nil || n.block && n.in == nil:
		text := y.text
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += y.newline
		}
		return []string{text + strings.Join(block, y.newline) + y.newline}
	case n.kind == Null:
		line := y.line(n.from)
		return []string{y.below(line, n.from-y.lines[line]+2, block...)}
	case n.kind != Object:
		return nil
	case !n.block:
		name := rest[0]
		if len(rest) > 1 {
			name = Quote(strings.Join(rest, "."))
		}
		return []string{y.front(n, name+": "+flow)}
	}
	ways := []string{y.below(y.line(n.from), n.column, block...)}
	if len(lines) == 0 {
		ways = append([]string{y.below(y.lastLine(n.List[len(n.List)-1]), n.column, block...)}, ways...)
	}
	return ways
}

// nested are the lines of a value below the steps of its name.
func nested(steps []string, flow string, lines []string) []string {
	switch len(steps) {
	case 0:
		return lines
	case 1:
		if len(lines) == 0 {
			return []string{steps[0] + ": " + flow}
		}
	}
	all := []string{steps[0] + ":"}
	for _, line := range nested(steps[1:], flow, lines) {
		all = append(all, "  "+line)
	}
	return all
}

// below adds lines under a line, so far to the right.
func (y YAML) below(line, column int, lines ...string) string {
	head, tail := y.text, ""
	if line+1 < len(y.lines) {
		head, tail = y.text[:y.lines[line+1]], y.text[y.lines[line+1]:]
	}
	if !strings.HasSuffix(head, "\n") {
		head += y.newline
	}
	for _, l := range lines {
		head += strings.Repeat(" ", column) + l + y.newline
	}
	return head + tail
}

// front adds a text behind the bracket that opens a value.
func (y YAML) front(n *Node, text string) string {
	if len(n.List) > 0 {
		text += ", "
	}
	return y.text[:n.start+1] + text + y.text[n.start+1:]
}
