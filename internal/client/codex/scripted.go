package codex

import (
	"cmp"
	"maps"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// scriptCall is a command that a script runs, or its question to one that goes
// on.
type scriptCall struct {
	command, dir string
	process      string
}

// maxScripted bounds how many calls of one script are taken.
const maxScripted = 64

// readScript lists the commands of a script, as far as they can be read without
// running it: a call in a loop over a written list is one for each element.
func readScript(source string) (calls []scriptCall) {
	if !strings.Contains(source, "tools") {
		return nil
	}
	s := &scan{words: tokens(source), names: map[string]value{}}
	for i := range s.words {
		s.binds(i)
	}
	for i := range s.words {
		if !s.is(i, "tools", ".") || !s.is(i+3, "(") {
			continue
		}
		tool := s.words[i+2].text
		if toolKind(tool) != agent.CallShell && tool != "write_stdin" {
			continue
		}
		arguments, _ := s.value(i + 4)
		for _, names := range s.rounds(i) {
			c, ok := callOf(tool, arguments, names)
			if ok && len(calls) < maxScripted {
				calls = append(calls, c)
			}
		}
	}
	return calls
}

// binds takes the name that is given at a word, or the loop that begins there.
func (s *scan) binds(i int) {
	switch {
	case (s.is(i, "const") || s.is(i, "let") || s.is(i, "var")) && s.kind(i+1) == 'i' && s.is(i+2, "="):
		if v, _ := s.value(i + 3); v.kind != 0 {
			s.names[s.words[i+1].text] = v
		}
	case s.is(i, "of") && i > 0:
		if list, _ := s.value(i + 1); s.named(list).kind == 'a' {
			s.loop(i, s.named(list), s.parameterBefore(i))
		}
	case s.is(i, ".", "map", "(") || s.is(i, ".", "forEach", "(") || s.is(i, ".", "flatMap", "("):
		from := i + 3
		if s.is(from, "async") {
			from++
		}
		if s.is(from, "(") {
			from++
		}
		parameter, _ := s.term(from)
		s.loop(i, s.listBefore(i), parameter)
	}
}

// listBefore is the list that ends before a word.
func (s *scan) listBefore(i int) value {
	switch s.kind(i - 1) {
	case 'i':
		return s.named(value{kind: 'i', text: s.words[i-1].text})
	case ']':
		return s.opened(i-1, '[', ']')
	}
	return value{}
}

// parameterBefore is what each element is called: for (const [a, b] of list).
func (s *scan) parameterBefore(i int) value {
	switch s.kind(i - 1) {
	case 'i':
		return value{kind: 'i', text: s.words[i-1].text}
	case ']':
		return s.opened(i-1, '[', ']')
	case '}':
		return s.opened(i-1, '{', '}')
	}
	return value{}
}

// opened is the value whose last sign stands at a word.
func (s *scan) opened(i int, open, closing byte) value {
	deep := 0
	for ; i >= 0; i-- {
		switch s.kind(i) {
		case closing:
			deep++
		case open:
			if deep--; deep == 0 {
				v, _ := s.term(i)
				return v
			}
		}
	}
	return value{}
}

// loop takes a loop over a list, and the names of each element's parts.
func (s *scan) loop(at int, list, parameter value) {
	if list.kind != 'a' || len(list.list) == 0 || len(list.list) > maxScripted {
		return
	}
	l := loop{at: at}
	for _, element := range list.list {
		names := map[string]value{}
		element = s.named(element)
		switch parameter.kind {
		case 'i':
			names[parameter.text] = element
		case 'a':
			for i, p := range parameter.list {
				if p.kind == 'i' && i < len(element.list) {
					names[p.text] = element.list[i]
				}
			}
		case 'o':
			for key, p := range parameter.members {
				if p.kind == 'i' {
					names[p.text] = element.members[key]
				}
			}
		}
		l.each = append(l.each, names)
	}
	s.loops = append(s.loops, l)
}

// rounds are the names that hold at a word: one set for each round of the loop
// around it whose names the call takes.
func (s *scan) rounds(i int) []map[string]value {
	end := s.skip(i + 4)
	used := map[string]bool{}
	for n := i + 4; n < end || n == i+4; n++ {
		if n >= len(s.words) {
			break
		}
		switch w := s.words[n]; w.kind {
		case 'i':
			used[w.text] = true
		case 't':
			for name := range strings.SplitSeq(w.text, "${") {
				name, _, _ = strings.Cut(name, "}")
				used[name] = true
			}
		}
	}
	for k := len(s.loops) - 1; k >= 0; k-- {
		l := s.loops[k]
		if l.at > i {
			continue
		}
		for name := range l.each[0] {
			if !used[name] {
				continue
			}
			var all []map[string]value
			for _, names := range l.each {
				both := maps.Clone(s.names)
				maps.Copy(both, names)
				all = append(all, both)
			}
			return all
		}
	}
	return []map[string]value{s.names}
}

// callOf is a call with the names that hold for it.
func callOf(tool string, arguments value, names map[string]value) (c scriptCall, ok bool) {
	known := func(v value) value {
		v, _ = lookup(v, names)
		return v
	}
	text := func(v value) string {
		v = known(v)
		if v.kind != 's' {
			return ""
		}
		for name, n := range names {
			if n.kind == 's' || n.kind == 'n' {
				v.text = strings.ReplaceAll(v.text, "${"+name+"}", n.text)
			}
		}
		return v.text
	}
	arguments = known(arguments)
	if arguments.kind != 'o' {
		return c, false
	}
	if tool == "write_stdin" {
		if v := known(arguments.members["session_id"]); v.kind == 'n' {
			c.process = v.text
		}
		return c, c.process != ""
	}
	c.command, c.dir = cmp.Or(text(arguments.members["cmd"]), text(arguments.members["command"])), text(arguments.members["workdir"])
	return c, c.command != ""
}
