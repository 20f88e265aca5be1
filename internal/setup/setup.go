// Package setup puts Piton's hooks and its /checkpoint command into the settings of an agent client, takes them out again,
// and looks whether every link between the client and Piton holds.
//
// A settings file is the user's. It is edited as text: what is not ours keeps every byte, and Uninstall after Init gives back
// the file as it was. Init and Uninstall compute; Apply writes.
package setup

import (
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
)

// Scope says whose settings are edited.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // one person's, all projects
	Project Scope = "project" // one project's, all who work on it
)

// Target says for which client, where, and with which programs. All paths are absolute.
type Target struct {
	Agent     string // one of Agents
	Scope     Scope
	Home      string // the user's home
	ConfigDir string // the client's own folder, where it is not the one in Home (ConfigDir)
	Project   string // root of the work tree; may be empty in the user scope
	Hook      string // the program piton-hook
	Piton     string // the program piton
	State     string // PITON_HOME; when empty, Init remembers nothing and Uninstall removes containers that were empty before
	EveryTool bool   // hooks at every tool use (timer: activity)
	NoTools   bool   // and otherwise at none: nothing is saved inside a turn
	// Verify is how long what Piton runs itself at a stop may take.
	Verify time.Duration
}

// Plan is what Init or Uninstall would do.
type Plan struct {
	Changes []Change // in the order in which they are to be written
	Notes   []string // what was left alone, and why; what is left to do
}

// Init plans the installation: hooks, command, and the memory that lets Uninstall restore empty containers (memory.go says why).
// An older installation is brought up to date in place; where nothing is to be done, Changes is empty.
// Invalid: a Target that lacks something, settings that are not JSON or have another shape than the client's.
func Init(t Target) (Plan, error) {
	c, t, err := t.complete()
	if err != nil {
		return Plan{}, err
	}
	if t.Scope == User && (!filepath.IsAbs(t.Hook) || baseName(t.Hook) != hookName) {
		return Plan{}, piton.Errorf(piton.Invalid, "plan the hooks", "give the absolute path of "+hookName, "not a path of %s: %q", hookName, t.Hook)
	}
	m, err := recall(t, c)
	if err != nil {
		return Plan{}, err
	}
	m.see(c.folders(t))

	var p Plan
	f := c.form(t)
	before, err := read(f.path)
	if err != nil {
		return Plan{}, err
	}
	after, err := merge(f, before, m.Empty, c.hooks(t), c.lasting(t, before))
	if err != nil {
		return Plan{}, err
	}
	settings := Change{Path: f.path, Before: before, After: after, What: "hooks for " + c.title}

	slash, note, err := c.writeSlash(c.slashFile(t))
	if err != nil {
		return Plan{}, err
	}
	p.note(note)
	if path := elsewhere(t, c); path != "" {
		p.note(path + " has Piton's hooks too: every event is handled twice until one of them is uninstalled")
	}
	// The settings last: a hook must not run before what it leans on is there.
	p.change(m.change())
	p.change(slash)
	p.change(settings)
	if !settings.nothing() {
		p.note(c.ready)
	}
	return p, nil
}

// Uninstall plans the removal of what Init put in, of this and any older version, and of files and folders that Init made
// and nobody else has put anything into. Where nothing is to be done, Changes is empty.
// Invalid: settings that are not JSON. Then nothing is removed.
func Uninstall(t Target) (Plan, error) {
	c, t, err := t.complete()
	if err != nil {
		return Plan{}, err
	}
	m, err := recall(t, c)
	if err != nil {
		return Plan{}, err
	}
	f := c.form(t)
	before, err := read(f.path)
	if err != nil {
		return Plan{}, err
	}
	after, err := unmerge(f, before, m.Empty)
	if err != nil {
		return Plan{}, err
	}
	slash, note, err := c.removeSlash(c.slashFile(t))
	if err != nil {
		return Plan{}, err
	}

	var p Plan
	p.note(note)
	p.change(Change{Path: f.path, Before: before, After: after, What: "hooks for " + c.title, Folders: m.made([]string{c.folder(t)})})
	slash.Folders = m.made(c.folders(t))
	p.change(slash)
	p.change(m.forget())
	return p, nil
}

func (p *Plan) change(c Change) {
	if !c.nothing() {
		p.Changes = append(p.Changes, c)
	}
}

func (p *Plan) note(s string) {
	if s != "" {
		p.Notes = append(p.Notes, s)
	}
}

// complete finds the client and fills in what may be left empty.
func (t Target) complete() (client, Target, error) {
	const op = "find the settings"
	c, err := clientOf(t.Agent)
	if err != nil {
		return client{}, t, err
	}
	if t.ConfigDir == "" && t.Home != "" {
		t.ConfigDir = filepath.Join(t.Home, c.inHome)
	}
	root := t.ConfigDir
	switch t.Scope {
	case User:
	case Project:
		root = t.Project
	default:
		return client{}, t, piton.Errorf(piton.Invalid, op, "the scopes are user and project", "unknown scope %q", t.Scope)
	}
	if !filepath.IsAbs(root) {
		return client{}, t, piton.Errorf(piton.Invalid, op, "give the absolute path of the "+string(t.Scope)+"'s folder", "no folder for the scope %s: %q", t.Scope, root)
	}
	return c, t, nil
}

// Elsewhere is the file of the other scope that has our hooks as well, "" where none has: both scopes' hooks run, and
// Uninstall takes out those of one.
func Elsewhere(t Target) string {
	c, t, err := t.complete()
	if err != nil {
		return ""
	}
	return elsewhere(t, c)
}

func elsewhere(t Target, c client) string {
	other := t
	other.Scope = User
	if t.Scope == User {
		other.Scope = Project
	}
	if _, _, err := other.complete(); err != nil || c.folder(other) == c.folder(t) {
		return ""
	}
	f := c.form(other)
	text, err := read(f.path)
	if err != nil {
		return ""
	}
	if found, err := parse(f, text); err != nil || len(found) == 0 {
		return ""
	}
	return f.path
}
