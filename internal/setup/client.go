package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// client is what setup must know about one agent client.
type client struct {
	name    string // as in Target.Agent
	title   string // as people write it
	program string // what people type
	oldest  string // the first version whose hooks are known to do what Piton needs

	npm string // its package, where asking the program for its version leaves files behind

	variable  string // names another folder than the one in a user's home
	within    string // the client's folder in that one; "" where it is that one
	inHome    string // its folder in a user's home
	inProject string // its folder in a project
	settings  string // in either folder
	local     string // a person's own settings for one project, in the project's folder; "" where there are none
	comments  bool   // its settings may hold comments
	slash     string // the /checkpoint command, in either folder
	slashText func() []byte
	typed     string // what a person types for it

	unit    time.Duration // of a hook's timeout
	unset   time.Duration // a hook's timeout where it names none
	stop    string        // the event of a stop
	atStart bool          // it reads hooks when a session starts, and not again

	hooks  func(Target) []hook
	ready  string                                      // what a person must still do after Init; "" nothing
	system func(folder string) (below, above []string) // the machine's settings files around a person's, lowest precedence first; the folder is the client's own when ""
	checks func(*exam) []Check                         // what Doctor looks at for this client only
}

// hook is one entry that a client needs in its settings. An event has at most one.
type hook struct {
	event   string
	matcher string // which tools, or which causes; "" for all
	timeout int    // in the client's unit
	name    string // as the client shows it; "" where it shows none
}

// clients are all that Piton can be installed into.
var clients = []client{claude, gemini, codex}

// Agents are the names of the clients that Piton can be installed into.
func Agents() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
	}
	return names
}

// Title is a client's name as people write it; the name itself of one that is not known.
func Title(agent string) string {
	if c, err := clientOf(agent); err == nil {
		return c.title
	}
	return agent
}

// ConfigDir is the folder that the environment names for a client; empty where it names none, or where there is no such client.
func ConfigDir(agent string, getenv func(string) string) string {
	c, err := clientOf(agent)
	folder := ""
	if err == nil {
		folder = getenv(c.variable)
	}
	if folder == "" {
		return ""
	}
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	return filepath.Join(folder, c.within)
}

func clientOf(name string) (client, error) {
	for _, c := range clients {
		if c.name == name {
			return c, nil
		}
	}
	return client{}, piton.Errorf(piton.Invalid, "find the settings", "agents: "+strings.Join(Agents(), ", "), "unknown agent %q", name)
}

// Here tells whether a target's client is on this machine: its program is in PATH, or it has a folder.
func Here(t Target, look func(program string) (string, error)) bool {
	c, t, err := t.complete()
	if err != nil {
		return false
	}
	if _, err := look(c.program); err == nil {
		return true
	}
	info, err := os.Stat(t.ConfigDir)
	return err == nil && info.IsDir()
}

// Installed tells whether there is anything of Piton in a target's settings. Of settings that cannot be read as such, a mention
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
	if err != nil && strings.Contains(string(text), hookName) || len(found) > 0 {
		return true
	}
	slash, err := read(c.slashFile(t))
	author := authorOf(slash, nil)
	return err != nil || author != absent && author != foreign
}

// folder is where settings and commands of the target's scope lie.
func (c client) folder(t Target) string {
	if t.Scope == Project {
		return filepath.Join(t.Project, c.inProject)
	}
	return t.ConfigDir
}

func (c client) settingsFile(t Target) string { return filepath.Join(c.folder(t), c.settings) }
func (c client) slashFile(t Target) string    { return filepath.Join(c.folder(t), c.slash) }
func (c client) form(t Target) form           { return form{c.settingsFile(t), c.comments} }

// folders are those that an installation may have to make, innermost first: the command's, up to the client's own.
func (c client) folders(t Target) []string {
	var all []string
	for f := filepath.Dir(c.slashFile(t)); ; f = filepath.Dir(f) {
		if all = append(all, f); f == c.folder(t) || f == filepath.Dir(f) {
			return all
		}
	}
}

// line is what a hook runs. It ends well whatever becomes of the program: one that dies of a fatal error exits with 2, which at a
// stop would hold the agent, and one that is gone would hold Gemini CLI for ever. A project's settings reach people who have no
// Piton: there a missing program must be silent too. The line is the same in every version: Codex asks its user again about one
// that has changed.
func (c client) line(t Target) string {
	if t.Scope == Project {
		return "command -v " + hookName + " >/dev/null 2>&1 && " + hookName + " " + c.name + " 2>/dev/null || :"
	}
	return quote(t.Hook) + " " + c.name + " 2>/dev/null || :"
}

// lasting is the line that is installed already, where it leads to the very same program by another name, else the present one:
// what a person has approved is not spelled anew for nothing.
func (c client) lasting(t Target, text []byte) string {
	line := c.line(t)
	found, err := parse(c.form(t), text)
	if err != nil || t.Scope != User || len(found) == 0 {
		return line
	}
	was := found[0]
	for _, p := range found {
		if p.command != was.command {
			return line
		}
	}
	if !filepath.IsAbs(was.program) || !sameFile(was.program, t.Hook) || !guarded(was.command) || agentOf(was.command) != c.name {
		return line
	}
	return was.command
}

// sameFile tells whether two paths lead to one file that is there.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// without leaves an event out: where no tool is heard, nobody hears the end of a wait for a person's permission either, and all
// work behind its beginning would count as waiting.
func without(event string, hooks []hook) []hook {
	return slices.DeleteFunc(hooks, func(h hook) bool { return h.event == event })
}

// stopTime is how long a stop may take: long enough for git and the transcript, and for what Piton runs itself.
func stopTime(t Target, least time.Duration) time.Duration {
	const rest = 30 * time.Second
	if t.Verify > 0 {
		least = max(least, t.Verify+rest)
	}
	return least
}
