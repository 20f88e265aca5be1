package installation

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/setup"
)

// SetupRequest says whose settings to change and how.
type SetupRequest struct {
	Agents []string    // the clients; nil: all that fit
	Scope  setup.Scope // the user's settings or the project's
	DryRun bool
	NoMCP  bool // the MCP server is left out
	// StatusLine: Piton's status line is set up where the user has none.
	StatusLine bool
	Verify     time.Duration // what hooks have to wait for beyond what the settings run
}

// Changed is what was done to clients' settings.
type Changed struct {
	Agents  []string      `json:"agents"`
	Changes []FileChange  `json:"changes"` // the files that were changed; with `--dry-run`, would be
	DryRun  bool          `json:"dry_run"`
	Notes   []string      `json:"notes"`          // what was not changed and why
	Test    *AcceptedTest `json:"test,omitempty"` // of `init --verify`: the test command; absent: nothing was added
	Diff    string        `json:"-"`              // of the files
	Targets Targets       `json:"-"`
}

// FileChange is one file of a client's settings that was changed.
type FileChange struct {
	Agent string `json:"agent"`
	Path  string `json:"path"`
	What  string `json:"what"`
	Gone  bool   `json:"gone,omitempty"` // the file is removed
}

// Targets are clients' settings.
type Targets []setup.Target

// Installed is the first client whose program is in PATH; "" for none.
func (list Targets) Installed() string {
	for _, t := range list {
		if _, err := exec.LookPath(t.Agent); err == nil {
			return t.Agent
		}
	}
	return ""
}

// Titles are the names of the clients, for people.
func (list Targets) Titles() string {
	var names []string
	for _, t := range list {
		names = append(names, setup.Title(t.Agent))
	}
	return strings.Join(names, ", ")
}

const opTargets = "find the settings"

// Targets are the settings of the clients that were named, or else of those that
// fit. Settings of Piton's that cannot be read do not matter here: doctor and
// uninstall must work all the same.
func (a Setup) Targets(r SetupRequest, fits func(setup.Target) bool) (Targets, error) {
	known := "agents: " + strings.Join(setup.Agents(), ", ")
	if r.Scope != setup.User && r.Scope != setup.Project {
		return nil, piton.Errorf(piton.Invalid, opTargets, "the scope is user or project", "no scope is called %q", r.Scope)
	}
	if r.Agents != nil && (len(r.Agents) == 0 || slices.Contains(r.Agents, "")) {
		return nil, piton.Errorf(piton.Invalid, opTargets, known, "the name of the agent is empty")
	}
	all, err := a.AllTargets(r.Scope)
	if err != nil {
		return nil, err
	}
	for _, name := range r.Agents {
		if !slices.Contains(setup.Agents(), name) {
			return nil, piton.Errorf(piton.Invalid, opTargets, known, "unknown agent %q", name)
		}
	}
	return slices.DeleteFunc(all, func(x setup.Target) bool {
		if r.Agents != nil {
			return !slices.Contains(r.Agents, x.Agent)
		}
		return !fits(x)
	}), nil
}

// AllTargets are all clients' settings, as they concern the caller's work tree.
func (a Setup) AllTargets(scope setup.Scope) (Targets, error) {
	root, err := a.Root()
	if err != nil && (scope == setup.Project || a.Placed()) { // a user's own lie in no project
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := a.Config(root)
	var all Targets
	for _, name := range setup.Agents() {
		all = append(all, setup.Target{
			Agent: name, Scope: scope, Home: config.UserHome(a.Options.Getenv), ConfigDir: setup.ConfigDir(name, a.Options.Getenv),
			Project: root, Hook: HookProgram(self, os.Getenv("PATH")), Piton: ServerProgram(self, os.Getenv("PATH")), State: a.Options.Home,
			EveryTool: c.Debrief.Timer == agent.TimerActivity,
			NoTools:   (!c.Checkpoints.Enabled || !c.Checkpoints.Auto) && c.Restore.Mode != config.RestoreOn,
			Verify:    c.Debrief.VerifyBound(),
		})
	}
	return all, nil
}

// IsHere tells whether a target's client is on this machine.
func IsHere(t setup.Target) bool { return setup.Here(t, exec.LookPath) }

// SetupNames are the clients whose settings Piton knows.
func SetupNames() string { return strings.Join(setup.Agents(), ", ") }
