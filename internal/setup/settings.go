package setup

import (
	"slices"
	"strconv"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/edit"
)

// form is which settings file it is and what may stand in it beside JSON:
// {"hooks": {EVENT: [{"matcher", "hooks": [{"type", "command", "timeout"}]}]}}.
type form struct {
	path     string
	comments bool
}

// open reads settings; a file that is blank, or not there, counts as {}.
func (f form) open(text []byte) (*edit.JSON, error) {
	s, err := edit.ParseJSON(text, f.comments)
	if err != nil {
		knows := "JSON knows no comments and no trailing commas"
		if f.comments {
			knows = "comments are fine, trailing commas are not"
		}
		return nil, &piton.Error{Code: piton.Invalid, Op: "edit " + f.path, Hint: "fix it by hand (" + knows + "), then try again", Err: err}
	}
	if root := s.Root(); root != nil && root.Kind() != edit.Object {
		return nil, f.wrong(edit.WrongKind(root, "object"))
	}
	return s, nil
}

// wrong is the error for a value of another kind than the client's.
func (f form) wrong(err error) error {
	return &piton.Error{Code: piton.Invalid, Op: "edit " + f.path, Hint: "fix it by hand, then try again", Err: err}
}

// edited returns the settings after a change, nil where nothing of the file is left. What was empty and is no longer goes into empty,
// by JSON pointer.
func (f form) edited(before []byte, empty map[string]string, change func(*edit.JSON) error) ([]byte, error) {
	s, err := f.open(before)
	if err != nil {
		return nil, err
	}
	s.Empty = empty
	if err := change(s); err != nil {
		return nil, f.wrong(err)
	}
	return s.Bytes(), nil
}

// value is where names lead to in a text; nil also where that is not JSON.
func (f form) value(text []byte, names ...string) *edit.Node {
	s, err := edit.ParseJSON(text, f.comments)
	if err != nil {
		return nil
	}
	return s.Root().At(names...)
}

// parse lists our hooks in a settings file.
func parse(f form, text []byte) ([]place, error) {
	s, err := f.open(text)
	if err != nil {
		return nil, err
	}
	return places(s), nil
}

// hasHooks reports whether there are hooks of ours in the file, as far as it can be read.
func (f form) hasHooks() bool {
	text, _ := read(f.path)
	found, _ := parse(f, text)
	return len(found) > 0
}

// commands lists the command lines of all hooks, ours and others.
func (f form) commands(text []byte) []string {
	var lines []string
	for _, p := range hooksIn(f.value(text)) {
		if p.inForce {
			lines = append(lines, p.command)
		}
	}
	return lines
}

// places lists our hooks in the order of the text.
func places(s *edit.JSON) []place {
	return slices.DeleteFunc(hooksIn(s.Root()), func(p place) bool { return p.program == "" })
}

// hooksIn lists all hooks that run a command, in the order of the text.
func hooksIn(root *edit.Node) (found []place) {
	for _, hooks := range root.Members() {
		if hooks.Name != "hooks" {
			continue
		}
		for _, event := range hooks.Members() {
			for _, group := range event.Items() {
				for _, one := range group.At("hooks").Items() {
					if line := one.At("command"); line != nil {
						found = append(found, placeOf(event.Name, group, one, line.Str()))
					}
				}
			}
		}
	}
	return found
}

func placeOf(event string, group, one *edit.Node, command string) place {
	p := place{event: event, matcher: anyTool(group.At("matcher").Str()), command: command, name: one.At("name").Str(), inForce: one.InForce(), at: one}
	p.program, _ = hookProgram(command)
	p.timeout, _ = strconv.ParseFloat(one.At("timeout").Raw(), 64)
	return p
}

// stringsIn are the strings of a list.
func stringsIn(list *edit.Node) (all []string) {
	for _, x := range list.Items() {
		if x.Kind() == edit.String {
			all = append(all, x.Str())
		}
	}
	return all
}
