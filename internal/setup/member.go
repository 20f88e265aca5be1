package setup

import (
	"github.com/go-json-experiment/json/jsontext"
)

// at is where the names lead to in the settings: the value, and the containers on the way to it, innermost first.
func (s settings) at(names []string) (c child, way []step, ok bool) {
	if blank(s.text) {
		return child{}, nil, false // all that there was, was ours
	}
	c = s.root()
	pointer := jsontext.Pointer("")
	for _, name := range names {
		list := s.children(c)
		i := lastNamed(list, name)
		if s.kind(c) != '{' || i < 0 {
			return child{}, nil, false
		}
		way = append([]step{{at: string(pointer), in: c, list: list, i: i}}, way...)
		c, pointer = list[i], pointer.AppendToken(name)
	}
	return c, way, true
}

// put adds a value where the names lead to: as a member that is not there yet or is null, or as an element of a list. It makes the
// containers that are missing, or null, on the way.
func (s settings) put(f form, names []string, element bool, value string) error {
	c, pointer := s.root(), jsontext.Pointer("")
	for i, name := range names {
		if !s.is('{', c) {
			return f.wrong(string(pointer), "object")
		}
		m, ok := s.member(c, name)
		if ok {
			c, pointer = m, pointer.AppendToken(name)
			continue
		}
		at := string(pointer)
		for _, below := range names[i:] {
			pointer = pointer.AppendToken(below)
			delete(s.empty, string(pointer))
		}
		if element {
			value = "[" + value + "]"
		}
		for k := len(names) - 1; k > i; k-- {
			value = "{" + string(quoted(names[k])) + ":" + value + "}"
		}
		s.addTo(at, c, name, value)
		return nil
	}
	if !element { // a null in its place
		s.empty[string(pointer)] = string(s.raw(c))
		s.splice(c.start, c.end, []byte(value))
		return nil
	}
	if !s.is('[', c) {
		return f.wrong(string(pointer), "array")
	}
	s.addTo(string(pointer), c, "", value)
	return nil
}

// takeOut removes the member that the names lead to, and what it leaves empty.
func (s settings) takeOut(names []string) {
	c, way, ok := s.at(names)
	if !ok {
		return
	}
	at := way[0].at + string(jsontext.Pointer("").AppendToken(names[len(names)-1]))
	if was, ok := s.empty[at]; ok && was == "null" {
		s.splice(c.start, c.end, []byte(was))
	} else {
		s.remove(place{inForce: true, path: way})
	}
}

// takeOutLast removes the last string of a list that equals one of some, and what it leaves empty. It returns false if there is
// none.
func (s settings) takeOutLast(names []string, some map[string]bool) bool {
	list, way, ok := s.at(names)
	if !ok || s.kind(list) != '[' {
		return false
	}
	pointer := jsontext.Pointer("")
	for _, name := range names {
		pointer = pointer.AppendToken(name)
	}
	elements := s.children(list)
	for i := len(elements) - 1; i >= 0; i-- {
		if some[s.str(elements[i])] {
			s.remove(place{inForce: true, path: append([]step{{at: string(pointer), in: list, list: elements, i: i}}, way...)})
			return true
		}
	}
	return false
}

// strings lists the strings of the list that the names lead to.
func (s settings) strings(names []string) []string {
	list, _, ok := s.at(names)
	if !ok {
		return nil
	}
	var all []string
	for _, c := range s.children(list) {
		if s.kind(c) == '"' {
			all = append(all, s.str(c))
		}
	}
	return all
}
