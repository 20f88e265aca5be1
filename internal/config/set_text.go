package config

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// keyCandidates are texts to try in which the key has the value that is written, the
// best first; written "" removes the key.
func (e edit) keyCandidates(root *yaml.Node, name, written string) []string {
	if root == nil || len(root.Content) == 0 && root.Style&yaml.FlowStyle == 0 {
		return []string{e.atEnd(nested(strings.Split(name, "."), 0, written))}
	}
	parent, parents, rest := root, []*yaml.Node{}, strings.Split(name, ".")
	for {
		key, value, n := longest(parent, rest)
		if key == nil {
			break
		}
		if n == len(rest) {
			return e.overKey(append(parents, key), parent, value, written)
		}
		if value.Kind != yaml.MappingNode {
			if value.Tag == "!!null" && written != "" {
				return []string{e.belowLine(key.Line, key.Column+1, lines(nested(rest[n:], 0, written))...)}
			}
			return nil
		}
		parents, parent, rest = append(parents, key), value, rest[n:]
	}
	if written == "" {
		return nil // it stands in what is merged, or nowhere
	}
	if parent.Style&yaml.FlowStyle != 0 {
		return []string{e.afterBracket(parent, strings.Join(rest, ".")+": "+written), e.afterBracket(parent, flowNested(rest, written))}
	}
	block := lines(nested(rest, 0, written))
	if len(parents) == 0 {
		return []string{e.atEnd(nested(rest, 0, written))}
	}
	at := column(parent)
	last := e.lastLine(parent, parents[len(parents)-1])
	return []string{e.belowLine(last, at, block...), e.belowLine(parents[len(parents)-1].Line, at, block...)}
}

// longest finds the key of a map that most of a name's first steps name, and how many:
// a file may write a key in one word, debrief.min_turn, or in steps.
func longest(n *yaml.Node, steps []string) (key, value *yaml.Node, many int) {
	for many = len(steps); many > 0; many-- {
		if key, value = child(n, strings.Join(steps[:many], ".")); key != nil {
			break
		}
	}
	return key, value, many
}

// nested are the lines of a value below the steps of its name.
func nested(steps []string, depth int, written string) string {
	indent := strings.Repeat("  ", depth)
	if len(steps) == 1 {
		return indent + steps[0] + ": " + written + "\n"
	}
	return indent + steps[0] + ":\n" + nested(steps[1:], depth+1, written)
}

// flowNested is the same in the flow style.
func flowNested(steps []string, written string) string {
	if len(steps) == 1 {
		return steps[0] + ": " + written
	}
	return steps[0] + ": {" + flowNested(steps[1:], written) + "}"
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// overKey puts a value in the place of the one that the last of the keys has, or
// removes the key, and the keys above it that then hold nothing.
func (e edit) overKey(keys []*yaml.Node, parent, value *yaml.Node, written string) []string {
	key := keys[len(keys)-1]
	if parent.Style&yaml.FlowStyle != 0 {
		return e.overFlow(key, value, written)
	}
	from, to := key.Line, e.endOf(key)
	var ways []string
	if written == "" {
		for i := len(keys) - 1; i >= 0; i-- {
			if i == len(keys)-1 || e.endOf(keys[i]) == to && keys[i].Line == from-1 {
				from = keys[i].Line
				ways = append([]string{e.replaced(from, to)}, ways...)
				continue
			}
			break
		}
		return ways
	}
	line := e.line(key.Line)
	head := strings.Repeat(" ", key.Column-1) + key.Value + ": "
	if !strings.HasPrefix(line, head[:len(head)-1]) { // the key stands in quotes, or more than one key does
		head = line[:e.offset(value)-e.start(key.Line)]
	}
	note := ""
	if c := strings.TrimSpace(value.LineComment + key.LineComment); c != "" && value.Line == key.Line {
		if at := strings.LastIndex(line, c); at > 0 {
			note = line[len(strings.TrimRight(line[:at], " \t")):]
		}
	}
	return []string{e.replaced(from, to, head+written+note), e.replaced(from, to, head+written)}
}

// overFlow does the same within brackets. Where a value ends is tried.
func (e edit) overFlow(key, value *yaml.Node, written string) (ways []string) {
	start, from := e.offset(key), e.offset(value)
	for i := from; i < len(e.text) && i < from+maxFlow; i++ {
		if !strings.ContainsRune(",]}", rune(e.text[i])) && (i == 0 || !strings.ContainsRune("]}", rune(e.text[i-1]))) {
			continue
		}
		if written != "" {
			ways = append(ways, e.text[:from]+written+e.text[i:])
			continue
		}
		if e.text[i] == ',' {
			ways = append(ways, e.text[:start]+strings.TrimLeft(e.text[i+1:], " "))
		} else if before := strings.TrimRight(e.text[:start], " "); strings.HasSuffix(before, ",") {
			ways = append(ways, strings.TrimSuffix(before, ",")+e.text[i:])
		} else {
			ways = append(ways, e.text[:start]+e.text[i:])
		}
	}
	return ways
}

// maxFlow bounds how far the end of a value in brackets is looked for, in bytes.
const maxFlow = 4000

// endOf is the last line of what belongs to a key of the block style: lines that are
// further to the right, and lists at its own column. Blank lines and comments behind
// it belong to what follows.
func (e edit) endOf(key *yaml.Node) int {
	all, last := strings.Split(e.text, "\n"), key.Line
	for n := key.Line; n < len(all); n++ {
		text := strings.TrimSpace(all[n])
		at := len(all[n]) - len(strings.TrimLeft(all[n], " "))
		if text == "" || text[0] == '#' {
			continue
		}
		if at < key.Column-1 || at == key.Column-1 && text != "-" && !strings.HasPrefix(text, "- ") {
			break
		}
		last = n + 1
	}
	return last
}

// lastLine is the last line of a map below its key.
func (e edit) lastLine(parent, key *yaml.Node) int {
	if len(parent.Content) == 0 {
		return key.Line
	}
	return e.endOf(parent.Content[len(parent.Content)-2])
}

// replaced is the text with other lines in the place of the lines from one to another.
func (e edit) replaced(from, to int, with ...string) string {
	all := strings.SplitAfter(e.text, "\n")
	if from < 1 || to > len(all) {
		return e.text
	}
	head, tail := strings.Join(all[:from-1], ""), strings.Join(all[to:], "")
	for _, l := range with {
		head += strings.TrimRight(l, "\r\n") + e.newline()
	}
	return head + tail
}

// line is a line's text, without its end.
func (e edit) line(n int) string {
	return strings.TrimRight(strings.Split(e.text, "\n")[n-1], "\r")
}

// start is where a line begins.
func (e edit) start(n int) int {
	at := 0
	for _, line := range strings.SplitAfter(e.text, "\n")[:n-1] {
		at += len(line)
	}
	return at
}
