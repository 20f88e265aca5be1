package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/config"
	"github.com/piton-project/piton/git"
	"github.com/piton-project/piton/setup"
)

// target are the flags that init, uninstall and doctor share.
type target struct {
	agent, scope string
	dry          bool
}

func (t *target) flags(c *cobra.Command, dry bool) {
	c.Flags().StringVar(&t.agent, "agent", "claude", "the `CLIENT`: "+clientNames())
	c.Flags().StringVar(&t.scope, "scope", "user", "whose settings: `user|project`; the project's are for all who work on it")
	if dry {
		c.Flags().BoolVar(&t.dry, "dry-run", false, "show the changes as a diff and write nothing")
	}
}

// resolve turns the flags into what the room setup needs. Settings that cannot
// be read do not matter here: doctor and uninstall must work all the same.
func (a *app) resolve(t target) (setup.Target, error) {
	const op = "find the settings"
	if t.scope != string(setup.User) && t.scope != string(setup.Project) {
		return setup.Target{}, piton.Errorf(piton.Invalid, op, "give --scope user or --scope project", "no scope is called %q", t.scope)
	}
	here, err := os.Getwd()
	if err != nil {
		return setup.Target{}, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "go to a folder that exists", Err: err}
	}
	root, _, ok := git.Find(here)
	if !ok {
		root = here
	}
	self, err := os.Executable()
	if err != nil {
		return setup.Target{}, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	return setup.Target{
		Agent: t.agent, Scope: setup.Scope(t.scope), Home: config.UserHome(a.getenv), ConfigDir: a.getenv("CLAUDE_CONFIG_DIR"),
		Project: root, Hook: hookProgram(self), Piton: self, State: a.home(), EveryTool: a.config(root).Debrief.Timer == piton.TimerActivity,
	}, nil
}

// hookProgram is the piton-hook beside this program, else the one in PATH.
func hookProgram(self string) string {
	beside := filepath.Join(filepath.Dir(self), "piton-hook")
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside
	}
	if path, err := exec.LookPath("piton-hook"); err == nil {
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
	}
	return ""
}

// carryOut shows a plan or writes it.
func (a *app) carryOut(plan setup.Plan, dry bool, done string) error {
	if dry && !a.json {
		if len(plan.Changes) == 0 {
			fmt.Fprintln(a.err, "Nothing would change.")
		}
		a.notes(plan)
		text := setup.Diff(plan.Changes)
		if a.outTerminal() {
			text = a.colourDiff(clean(text))
		}
		_, err := io.WriteString(a.out, text)
		return err
	}
	if !dry {
		if err := setup.Apply(plan.Changes); err != nil {
			return err
		}
	}
	if a.json {
		type change struct {
			Path string `json:"path"`
			What string `json:"what"`
		}
		list := []change{}
		for _, c := range plan.Changes {
			list = append(list, change{c.Path, c.What})
		}
		notes := plan.Notes
		if notes == nil {
			notes = []string{}
		}
		return a.printJSON(map[string]any{"changes": list, "notes": notes, "dry_run": dry})
	}
	if len(plan.Changes) == 0 {
		fmt.Fprintln(a.err, "Nothing to do: everything is as it should be.")
	}
	for _, c := range plan.Changes {
		fmt.Fprintf(a.out, "%s: %s (%s)\n", done, line(c.Path), c.What)
	}
	a.notes(plan)
	return nil
}

func (a *app) notes(plan setup.Plan) {
	for _, n := range plan.Notes {
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
