package setup

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/piton-project/piton"
)

var bom = []byte("\xef\xbb\xbf")

// form is which settings file it is and what may stand in it beside JSON.
type form struct {
	path     string
	comments bool
}

// blank reports whether a file counts as {}.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// parse lists our hooks in a settings file.
func parse(f form, text []byte) ([]place, error) {
	body, _ := bytes.CutPrefix(text, bom)
	if blank(body) {
		return nil, nil
	}
	s := settings{document: &document{text: body, comments: f.comments}}
	if err := s.check(f, nil); err != nil {
		return nil, err
	}
	return s.places(), nil
}

// commands lists the command lines of all hooks, ours and others.
func (f form) commands(text []byte) []string {
	var lines []string
	if s, ok := f.open(text); ok {
		for _, p := range s.hooks() {
			if p.inForce {
				lines = append(lines, p.command)
			}
		}
	}
	return lines
}

// open reads settings that are there and valid.
func (f form) open(text []byte) (settings, bool) {
	body, _ := bytes.CutPrefix(text, bom)
	s := settings{document: &document{text: body, comments: f.comments}}
	return s, !blank(body) && s.valid() == nil
}

// setting returns the text of a value by the names that lead to it, "" where there is none.
func (f form) setting(text []byte, names ...string) string {
	s, ok := f.open(text)
	if !ok {
		return ""
	}
	c := s.root()
	for _, name := range names {
		if c, ok = s.member(c, name); !ok {
			return ""
		}
	}
	return string(s.raw(c))
}

// settings is a settings file of the form {"hooks": {EVENT: [{"matcher", "hooks": [{"type", "command", "timeout"}]}]}}.
type settings struct {
	*document
	empty map[string]string // text of containers that were empty before Init, by JSON pointer
}

// check returns an error if the text is not a settings file, or cannot take the wanted hooks.
func (s settings) check(f form, wanted []hook) error {
	op := "edit " + f.path
	if err := s.valid(); err != nil {
		knows := "JSON knows no comments and no trailing commas"
		if f.comments {
			knows = "comments are fine, trailing commas are not"
		}
		return &piton.Error{Code: piton.Invalid, Op: op, Hint: "fix it by hand (" + knows + "), then try again", Err: s.fault(err)}
	}
	if s.kind(s.root()) != '{' {
		return f.wrong("/", "object")
	}
	hooks, ok := s.member(s.root(), "hooks")
	if !ok || len(wanted) == 0 {
		return nil
	}
	if !s.is('{', hooks) {
		return f.wrong("/hooks", "object")
	}
	for _, w := range wanted {
		if event, ok := s.member(hooks, w.event); ok && !s.is('[', event) {
			return f.wrong("/hooks/"+w.event, "array")
		}
	}
	return nil
}

// wrong is the error for a value of another kind than the client's.
func (f form) wrong(pointer, want string) error {
	pointer = cmp.Or(pointer, "/")
	return piton.Errorf(piton.Invalid, "edit "+f.path, "fix it by hand, then try again", "%q is not an %s", pointer, want)
}

// places lists our hooks in the order of the text.
func (s settings) places() []place {
	return slices.DeleteFunc(s.hooks(), func(p place) bool { return p.program == "" })
}

// hooks lists all hooks that run a command, in the order of the text.
func (s settings) hooks() []place {
	if blank(s.text) {
		return nil // all that there was, was ours
	}
	var found []place
	top := s.children(s.root())
	lastHooks := lastNamed(top, "hooks")
	for i, hooks := range top {
		if hooks.name != "hooks" || s.kind(hooks) != '{' {
			continue
		}
		events := s.children(hooks)
		for j, event := range events {
			if s.kind(event) != '[' {
				continue
			}
			groups := s.children(event)
			for k, group := range groups {
				outer := []step{
					{at: pointer(event.name), in: event, list: groups, i: k},
					{at: "/hooks", in: hooks, list: events, i: j},
					{at: "", in: s.root(), list: top, i: i},
				}
				counts := i == lastHooks && j == lastNamed(events, event.name)
				found = append(found, s.inGroup(group, event.name, counts, outer)...)
			}
		}
	}
	return found
}

// inGroup lists the hooks in one group of an event.
func (s settings) inGroup(group child, event string, counts bool, outer []step) []place {
	if s.kind(group) != '{' {
		return nil
	}
	list, ok := s.member(group, "hooks")
	if !ok || s.kind(list) != '[' {
		return nil
	}
	matcher := ""
	if m, ok := s.member(group, "matcher"); ok {
		matcher = anyTool(s.str(m))
	}
	var found []place
	hooks := s.children(list)
	for i, hook := range hooks {
		if s.kind(hook) != '{' {
			continue
		}
		line, ok := s.member(hook, "command")
		if !ok {
			continue
		}
		p := place{event: event, matcher: matcher, command: s.str(line), inForce: counts}
		p.program, _ = hookProgram(p.command)
		if t, ok := s.member(hook, "timeout"); ok {
			p.timeout, _ = strconv.ParseFloat(string(s.raw(t)), 64)
		}
		if n, ok := s.member(hook, "name"); ok {
			p.name = s.str(n)
		}
		p.path = append([]step{{at: "-", in: list, list: hooks, i: i}}, outer...)
		found = append(found, p)
	}
	return found
}

// find returns the hook of ours that is, or is to become, w.
func (s settings) find(w hook) (place, bool) {
	for _, p := range s.places() {
		if w.matches(p) {
			return p, true
		}
	}
	return place{}, false
}
