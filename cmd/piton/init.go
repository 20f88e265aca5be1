package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/config"
	"github.com/piton-project/piton/git"
	"github.com/piton-project/piton/proc"
	"github.com/piton-project/piton/project"
	"github.com/piton-project/piton/setup"
)

// target are the flags that init, uninstall and doctor share.
type target struct {
	agent, scope string
	dry          bool
}

func (t *target) flags(c *cobra.Command, dry bool) {
	c.Flags().StringVar(&t.agent, "agent", "claude", "the client: "+clientNames())
	c.Flags().StringVar(&t.scope, "scope", "user", "user: all your projects; project: this one, for all who work on it")
	if dry {
		c.Flags().BoolVar(&t.dry, "dry-run", false, "show the changes as a diff and write nothing")
	}
}

// resolve turns the flags into what the room setup needs.
func (a *app) resolve(t target) (setup.Target, error) {
	const op = "set the hooks up"
	if t.scope != string(setup.User) && t.scope != string(setup.Project) {
		return setup.Target{}, piton.Errorf(piton.Invalid, op, "give --scope user or --scope project", "no scope is called %q", t.scope)
	}
	here, err := os.Getwd()
	if err != nil {
		return setup.Target{}, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	root, _, ok := git.Find(here)
	if !ok {
		root = here
	}
	self, err := os.Executable()
	if err != nil {
		return setup.Target{}, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	c, err := a.settings(root)
	if err != nil {
		return setup.Target{}, err
	}
	return setup.Target{
		Agent: t.agent, Scope: setup.Scope(t.scope), Home: config.UserHome(a.getenv), ConfigDir: a.getenv("CLAUDE_CONFIG_DIR"),
		Project: root, Hook: hookProgram(self), Piton: self, State: a.home(), EveryTool: c.Debrief.Timer == piton.TimerActivity,
	}, nil
}

// hookProgram is the piton-hook beside this program, else the one in PATH.
func hookProgram(self string) string {
	beside := filepath.Join(filepath.Dir(self), "piton-hook")
	if _, err := os.Stat(beside); err == nil {
		return beside
	}
	if path, err := exec.LookPath("piton-hook"); err == nil {
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
	}
	return ""
}

func initCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:   "init",
		Short: "Set an agent's hooks and its /checkpoint command up",
		Long: `Add Piton's hooks and the /checkpoint command to an agent client's settings.
Nothing else in your files is touched; doing it again changes nothing; 'piton
uninstall' leaves the files as they were.`,
		Example: "  piton init --dry-run\n  piton init --agent claude\n  piton init --scope project",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			target, err := a.resolve(t)
			if err != nil {
				return err
			}
			if target.Hook == "" {
				return piton.Errorf(piton.NotFound, "set the hooks up", "install both programs: go install github.com/piton-project/piton/cmd/...", "the program piton-hook is neither beside piton nor in PATH")
			}
			plan, err := setup.Init(target)
			if err != nil {
				return err
			}
			if err := a.carryOut(plan, t.dry, "Set up"); err != nil || a.json {
				return err
			}
			if tests := project.TestCommands(target.Project); len(tests) > 0 && !t.dry {
				fmt.Fprintf(a.err, "This project's tests, as Piton will look for them: %s\n", tests[0].Run)
			}
			if !t.dry {
				fmt.Fprintln(a.err, "Sessions that are open take the hooks up by themselves or at their next start. 'piton doctor' checks the chain.")
			}
			return nil
		},
	}
	t.flags(c, true)
	return c
}

func uninstallCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:     "uninstall",
		Short:   "Take the hooks out again and leave the files as they were",
		Long:    "Take Piton's hooks and its /checkpoint command out of an agent client's\nsettings. The files are left as they were before 'piton init'. What was saved\nstays where it is.",
		Example: "  piton uninstall --dry-run\n  piton uninstall --agent claude",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			target, err := a.resolve(t)
			if err != nil {
				return err
			}
			plan, err := setup.Uninstall(target)
			if err != nil {
				return err
			}
			return a.carryOut(plan, t.dry, "Taken out")
		},
	}
	t.flags(c, true)
	return c
}

// carryOut shows a plan or writes it.
func (a *app) carryOut(plan setup.Plan, dry bool, done string) error {
	if dry && !a.json {
		if len(plan.Changes) == 0 {
			fmt.Fprintln(a.err, "Nothing would change.")
		}
		a.notes(plan)
		_, err := fmt.Fprint(a.out, a.colourDiff(setup.Diff(plan.Changes)))
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
		fmt.Fprintf(a.out, "%s: %s (%s)\n", done, c.Path, c.What)
	}
	a.notes(plan)
	return nil
}

func (a *app) notes(plan setup.Plan) {
	for _, n := range plan.Notes {
		fmt.Fprintln(a.err, "note: "+n)
	}
}

func (a *app) colourDiff(text string) string {
	if !a.colour() {
		return text
	}
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

func doctorCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Check every link between an agent and Piton",
		Long:    "Check every link of the chain from an agent client to Piton, and say how to mend\nwhat is broken. It exits 6 when a link is broken.",
		Example: "  piton doctor\n  piton doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			target, err := a.resolve(t)
			if err != nil {
				return err
			}
			checks := setup.Doctor(c.Context(), target, setup.Probe{Version: piton.Version(), Run: runProgram})
			checks = append(checks, a.storeCheck(c.Context()))
			return a.printChecks(checks)
		},
	}
	t.flags(c, false)
	return c
}

// storeCheck tells whether the store can be opened.
func (a *app) storeCheck(ctx context.Context) setup.Check {
	check := setup.Check{Name: "store", OK: true}
	path, err := a.storePath()
	if err == nil {
		check.Detail = path
		_, err = a.open(ctx, true)
	}
	if missing(err) {
		check.Detail += " (nothing saved yet)"
		return check
	}
	if err != nil {
		check.OK, check.Detail = false, err.Error()
		if e := wrap(err); e != nil {
			check.Hint = e.Hint
		}
	}
	return check
}

func (a *app) printChecks(checks []setup.Check) error {
	broken := 0
	for _, x := range checks {
		if !x.OK {
			broken++
		}
	}
	if broken > 0 {
		a.status = 6
	}
	if a.json {
		return a.printJSON(map[string]any{"checks": checks, "broken": broken})
	}
	for _, x := range checks {
		mark := a.green("ok  ")
		switch {
		case !x.OK:
			mark = a.red("FAIL")
		case x.Warn:
			mark = a.yellow("warn")
		}
		fmt.Fprintf(a.out, "%s  %s: %s\n", mark, x.Name, x.Detail)
		if x.Hint != "" {
			fmt.Fprintf(a.out, "      %s\n", x.Hint)
		}
	}
	return nil
}

// runProgram asks a program a question and does not wait for long.
func runProgram(ctx context.Context, argv []string) (string, error) {
	r, err := proc.Run(ctx, proc.Command{Argv: argv, Timeout: 10 * time.Second, MaxOutput: 1 << 16})
	if err != nil {
		return "", err
	}
	if r.Code != 0 {
		return string(r.Stdout), fmt.Errorf("exit status %d: %s", r.Code, strings.TrimSpace(string(r.Stderr)))
	}
	return string(r.Stdout), nil
}
