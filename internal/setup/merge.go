package setup

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
)

var bom = []byte("\xef\xbb\xbf")

// form is which settings file it is and what may stand in it beside JSON.
type form struct {
	path     string
	comments bool
}

// blank tells whether a file counts as {}.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// merge returns the settings with our hooks in them. before is nil where there is no file. What was empty and is no longer goes
// into empty, by JSON pointer.
func merge(f form, before []byte, empty map[string]string, wanted []hook, command string) ([]byte, error) {
	body, marked := bytes.CutPrefix(before, bom)
	d := &document{text: body, comments: f.comments}
	if blank(body) {
		d.text = []byte("{}" + newlineOf(body))
	}
	s := settings{document: d, empty: empty}
	if err := s.check(f, wanted); err != nil {
		return nil, err
	}
	for _, w := range wanted {
		if _, ok := s.find(w); !ok {
			s.install(w, command)
		}
		s.refresh(w, command)
	}
	for s.removeFirst(wanted) {
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

// unmerge returns the settings without our hooks, nil where nothing of the file is left.
func unmerge(f form, before []byte, empty map[string]string) ([]byte, error) {
	body, marked := bytes.CutPrefix(before, bom)
	if blank(body) {
		return before, nil
	}
	s := settings{document: &document{text: body, comments: f.comments}, empty: empty}
	if err := s.check(f, nil); err != nil {
		return nil, err
	}
	for s.removeFirst(nil) {
	}
	if marked && s.text != nil {
		return append(bytes.Clone(bom), s.text...), nil
	}
	return s.text, nil
}

// settings is a settings file of the form {"hooks": {EVENT: [{"matcher", "hooks": [{"type", "command", "timeout"}]}]}}.
type settings struct {
	*document
	empty map[string]string // text of containers that were empty before Init, by JSON pointer
}

// check refuses what is no settings file, or could not take the wanted hooks.
func (s settings) check(f form, wanted []hook) error {
	op := "edit " + f.path
	if err := s.valid(); err != nil {
		knows := "JSON knows no comments and no trailing commas"
		if f.comments {
			knows = "comments are fine, trailing commas are not"
		}
		return &piton.Error{Code: piton.Invalid, Op: op, Hint: "mend it by hand (" + knows + "), then try again", Err: fmt.Errorf("not JSON: %w", err)}
	}
	wrong := func(pointer, want string) error {
		return piton.Errorf(piton.Invalid, op, "mend it by hand, then try again", "%q is not an %s", pointer, want)
	}
	if s.kind(s.root()) != '{' {
		return wrong("/", "object")
	}
	hooks, ok := s.member(s.root(), "hooks")
	if !ok || len(wanted) == 0 {
		return nil
	}
	if s.kind(hooks) != '{' {
		return wrong("/hooks", "object")
	}
	for _, w := range wanted {
		if event, ok := s.member(hooks, w.event); ok && s.kind(event) != '[' {
			return wrong("/hooks/"+w.event, "array")
		}
	}
	return nil
}

// install adds a group of our own behind the event's other groups.
func (s settings) install(w hook, command string) {
	const hooksAt = "/hooks"
	eventAt := pointer(w.event)
	hooks, ok := s.member(s.root(), "hooks")
	if !ok {
		delete(s.empty, hooksAt)
		delete(s.empty, eventAt)
		s.fill("", s.root(), "hooks", fmt.Sprintf(`{%s:[%s]}`, quoted(w.event), w.group(command)))
		return
	}
	event, ok := s.member(hooks, w.event)
	if !ok {
		delete(s.empty, eventAt)
		s.fill(hooksAt, hooks, w.event, "["+w.group(command)+"]")
		return
	}
	s.fill(eventAt, event, "", w.group(command))
}

// fill adds to a container and keeps in mind if it was empty.
func (s settings) fill(at string, to child, name, value string) {
	if was, empty := s.add(to, name, jsontext.Value(value)); empty {
		s.empty[at] = string(was)
	}
}

func (w hook) group(command string) string {
	name := ""
	if w.name != "" {
		name = fmt.Sprintf(`"name":%s,`, quoted(w.name))
	}
	hooks := fmt.Sprintf(`"hooks":[{%s"type":"command","command":%s,"timeout":%d}]`, name, quoted(command), w.timeout)
	if w.matcher == "" {
		return "{" + hooks + "}"
	}
	return fmt.Sprintf(`{"matcher":%s,%s}`, quoted(w.matcher), hooks)
}

// refresh brings a hook of ours up to date where it stands. A longer timeout is the user's wish and stays.
func (s settings) refresh(w hook, command string) {
	if p, _ := s.find(w); p.command != command {
		s.set(p, "command", quoted(command))
	}
	if p, _ := s.find(w); p.timeout < float64(w.timeout) {
		s.set(p, "timeout", jsontext.Value(fmt.Sprint(w.timeout)))
	}
	if p, _ := s.find(w); w.name != "" && p.name == "" {
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

// pointer is the JSON pointer of an event's groups.
func pointer(event string) string {
	return string(jsontext.Pointer("/hooks").AppendToken(event))
}
