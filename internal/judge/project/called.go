package project

import (
	"cmp"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// managersOwn are commands of package managers that a script of their name does
// not stand for.
const managersOwn = "install i ci add remove update publish pack version audit exec link init create list config"

// shortScripts are those that package managers run without run.
const shortScripts = "test t tst start stop restart"

// called are the targets that a command names, if it names any that are there.
func (t *Tests) called(f *folder, words []string) (h handed, ok bool) {
	head, c := tools.Of(words[0]), tools.NewCall(words)
	h = handed{from: f, at: f, tool: cmp.Or(head.TargetsOf, tools.Name(words[0]))}
	targets := tools.Find(h.tool).Targets
	if targets == nil {
		return h, false
	}
	if targets.Climbs {
		h.at = cmp.Or(f.nearest(func(at *folder) bool { return at.defines(targets) }), f)
	}
	ops := c.Operands
	switch {
	case targets.Verb == "", head.Chooses == 0 && len(ops) > 0: // make a b, run-s a b:*
		return manyCalled(h, targets, ops, words)
	case len(ops) > 0 && tools.Among(targets.Verb, ops[0]):
		ops = ops[1:]
	case targets.Must, len(ops) == 0:
		return h, false
	case head.Own != "" && tools.Among(head.Own, ops[0]) && (head.Spell == nil || !tools.Among(shortScripts, ops[0])),
		h.tool == "npm" && tools.Among(managersOwn, ops[0]):
		return h, false
	}
	name := append(ops, targets.Goal)[0]
	h.names = matching(h.at.define(h.tool), name)
	h.args = handsOn(head, words, name)
	t.workspace(&h, words)
	if len(h.members) > 0 || h.unread {
		h.names = []string{name}
		return h, true
	}
	return h, h.known()
}

// known tells whether one of the names is defined.
func (h handed) known() bool {
	d := h.at.define(h.tool)
	return slices.ContainsFunc(h.names, func(name string) bool { _, ok := d.recipes[name]; return ok })
}

// defines tells whether a file that may hold a tool's targets is there.
func (f *folder) defines(t *tools.Targets) bool {
	return slices.ContainsFunc(strings.Fields(t.Files+" "+t.Folders), f.hasPath)
}

// each visits the targets of a call, in each of its folders.
func (h handed) each(visit func(at *folder, name string)) {
	at := h.members
	if len(at) == 0 {
		at = []*folder{h.at}
	}
	for _, f := range at {
		for _, name := range h.names {
			visit(f, name)
		}
	}
}

// manyCalled are the targets of a tool that takes several, with variables.
func manyCalled(h handed, t *tools.Targets, ops, words []string) (handed, bool) {
	d := h.at.define(h.tool)
	for _, o := range ops {
		name, value, set := strings.Cut(o, "=")
		switch {
		case set && tools.Assignment(o):
			if h.vars == nil {
				h.vars = map[string]string{}
			}
			h.vars[name] = value
		case len(d.recipes[o].params) > 0 && t.Form == tools.Justfile:
			h.names, h.args = append(h.names, o), words[slices.Index(words, o)+1:]
			return h, true
		default:
			h.names = append(h.names, matching(d, o)...)
		}
	}
	if t.Form == tools.Taskfile {
		if at := slices.IndexFunc(h.names, func(o string) bool { _, ok := d.recipes[o]; return !ok }); at >= 0 {
			h.names, h.args = h.names[:at], h.names[at:] // what stood behind --
		}
	}
	if len(h.names) == 0 && t.Verb == "" {
		h.names = []string{h.at.goal(h.tool)}
	}
	return h, h.known()
}

// matching are the targets of a name, which may end in *.
func matching(d definitions, name string) []string {
	prefix, any := strings.CutSuffix(name, "*")
	if !any {
		return []string{name}
	}
	return slices.DeleteFunc(slices.Clone(d.names), func(have string) bool { return !strings.HasPrefix(have, prefix) })
}

// dashed are the tools that take flags behind a script's name for their own, up
// to --.
const dashed = "npm composer"

// handsOn are the words behind a target's name that it is given.
func handsOn(t *tools.Tool, words []string, name string) []string {
	at := slices.Index(words, name)
	if at < 0 {
		at = slices.IndexFunc(words, func(w string) bool { return tools.Among(shortScripts, w) })
	}
	if at < 1 {
		return nil
	}
	if first, _, _ := strings.Cut(t.Names, " "); tools.Among(dashed, first) {
		return tools.Read(words[at:], t.Takes).Operands
	}
	rest := words[at+1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	return rest
}

// workspace reads the members that a call of scripts names. Where it calls those
// of all members, their own files say what that is.
func (t *Tests) workspace(h *handed, words []string) {
	own := slices.Clone(words)
	for _, arg := range slices.Backward(h.args) {
		for at, w := range slices.Backward(own) {
			if w == arg && at > 0 {
				own = slices.Delete(own, at, at+1)
				break
			}
		}
	}
	c := tools.NewCall(own)
	for _, p := range c.Scope().Places {
		switch {
		case p.Of != "" && !p.Not:
			if dir, ok := t.member(h.at, p.Of); ok {
				h.members = append(h.members, t.top.at(dir))
			} else {
				h.unread = true
			}
		case p.Path != "" && p.Shape == tools.Tree && !p.Not && h.tool == "npm":
			if at := h.from.at(p.Path); at != nil && at.has("package.json") {
				h.members = append(h.members, at)
			} else {
				h.unread = true
			}
		}
	}
	if h.tool != "npm" || len(h.members) > 0 || !c.Has("-ws --workspaces -r --recursive") && !slices.Contains(c.Words, "workspaces") {
		return
	}
	for _, dir := range t.memberFolders(h.at) {
		h.members = append(h.members, t.top.at(dir))
	}
	h.unread = h.unread || len(h.members) == 0
}
