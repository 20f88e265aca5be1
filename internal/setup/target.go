package setup

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
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
	NoServer  bool   // the MCP server is left out
	// StatusLine: Piton's status line is set up where there is none. One that is there is kept up to date in any case.
	StatusLine bool
	// Verify is how long what Piton runs itself at a stop may take.
	Verify time.Duration

	usual bool // ConfigDir is the one in Home
}

// agentClient is one client that Piton is installed into.
type agentClient struct {
	name    string // as in Target.Agent
	program client.Program
	client.Settings
}

// Agents are the names of the clients that Piton can be installed into.
func Agents() []string { return clients.Names() }

// Title is a client's name as people write it; the name itself of one that is not known.
func Title(agent string) string {
	if c, err := clientOf(agent); err == nil {
		return c.Title
	}
	return agent
}

// ConfigDir is the folder that the environment names for a client; empty where it names none, or where there is no such client.
func ConfigDir(agent string, getenv func(string) string) string {
	c, err := clientOf(agent)
	folder := ""
	if err == nil {
		folder = getenv(c.Variable)
	}
	if folder == "" {
		return ""
	}
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	return filepath.Join(folder, c.Within)
}

func clientOf(name string) (agentClient, error) {
	c, ok := clients.ByName(name)
	if !ok {
		return agentClient{}, piton.Errorf(piton.Invalid, "find the settings", "agents: "+strings.Join(Agents(), ", "), "unknown agent %q", name)
	}
	return agentClient{name, c.Program(), c.Settings()}, nil
}

// complete finds the client and fills in what may be left empty.
func (t Target) complete() (agentClient, Target, error) {
	const op = "find the settings"
	c, err := clientOf(t.Agent)
	if err != nil {
		return agentClient{}, t, err
	}
	if t.ConfigDir == "" && t.Home != "" {
		t.ConfigDir, t.usual = filepath.Join(t.Home, c.InHome), true
	}
	root := t.ConfigDir
	switch t.Scope {
	case User:
	case Project:
		root = t.Project
	default:
		return agentClient{}, t, piton.Errorf(piton.Invalid, op, "the scopes are user and project", "unknown scope %q", t.Scope)
	}
	if !filepath.IsAbs(root) {
		return agentClient{}, t, piton.Errorf(piton.Invalid, op, "give the absolute path of the "+string(t.Scope)+"'s folder", "no folder for the scope %s: %q", t.Scope, root)
	}
	return c, t, nil
}

// folder is where settings and commands of the target's scope lie.
func (c agentClient) folder(t Target) string {
	if t.Scope == Project {
		return filepath.Join(t.Project, c.InProject)
	}
	return t.ConfigDir
}

func (c agentClient) settingsFile(t Target) string { return filepath.Join(c.folder(t), c.File) }

func (c agentClient) slashFile(t Target) string {
	return filepath.Join(c.folder(t), filepath.FromSlash(c.Command.File))
}

func (c agentClient) form(t Target) form { return form{c.settingsFile(t), c.Comments} }

// allowFile is the file of rules that let calls pass; "" where the scope has none.
func (c agentClient) allowFile(t Target) string {
	if c.Server.AllowFile == "" || t.Scope == Project {
		return ""
	}
	return filepath.Join(t.ConfigDir, filepath.FromSlash(c.Server.AllowFile))
}

// folders are those that an installation may have to make, innermost first: the rules', and the command's, up to the client's own.
func (c agentClient) folders(t Target) []string {
	var all []string
	if path := c.allowFile(t); path != "" {
		all = append(all, filepath.Dir(path))
	}
	for f := filepath.Dir(c.slashFile(t)); ; f = filepath.Dir(f) {
		if all = append(all, f); f == c.folder(t) || f == filepath.Dir(f) {
			return all
		}
	}
}

// hooks are the hooks that the target needs, with timeouts in the client's unit.
func (c agentClient) hooks(t Target) []hook {
	var list []hook
	for _, h := range c.Hooks.List(client.Needs{EveryTool: t.EveryTool, NoTools: t.NoTools, Verify: t.Verify}) {
		list = append(list, hook{h.Event, h.Matcher, int(h.Timeout / c.Hooks.Unit), h.Name})
	}
	return list
}

// line is what a hook runs. It ends well whatever becomes of the program: one that dies of a fatal error exits with 2, which at a
// stop would hold the agent, and one that is gone would hold Gemini CLI for ever. A project's settings reach people who have no
// Piton: there a missing program must be silent too. The line is the same in every version: Codex asks its user again about one
// that has changed.
func (c agentClient) line(t Target) string {
	if t.Scope == Project {
		return "command -v " + hookName + " >/dev/null 2>&1 && " + hookName + " " + c.name + " 2>/dev/null || :"
	}
	return quote(t.Hook) + " " + c.name + " 2>/dev/null || :"
}

// lasting is the line that is installed already, where it leads to the very same program by another name, else the present one:
// what a person has approved is not spelled anew for nothing.
func (c agentClient) lasting(t Target, text []byte) string {
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
	if !filepath.IsAbs(was.program) || !sameFile(was.program, t.Hook) || !endsWell(was.command) || agentOf(was.command) != c.name {
		return line
	}
	return was.command
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// sameFile reports whether two paths lead to one file that is there.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
