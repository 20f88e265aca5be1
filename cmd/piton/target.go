package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/setup"
)

// target are the flags that init, uninstall and doctor share.
type target struct {
	agents []string
	scope  string
	dry    bool
}

func (t *target) flags(c *cobra.Command, dry bool, all string) {
	c.Flags().StringSliceVar(&t.agents, "agent", nil, "the `CLIENT`s: "+strings.Join(setup.Agents(), ", ")+" (default: "+all+")")
	c.Flags().StringVar(&t.scope, "scope", "user", "whose settings: `user|project`; the project's are for all who work on it")
	if dry {
		c.Flags().BoolVar(&t.dry, "dry-run", false, "show the changes as a diff and write nothing")
	}
}

// resolve turns the flags into what the room setup needs, one target for each
// client: the named ones, or else those that fit. Settings that cannot be read
// do not matter here: doctor and uninstall must work all the same.
func (a *app) resolve(c *cobra.Command, t target, fits func(setup.Target) bool) ([]setup.Target, error) {
	const op = "find the settings"
	if t.scope != string(setup.User) && t.scope != string(setup.Project) {
		return nil, piton.Errorf(piton.Invalid, op, "give --scope user or --scope project", "no scope is called %q", t.scope)
	}
	named := c.Flags().Changed("agent")
	if named && (len(t.agents) == 0 || slices.Contains(t.agents, "")) {
		return nil, piton.Errorf(piton.Invalid, op, "agents: "+strings.Join(setup.Agents(), ", "), "--agent is empty")
	}
	all, err := a.targets(setup.Scope(t.scope))
	if err != nil {
		return nil, err
	}
	for _, name := range t.agents {
		if !slices.Contains(setup.Agents(), name) {
			return nil, piton.Errorf(piton.Invalid, op, "agents: "+strings.Join(setup.Agents(), ", "), "unknown agent %q", name)
		}
	}
	return slices.DeleteFunc(all, func(x setup.Target) bool {
		if named {
			return !slices.Contains(t.agents, x.Agent)
		}
		return !fits(x)
	}), nil
}

// targets are all clients' settings, as they concern the folder we are in.
func (a *app) targets(scope setup.Scope) ([]setup.Target, error) {
	const op = "find the settings"
	here, err := os.Getwd()
	if err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "go to a folder that exists", Err: err}
	}
	root, _, ok := git.Find(here)
	if !ok {
		root = here
	}
	self, err := os.Executable()
	if err != nil {
		return nil, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	c := a.config(root)
	var all []setup.Target
	for _, name := range setup.Agents() {
		all = append(all, setup.Target{
			Agent: name, Scope: scope, Home: config.UserHome(a.getenv), ConfigDir: setup.ConfigDir(name, a.getenv),
			Project: root, Hook: hookProgram(self), Piton: self, State: a.home(),
			EveryTool: c.Debrief.Timer == agent.TimerActivity,
			NoTools:   !c.Checkpoints.Enabled || !c.Checkpoints.Auto,
			Verify:    c.Debrief.VerifyBound(),
		})
	}
	return all, nil
}

// here tells whether a target's client is on this machine.
func here(t setup.Target) bool { return setup.Here(t, exec.LookPath) }

// titles are the names of the targets' clients, for people.
func titles(list []setup.Target) string {
	var names []string
	for _, t := range list {
		names = append(names, setup.Title(t.Agent))
	}
	return strings.Join(names, ", ")
}

// hookProgram is the piton-hook beside this program, else the one in PATH. The
// one beside it goes by its name in PATH where that leads to it: that name stays
// the same when a package manager puts another version in its place, and a
// person who has approved the hook approves it once.
func hookProgram(self string) string {
	inPath, err := exec.LookPath("piton-hook")
	if err == nil {
		inPath, err = filepath.Abs(inPath)
	}
	if err != nil {
		inPath = ""
	}
	beside := filepath.Join(filepath.Dir(self), "piton-hook")
	info, err := os.Stat(beside)
	if err != nil || !info.Mode().IsRegular() {
		return inPath
	}
	if other, err := os.Stat(inPath); err == nil && os.SameFile(info, other) {
		return inPath
	}
	return beside
}

// planned is what is to be done for one client.
type planned struct {
	setup.Target
	setup.Plan
}

// planAll plans for all targets, or fails for all: nothing is written by halves.
func planAll(list []setup.Target, plan func(setup.Target) (setup.Plan, error)) ([]planned, error) {
	var all []planned
	for _, t := range list {
		p, err := plan(t)
		if err != nil {
			if e := wrap(err); len(list) > 1 && e != nil {
				with := *e
				with.Hint += "; or leave " + setup.Title(t.Agent) + " out: --agent names the others"
				err = &with
			}
			return nil, err
		}
		all = append(all, planned{t, p})
	}
	return all, nil
}

// carryOut shows plans or writes them. done begins the line of each file, idle
// says why there is none; more are notes that come after those of the plans.
func (a *app) carryOut(plans []planned, dry bool, done, idle string, more ...string) error {
	type change struct {
		Agent string `json:"agent"`
		Path  string `json:"path"`
		What  string `json:"what"`
	}
	agents, notes, listed := []string{}, []string{}, []change{}
	var changes []setup.Change
	for _, p := range plans {
		agents, notes, changes = append(agents, p.Agent), append(notes, p.Notes...), append(changes, p.Changes...)
		for _, c := range p.Changes {
			listed = append(listed, change{p.Agent, c.Path, c.What})
		}
	}
	notes = append(notes, more...)
	if dry && !a.json {
		if len(changes) == 0 {
			fmt.Fprintln(a.err, "Nothing would change.")
		}
		a.notes(notes)
		text := setup.Diff(changes)
		if a.outTerminal() {
			text = a.colourDiff(clean(text))
		}
		_, err := io.WriteString(a.out, text)
		return err
	}
	if !dry {
		if err := setup.Apply(changes); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(map[string]any{"agents": agents, "changes": listed, "notes": notes, "dry_run": dry})
	}
	if len(changes) == 0 {
		fmt.Fprintln(a.err, "Nothing to do: "+idle+".")
	}
	for _, c := range changes {
		fmt.Fprintf(a.out, "%s: %s (%s)\n", done, line(c.Path), c.What)
	}
	a.notes(notes)
	return nil
}

func (a *app) notes(list []string) {
	for _, n := range list {
		fmt.Fprintln(a.err, "note: "+line(n))
	}
}

func (a *app) colourDiff(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "+"):
			lines[i] = a.green(l)
		case strings.HasPrefix(l, "-"):
			lines[i] = a.red(l)
		}
	}
	return strings.Join(lines, "\n")
}
