package setup

import (
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
)

// client is what setup must know about one agent client.
type client struct {
	name    string // as in Target.Agent
	title   string // as people write it
	program string // what people type
	oldest  string // the first version whose hooks do what Piton needs

	home      func(home string) string // its folder in a user's home
	inProject string                   // its folder in a project
	settings  string                   // in either folder
	local     string                   // a person's own settings for one project, in the project's folder
	slash     string                   // the /checkpoint command, in either folder
	slashText func() []byte

	hooks   func(everyTool bool) []hook
	command func(Target) string          // the command line of every hook
	managed func(folder string) []string // the administrator's settings files, lowest precedence first; the folder is the client's own when ""
	checks  func(*exam) []Check          // what Doctor looks at for this client only
}

// hook is one entry that a client needs in its settings. An event has at most one.
type hook struct {
	event   string
	matcher string // which tools; "" where the event has none
	timeout int    // in the client's unit
}

// clients are all that Piton can be installed into.
var clients = []client{claude}

func clientOf(name string) (client, error) {
	var names []string
	for _, c := range clients {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return client{}, piton.Errorf(piton.Invalid, "find the settings", "agents: "+strings.Join(names, ", "), "unknown agent %q", name)
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

// folders are those that an installation may have to make, innermost first: the command's, then the client's own.
func (c client) folders(t Target) []string {
	return []string{filepath.Dir(c.slashFile(t)), c.folder(t)}
}
