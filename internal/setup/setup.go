// Package setup puts Piton's hooks, its /checkpoint command and its MCP server into the settings of an agent client, takes them
// out again, and looks whether every link between the client and Piton holds.
//
// A settings file is the user's. It is edited as text: what is not ours keeps every byte, and Uninstall after Init gives back
// the file as it was. Init and Uninstall compute; Apply writes.
package setup

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
)

// Plan is what Init or Uninstall would do.
type Plan struct {
	Changes []Change // in the order in which they are to be written
	Notes   []string // what was left alone, and why; what is left to do
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

// begin is what Init and Uninstall begin with: the client, what is remembered of its settings, and their text.
func (t Target) begin() (c agentClient, whole Target, m *memory, before []byte, err error) {
	if c, whole, err = t.complete(); err == nil {
		m, err = recall(whole, c, c.settingsFile(whole))
	}
	if err == nil {
		before, err = read(c.settingsFile(whole))
	}
	return c, whole, m, before, err
}

// Init plans the installation: hooks, command, MCP server, and the memory that lets Uninstall restore empty containers (memory.go says why).
// An older installation is brought up to date in place; where nothing is to be done, Changes is empty.
// Invalid: a Target that lacks something, settings that are not JSON or have another shape than the client's.
func Init(t Target) (Plan, error) {
	c, t, m, before, err := t.begin()
	if err != nil {
		return Plan{}, err
	}
	if t.Scope == User && (!filepath.IsAbs(t.Hook) || baseName(t.Hook) != hookName) {
		return Plan{}, piton.Errorf(piton.Invalid, "plan the hooks", "give the absolute path of "+hookName, "not a path of %s: %q", hookName, t.Hook)
	}
	m.noteEmpty(c.folders(t))

	var p Plan
	f := c.form(t)
	server := serverPlan{settings: before}
	if t.NoServer {
		if server, err = c.leaveServer(t, m, before); err != nil {
			return Plan{}, err
		}
	}
	after, err := merge(f, server.settings, m.Empty, c.hooks(t), c.lasting(t, before))
	if err != nil {
		return Plan{}, err
	}
	if !t.NoServer {
		if server, err = c.enterServer(t, m, before, after); err != nil {
			return Plan{}, err
		}
		after = server.settings
	}
	after, status, err := c.enterStatus(t, after, m.Empty)
	if err != nil {
		return Plan{}, err
	}
	settings := Change{Path: f.path, Before: before, After: after, What: "hooks for " + c.Title}

	slash, note, err := writeOwn(c.slashFile(t), c.slashText(), c.slashWhat())
	if err != nil {
		return Plan{}, err
	}
	p.note(note)
	p.Notes = append(p.Notes, server.notes...)
	p.note(status)
	if path := elsewhere(t, c); path != "" {
		p.note(path + " has Piton's hooks too: every event is handled twice until one of them is uninstalled")
	}
	// The settings last: a hook must not run before what it leans on is there.
	p.change(m.change())
	p.change(slash)
	for _, change := range server.other {
		p.change(change)
	}
	p.change(settings)
	if !settings.nothing() {
		p.note(c.Ready)
	}
	return p, nil
}

// Uninstall plans the removal of what Init of this or any older version added, and of files and folders that Init made
// and that are otherwise empty. Where nothing is to be done, Changes is empty.
// Invalid: settings that are not JSON. Then nothing is removed.
func Uninstall(t Target) (Plan, error) {
	c, t, m, before, err := t.begin()
	if err != nil {
		return Plan{}, err
	}
	f := c.form(t)
	server, err := c.leaveServer(t, m, before)
	if err != nil {
		return Plan{}, err
	}
	after, status, err := c.leaveStatus(t, server.settings, m.Empty)
	if err != nil {
		return Plan{}, err
	}
	after, err = unmerge(f, after, m.Empty)
	if err != nil {
		return Plan{}, err
	}
	slash, note, err := removeOwn(c.slashFile(t), c.slashWhat())
	if err != nil {
		return Plan{}, err
	}

	var p Plan
	p.note(note)
	p.Notes = append(p.Notes, server.notes...)
	p.note(status)
	for _, change := range server.other {
		p.change(change)
	}
	p.change(Change{Path: f.path, Before: before, After: after, What: "hooks for " + c.Title, Folders: m.created([]string{c.folder(t)})})
	slash.Folders = m.created(c.folders(t))
	p.change(slash)
	p.change(m.forget())
	return p, nil
}

// Here reports whether a target's client is on this machine: its program is in PATH, or it has a folder.
func Here(t Target, look func(program string) (string, error)) bool {
	c, t, err := t.complete()
	if err != nil {
		return false
	}
	if _, err := look(c.program.Name); err == nil {
		return true
	}
	info, err := os.Stat(t.ConfigDir)
	return err == nil && info.IsDir()
}

// Installed reports whether there is anything of Piton in a target's settings. Of settings that cannot be read as such, a mention
// is enough.
func Installed(t Target) bool {
	c, t, err := t.complete()
	if err != nil {
		return false
	}
	f := c.form(t)
	text, err := read(f.path)
	if err != nil {
		return true // Uninstall says what is wrong
	}
	found, err := parse(f, text)
	mentioned := err != nil && strings.Contains(string(text), hookName)
	if mentioned || len(found) > 0 || t.Scope == User && c.statusIn(f, text).ours {
		return true
	}
	if _, err := read(c.serverFile(t)); err != nil {
		return true
	}
	for _, path := range []string{c.slashFile(t), c.allowFile(t)} { // a server without them is somebody's own
		if path == "" {
			continue
		}
		text, err := read(path)
		if err != nil || authorOf(text, nil) >= edited {
			return true
		}
	}
	return false
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

func elsewhere(t Target, c agentClient) string {
	other := t
	other.Scope = User
	if t.Scope == User {
		other.Scope = Project
	}
	if _, _, err := other.complete(); err != nil || c.folder(other) == c.folder(t) {
		return ""
	}
	if !c.form(other).hasHooks() {
		return ""
	}
	return c.settingsFile(other)
}
