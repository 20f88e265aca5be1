package setup

import (
	"path/filepath"
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// serverFile is the file of the client's MCP servers in the target's scope.
func (c agentClient) serverFile(t Target) string {
	s := c.Server
	if t.Scope == Project {
		return filepath.Join(t.Project, filepath.FromSlash(s.ProjectFile))
	}
	if s.OldFile != "" {
		if old := filepath.Join(t.ConfigDir, s.OldFile); isFile(old) {
			return old
		}
	}
	if s.HomeFile != "" && t.usual {
		return filepath.Join(t.Home, s.HomeFile)
	}
	return filepath.Join(t.ConfigDir, s.UserFile)
}

func (c agentClient) serverForm(t Target) form {
	return form{c.serverFile(t), c.Comments}
}

// serverEntry reads the entry in the text of serverFile.
func (c agentClient) serverEntry(t Target, text []byte) entry {
	if c.Server.TOML {
		return c.tableEntryIn(text)
	}
	return c.entryIn(c.serverForm(t), text)
}

// serverCommand is the program that the entry starts: a person's by its path, a project's by its name, as its hooks. A path that is
// installed already and leads to the same program stays. Empty where the program is not known by that name.
func (c agentClient) serverCommand(t Target, was entry) string {
	switch {
	case t.Scope == Project:
		return "piton"
	case !filepath.IsAbs(t.Piton) || baseName(t.Piton) != "piton":
		return ""
	case was.ours && filepath.IsAbs(was.command) && sameFile(was.command, t.Piton):
		return was.command
	}
	return t.Piton
}

// serverPlan is what becomes of the MCP server: the settings, and changes of other files.
type serverPlan struct {
	settings []byte
	other    []Change // what it leans on first
	notes    []string
}

func (p *serverPlan) note(s string) {
	if s != "" {
		p.notes = append(p.notes, s)
	}
}

// installedIn reports whether Init has been here: there are hooks of ours, or the server.
func (c agentClient) installedIn(t Target, settings []byte, e entry) bool {
	hooks, _ := parse(c.form(t), settings)
	return len(hooks) > 0 || e.pitons()
}

// hasInit reports whether Init has been here by what it writes before the server and removes after it: the command, and hooks. A
// server without them is somebody's own, as the client's own command or a person has written it.
func (c agentClient) hasInit(t Target, settings []byte) bool {
	if hooks, _ := parse(c.form(t), settings); len(hooks) > 0 {
		return true
	}
	text, err := read(c.slashFile(t))
	return err == nil && authorOf(text, nil) >= edited
}

// serverText is the text of the file in which the client keeps its servers, with its memory. own: it is another file than that of the
// settings, whose text and memory are given.
func (c agentClient) serverText(t Target, path string, m *memory, settings []byte) (before []byte, sm *memory, own bool, err error) {
	if path == c.settingsFile(t) {
		return settings, m, false, nil
	}
	if before, err = read(path); err == nil {
		sm, err = recall(t, c, path)
	}
	return before, sm, true, err
}

// enterServer plans the entry of the MCP server and the rules that let its calls pass. first is the text of the settings file as it
// is, settings as it is to be so far, m its memory.
func (c agentClient) enterServer(t Target, m *memory, first, settings []byte) (p serverPlan, err error) {
	f := c.serverForm(t)
	before, sm, own, err := c.serverText(t, f.path, m, settings)
	if err != nil {
		return p, err
	}
	p.settings = settings
	e := c.serverEntry(t, before)
	command := c.serverCommand(t, e)
	switch {
	case command == "":
		p.note("the MCP server was left out: its program is to be called piton, and this is " + t.Piton)
		return p, nil
	case e.there && !e.pitons():
		p.note(f.path + " has another server called " + client.ServerName + ", which was left alone: Piton's MCP server is not installed")
		return p, nil
	case e.there && !e.ours:
		p.note(f.path + ": the server " + client.ServerName + " has been changed and was left alone")
	}
	if !e.ours || !c.hasInit(t, first) {
		sm.Server = e.ours
	}
	if !c.installedIn(t, first, e) {
		m.Rules = c.rulesIn(c.form(t), first)
	}
	after, note := before, ""
	switch {
	case sm.Server: // somebody has put it there, and it stays as it is
	case c.Server.TOML:
		after, note, err = c.enterTable(f.path, before, sm.Empty, command)
		p.note(note)
	default:
		after, err = c.enter(f, before, sm.Empty, command)
	}
	if err != nil {
		return p, err
	}
	if own {
		p.other = append(p.other, sm.change(), c.serverChange(f.path, before, after))
	} else {
		p.settings = after
	}
	if p.settings, err = c.allow(c.form(t), p.settings, m.Empty); err != nil {
		return p, err
	}
	if path := c.allowFile(t); path != "" {
		change, note, err := writeOwn(path, c.allowText(), allowWhat)
		p.note(note)
		p.other = append(p.other, change)
		return p, err
	}
	return p, nil
}

// leaveServer plans to take out what enterServer puts in.
func (c agentClient) leaveServer(t Target, m *memory, settings []byte) (p serverPlan, err error) {
	f := c.serverForm(t)
	before, sm, own, err := c.serverText(t, f.path, m, settings)
	if err != nil {
		return p, err
	}
	e := c.serverEntry(t, before)
	if e.pitons() && !e.ours {
		p.note(f.path + ": the server " + client.ServerName + " has been changed and was left alone; remove it yourself")
	}
	p.settings = settings
	if c.installedIn(t, settings, e) {
		if p.settings, err = c.disallow(c.form(t), settings, m.Empty, m.Rules); err != nil {
			return p, err
		}
		m.Rules = nil
	}
	if !own {
		before = p.settings
	}
	after := before
	switch {
	case e.ours && (sm.Server || !c.hasInit(t, settings)): // Init has not put it there
		p.note(f.path + ": the server " + client.ServerName + " was not put there by Piton and was left alone")
	case c.Server.TOML:
		after = c.removeTable(before, sm.Empty)
	default:
		if after, err = c.removeEntry(f, before, sm.Empty); err != nil {
			if !own || strings.Contains(string(before), client.ServerName) {
				return p, err
			}
			after = before // the client's own file is broken: nothing of ours is in it
		}
	}
	sm.Server = false
	if own {
		change := c.serverChange(f.path, before, after)
		if filepath.Dir(f.path) == c.folder(t) {
			change.Folders = m.created([]string{c.folder(t)})
		}
		p.other = append(p.other, change, sm.forget())
	} else {
		p.settings = after
	}
	if path := c.allowFile(t); path != "" {
		change, note, err := removeOwn(path, allowWhat)
		change.Folders = m.created([]string{filepath.Dir(path), c.folder(t)})
		p.note(note)
		p.other = append(p.other, change)
		return p, err
	}
	return p, nil
}

// serverChange is the change of a file that holds more of the client's own: as private as the client keeps it.
func (c agentClient) serverChange(path string, before, after []byte) Change {
	change := Change{Path: path, Before: before, After: after, What: "the MCP server for " + c.Title, Locked: c.Server.Locked}
	if filepath.Base(path) != filepath.Base(c.Server.ProjectFile) || c.Server.TOML {
		change.Mode = 0o600
	}
	return change
}
