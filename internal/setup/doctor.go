package setup

import (
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// Doctor looks at every link between one client and Piton, over all scopes that concern the target: its Scope does not matter, and
// without a Project only the user's settings are looked at. It changes nothing, but that Codex CLI, which is asked for the hooks
// that its user has approved where there are any, keeps its own state as at every start.
// The one failed check that comes back for a Target no client can be found for says so.
func Doctor(ctx context.Context, t Target, p Probe) []Check {
	x, err := examine(ctx, t, p)
	if err != nil {
		return []Check{client.Fail("settings", err.Error(), "")}
	}
	checks := x.checks()
	for i := range checks {
		checks[i].Agent = x.client.name
	}
	return checks
}

func (x *exam) checks() []Check {
	if x.untouched() {
		checks := []Check{x.installed()}
		if _, err := x.LookPath(x.client.program.Name); err == nil {
			checks = append(checks, x.version())
		}
		if folder := x.configFolder(); folder.Warn { // it may be why
			checks = append(checks, folder)
		}
		return checks
	}
	checks := []Check{
		x.settingsRead(),
		x.installed(),
		x.timeouts(),
		x.hooksTwice(),
		x.hookPaths(),
		x.hooksRun(),
		x.failOpen(),
		x.byHand(),
		x.slash(),
		x.version(),
		x.configFolder(),
		x.newestLog(),
	}
	if x.client.ReadOnce {
		checks = append(checks, x.openSessions())
	}
	if x.client.StatusLine != "" {
		checks = append(checks, x.statusLine())
	}
	server, program := x.server()
	checks = append(checks, server, x.serverAnswers(program), x.serverCalls())
	own := x.forClient()
	for _, check := range slices.Concat(x.client.Running, x.client.Checks) {
		checks = append(checks, check(own))
	}
	return checks
}

// Prevented is why a client runs no hooks that are set up, or why nobody knows whether they are, in the words of Doctor; the zero
// Check where its files do not say so. No program is started.
func Prevented(t Target, p Probe) Check {
	x, err := examine(context.Background(), t, p.silent())
	if err != nil {
		return Check{}
	}
	if _, bad := x.unread(); bad {
		return x.settingsRead()
	}
	own := x.forClient()
	for _, check := range x.client.Running {
		if found := check(own); !found.OK || found.Warn {
			return found
		}
	}
	return x.gone()
}

// HookGone is why the program that a client's hooks run cannot run, in the words of
// Doctor; the zero Check where it can, as far as its files say, or where there are no hooks.
func HookGone(t Target, p Probe) Check {
	x, err := examine(context.Background(), t, p.silent())
	if err != nil {
		return Check{}
	}
	return x.gone()
}

// gone is hookPaths where it has found a broken link.
func (x *exam) gone() Check {
	if found := x.hookPaths(); !found.OK {
		return found
	}
	return Check{}
}

// silent is the probe for a look that starts no program.
func (p Probe) silent() Probe {
	p.Run, p.Talk = nil, nil
	return p
}

// examine reads a client's settings in all scopes.
func examine(ctx context.Context, t Target, p Probe) (*exam, error) {
	t.Scope = User
	c, t, err := t.complete()
	x := newExam(ctx, t, p)
	if x.client = c; err == nil {
		x.readAll()
	}
	return x, err
}

// DoctorPiton looks at what all clients need of this machine: the programs, git, and a folder for Piton's state, in which it makes
// a file and removes it again.
func DoctorPiton(ctx context.Context, t Target, p Probe) []Check {
	x := newExam(ctx, t, p)
	return []Check{x.hookProgram(), x.pitonProgram(), x.stateFolder(), x.git()}
}

// untouched reports whether there is nothing of Piton for this client: before 'piton init' that alone is said, and not what
// follows from it.
func (x *exam) untouched() bool {
	for _, f := range x.files {
		if f.err != nil || len(f.places) > 0 || strings.Contains(string(f.text), hookName) {
			return false
		}
	}
	user, project := x.Target, x.Target
	user.Scope, project.Scope = User, Project
	return !Installed(user) && (x.Project == "" || !Installed(project))
}

// forClient is what the client's own checks may look at.
func (x *exam) forClient() *client.Exam {
	own := &client.Exam{
		Context: x.ctx, Name: x.client.name, Home: x.Home, ConfigDir: x.ConfigDir, Project: x.Project,
		Getenv: x.Getenv, LookPath: x.LookPath, Run: x.Run, Talk: x.Talk, Read: read,
		ServerFile: x.client.serverFile(x.Target),
		Ours:       func(command string) bool { _, ok := hookProgram(command); return ok },
	}
	for _, f := range x.files {
		file := client.SettingsFile{Scope: f.scope, Path: f.path, Setting: func(names ...string) string { return f.value(f.text, names...).Raw() }}
		for _, p := range f.places {
			file.Hooks = append(file.Hooks, client.Installed{Name: p.name, Command: p.command})
		}
		own.Files = append(own.Files, file)
	}
	return own
}
