package setup

import (
	"bytes"
	"strconv"
)

// place is a hook of ours in a settings file.
type place struct {
	event   string
	matcher string // "" for all tools, however that is spelled
	command string
	name    string  // as the client shows it; "" where it has none
	program string  // of the command
	timeout float64 // 0: none
	counts  bool    // false in an object that a later one of the same name hides
	way     []step  // from the hook out to the root
}

// step is one container on the way from a hook out to the root.
type step struct {
	at   string // the container's JSON pointer, "-" for a group's list of hooks
	in   child  // the container
	list []child
	i    int // which child leads to the hook
}

// hook is the hook's object.
func (p place) hook() child { return p.way[0].list[p.way[0].i] }

// places lists our hooks in the order of the text.
func (s settings) places() []place {
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

// inGroup lists our hooks in one group of an event.
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
		p := place{event: event, matcher: matcher, command: s.str(line), counts: counts}
		if p.program, ok = hookProgram(p.command); !ok {
			continue
		}
		if t, ok := s.member(hook, "timeout"); ok {
			p.timeout, _ = strconv.ParseFloat(string(s.raw(t)), 64)
		}
		if n, ok := s.member(hook, "name"); ok {
			p.name = s.str(n)
		}
		p.way = append([]step{{at: "-", in: list, list: hooks, i: i}}, outer...)
		found = append(found, p)
	}
	return found
}

// anyTool unifies the spellings of "every tool".
func anyTool(matcher string) string {
	if matcher == "*" || matcher == ".*" {
		return ""
	}
	return matcher
}

func (w hook) fits(p place) bool {
	return p.counts && p.event == w.event && p.matcher == anyTool(w.matcher)
}

// heard tells whether a hook hears all that w would, and maybe more.
func (w hook) heard(p place) bool {
	return w.fits(p) || p.counts && p.event == w.event && p.matcher == ""
}

// find returns the hook of ours that is, or is to become, w.
func (s settings) find(w hook) (place, bool) {
	for _, p := range s.places() {
		if w.fits(p) {
			return p, true
		}
	}
	return place{}, false
}

// removeFirst takes out the first hook of ours that is none of the wanted (each counts once), and the containers that it leaves
// empty. It returns false when there is none.
func (s settings) removeFirst(wanted []hook) bool {
	kept := map[string]bool{}
next:
	for _, p := range s.places() {
		for _, w := range wanted {
			if w.fits(p) && !kept[w.event] {
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
// What somebody has put a comment into meanwhile stays, with the comment.
func (s settings) remove(p place) {
	for _, c := range p.way {
		if len(c.list) > 1 {
			s.cut(c.list, c.i)
			return
		}
		was, ok := s.empty[c.at]
		ok = ok && p.counts // Init fills no hidden container
		this := c.list[c.i]
		theirs := s.remarks(c.in.start, this.from) + s.remarks(this.end, c.in.end)
		around := ""
		if c.at == "" {
			around = s.remarks(0, c.in.start) + s.remarks(c.in.end, len(s.text))
		}
		first := document{text: []byte(was), comments: s.comments}
		switch same := theirs == first.remarks(0, len(was)); {
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

// commands lists the command lines of all hooks, whoever's they are.
func (f form) commands(text []byte) []string {
	body, _ := bytes.CutPrefix(text, bom)
	d := document{text: body, comments: f.comments}
	if blank(body) || d.valid() != nil {
		return nil
	}
	var lines []string
	hooks, ok := d.member(d.root(), "hooks")
	if !ok {
		return nil
	}
	for _, event := range d.children(hooks) {
		for _, group := range d.children(event) {
			list, ok := d.member(group, "hooks")
			if !ok {
				continue
			}
			for _, hook := range d.children(list) {
				if line, ok := d.member(hook, "command"); ok {
					lines = append(lines, d.str(line))
				}
			}
		}
	}
	return lines
}

// setting returns the text of a value by the names that lead to it, "" where there is none.
func (f form) setting(text []byte, names ...string) string {
	body, _ := bytes.CutPrefix(text, bom)
	d := document{text: body, comments: f.comments}
	if blank(body) || d.valid() != nil {
		return ""
	}
	c := d.root()
	for _, name := range names {
		var ok bool
		if c, ok = d.member(c, name); !ok {
			return ""
		}
	}
	return string(d.raw(c))
}
