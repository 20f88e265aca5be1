package setup

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// merge returns the settings with our hooks in them. before is nil where there is no file. What was empty and is no longer goes
// into empty, by JSON pointer.
func merge(f form, before []byte, empty map[string]string, wanted []hook, command string) ([]byte, error) {
	return alter(f, before, empty, func(s settings) error {
		if err := s.check(f, wanted); err != nil {
			return err
		}
		for _, w := range wanted {
			if _, ok := s.find(w); !ok {
				s.install(w, command)
			}
			s.refresh(w, command)
		}
		for s.removeFirst(wanted) {
		}
		return nil
	})
}

// unmerge returns the settings without our hooks, nil where nothing of the file is left.
func unmerge(f form, before []byte, empty map[string]string) ([]byte, error) {
	return strip(f, before, empty, func(s settings) error {
		for s.removeFirst(nil) {
		}
		return nil
	})
}

// alter returns the settings after a change that adds to them; a file that is blank, or not there, counts as an empty object.
func alter(f form, before []byte, empty map[string]string, change func(settings) error) ([]byte, error) {
	body, marked := bytes.CutPrefix(before, bom)
	d := &document{text: body, comments: f.comments}
	if blank(body) {
		d.text = []byte("{}" + newlineOf(body))
	}
	s := settings{document: d, empty: empty}
	if err := s.check(f, nil); err != nil {
		return nil, err
	}
	first := d.text
	if err := change(s); err != nil {
		return nil, err
	}
	if bytes.Equal(d.text, first) {
		return before, nil
	}
	if blank(body) {
		delete(empty, "")
		if before != nil {
			empty[""] = string(body)
		}
	}
	if marked {
		return append(bytes.Clone(bom), d.text...), nil
	}
	return d.text, nil
}

// strip returns the settings after a change that takes something out, nil where nothing of the file is left.
func strip(f form, before []byte, empty map[string]string, change func(settings) error) ([]byte, error) {
	body, marked := bytes.CutPrefix(before, bom)
	if blank(body) {
		return before, nil
	}
	s := settings{document: &document{text: body, comments: f.comments}, empty: empty}
	if err := s.check(f, nil); err != nil {
		return nil, err
	}
	if err := change(s); err != nil {
		return nil, err
	}
	if marked && s.text != nil {
		return append(bytes.Clone(bom), s.text...), nil
	}
	return s.text, nil
}

// install adds a group of our own behind the event's other groups.
func (s settings) install(w hook, command string) {
	const hooksAt = "/hooks"
	eventAt := pointer(w.event)
	hooks, ok := s.member(s.root(), "hooks")
	if !ok {
		delete(s.empty, hooksAt)
		delete(s.empty, eventAt)
		s.addTo("", s.root(), "hooks", fmt.Sprintf(`{%s:[%s]}`, quoted(w.event), w.group(command)))
		return
	}
	event, ok := s.member(hooks, w.event)
	if !ok {
		delete(s.empty, eventAt)
		s.addTo(hooksAt, hooks, w.event, "["+w.group(command)+"]")
		return
	}
	s.addTo(eventAt, event, "", w.group(command))
}

// addTo adds to a container and keeps in mind if it was empty.
func (s settings) addTo(at string, to child, name, value string) {
	if was, empty := s.add(to, name, jsontext.Value(value)); empty {
		s.empty[at] = string(was)
	}
}

// refresh brings a hook of ours up to date where it stands. A longer timeout is the user's wish and stays.
func (s settings) refresh(w hook, command string) {
	p, _ := s.find(w)
	if p.command != command {
		s.set(p, "command", quoted(command))
		p, _ = s.find(w) // what follows has moved
	}
	if p.timeout < float64(w.timeout) {
		s.set(p, "timeout", jsontext.Value(fmt.Sprint(w.timeout)))
		p, _ = s.find(w)
	}
	if w.name != "" && p.name == "" {
		s.set(p, "name", quoted(w.name))
	}
}

// set gives a hook's member another value.
func (s settings) set(p place, name string, value jsontext.Value) {
	if c, ok := s.member(p.hook(), name); ok {
		s.splice(c.start, c.end, value)
		return
	}
	s.add(p.hook(), name, value)
}

// removeFirst removes the first hook of ours that is not wanted (each wanted hook counts once), and the containers that it leaves
// empty. It returns false if there is no such hook.
func (s settings) removeFirst(wanted []hook) bool {
	kept := map[string]bool{}
next:
	for _, p := range s.places() {
		for _, w := range wanted {
			if w.matches(p) && !kept[w.event] {
				kept[w.event] = true
				continue next
			}
		}
		s.remove(p)
		return true
	}
	return false
}

// remove takes out a hook and what it leaves empty, up to the whole text. A container that was empty before Init gets its old text.
// A container with a new comment in it stays, with the comment.
func (s settings) remove(p place) {
	for _, c := range p.path {
		if len(c.list) > 1 {
			s.cut(c.list, c.i)
			return
		}
		was, ok := s.empty[c.at]
		ok = ok && p.inForce // Init fills no hidden container
		this := c.list[c.i]
		theirs := s.commentsIn(c.in.start, this.from) + s.commentsIn(this.end, c.in.end)
		around := ""
		if c.at == "" {
			around = s.commentsIn(0, c.in.start) + s.commentsIn(c.in.end, len(s.text))
		}
		first := document{text: []byte(was), comments: s.comments}
		switch same := theirs == first.commentsIn(0, len(was)); {
		case ok && c.at == "" && blank([]byte(was)) && theirs+around == "":
			s.text = []byte(was)
		case ok && same && !blank([]byte(was)):
			s.splice(c.in.start, c.in.end, []byte(was))
		case ok || theirs+around != "":
			s.splice(this.from, this.end, nil)
		default:
			continue
		}
		return
	}
	s.text = nil
}
