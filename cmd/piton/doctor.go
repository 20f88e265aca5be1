package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/turn"
)

func doctorCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Check every link between the agents and Piton",
		Long:    "Check every link of the chain from the agent clients to Piton, and say how to mend\nwhat is broken. It exits 6 when a link is broken. Codex CLI is asked which hooks\nyou have approved.",
		Example: "  piton doctor\n  piton doctor --agent codex\n  piton doctor --json",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := a.resolve(c, t, known)
			if err != nil {
				return err
			}
			all, err := a.targets(setup.User)
			if err != nil {
				return err
			}
			probe := setup.Probe{Version: piton.Version(), Run: runProgram, Talk: talkProgram, Getenv: a.getenv, Sessions: a.live(c.Context())}
			var checks []setup.Check
			for _, x := range list {
				checks = append(checks, setup.Doctor(c.Context(), x, probe)...)
			}
			if len(list) == 0 {
				checks = append(checks, setup.Check{Name: "agents", Detail: "no client is here, and none has hooks: " + titles(all), Hint: "install one and run 'piton init'"})
			}
			checks = append(checks, setup.DoctorPiton(c.Context(), all[0], probe)...)
			checks = append(checks, a.settingsCheck(all[0].Project), a.switchesCheck(all[0].Project), a.storeCheck(c.Context()), a.missedCheck())
			if check, ok := a.farCheck(c.Context()); ok {
				checks = append(checks, check)
			}
			return a.printChecks(checks)
		},
	}
	t.flags(c, false, "all that are here or have hooks of Piton's")
	return c
}

// known tells whether there is anything to look at: the client, or hooks for
// it in either scope.
func known(t setup.Target) bool {
	user, project := t, t
	user.Scope, project.Scope = setup.User, setup.Project
	return here(t) || setup.Installed(user) || setup.Installed(project)
}

// live lists the agents' open sessions, none where that cannot be told.
func (a *app) live(ctx context.Context) []setup.Live {
	st, err := a.open(ctx, true)
	if err != nil {
		return nil // the store has its own check
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Limit: sessionsLooked})
	if err != nil {
		return nil
	}
	var open []setup.Live
	for _, s := range list {
		if s.Agent != "" && turn.Alive(s, piton.At(time.Now())) {
			open = append(open, setup.Live{Agent: s.Agent, ID: s.ID, Started: s.StartedAt.Time})
		}
	}
	return open
}

// sessionsLooked bounds the sessions among which open ones are looked for: the
// last seen.
const sessionsLooked = 200

// settingsCheck names what cannot be used of Piton's own settings. What waits
// for trust breaks nothing.
func (a *app) settingsCheck(root string) setup.Check {
	cfg := a.config(root)
	check := setup.Check{Name: "configuration", OK: true, Detail: "can be used"}
	var broken, waits []string
	for _, p := range cfg.Problems {
		if errors.Is(p, config.ErrUntrusted) {
			waits = append(waits, p.Error())
		} else {
			broken = append(broken, p.Error())
		}
	}
	switch {
	case len(broken) > 0:
		check.OK, check.Detail, check.Hint = false, strings.Join(append(broken, few(waits)...), "; "), "mend it there; hooks leave out what they cannot use"
	case len(waits) > 0:
		check.Warn, check.Detail, check.Hint = true, strings.Join(few(waits), "; "), "look at the file, then run 'piton trust'"
	}
	if cfg.Project.Stood {
		check.Detail += "; the file has changed since it was trusted, and what it asked for more then counts until somebody looks at it again"
	}
	return check
}

// waitsShown bounds what doctor names of what waits for trust.
const waitsShown = 3

// few are the first of what waits for trust.
func few(waits []string) []string {
	if more := len(waits) - waitsShown; more > 0 {
		return append(waits[:waitsShown:waitsShown], fmt.Sprintf("and %d more ('piton trust --show' names them all)", more))
	}
	return waits
}

// switchesCheck tells whether agents are held here and their state is saved at
// all: somebody may have wanted it otherwise and forgotten.
func (a *app) switchesCheck(root string) setup.Check {
	mode, saved := modesText(a.modes(root)), a.config(root).Checkpoints.Enabled
	check := setup.Check{Name: "switches", OK: true, Detail: "debriefs here: " + mode + "; hooks save checkpoints"}
	if !saved {
		check.Detail = "debriefs here: " + mode + "; hooks save no checkpoints"
	}
	if mode != debrief.ModeOn || !saved {
		check.Warn, check.Hint = true, "if you did not mean it: 'piton config' shows where it was set"
	}
	return check
}

// storeCheck tells whether the store can be opened.
func (a *app) storeCheck(ctx context.Context) setup.Check {
	check := setup.Check{Name: "store", OK: true}
	path, err := a.storePath()
	if err == nil {
		check.Detail = path
		if _, err = a.open(ctx, true); err == nil {
			return a.soundCheck(ctx, check)
		}
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

// missedCheck names what hooks could not keep lately.
func (a *app) missedCheck() setup.Check {
	check := setup.Check{Name: "what hooks kept", OK: true, Detail: "nothing was missed in the last seven days"}
	list := turn.MissedIn(a.home(), time.Now())
	if len(list) == 0 {
		return check
	}
	m := list[0]
	check.Warn = true
	check.Detail = fmt.Sprintf("%s, %s session %s: %s", m.At, line(m.Agent), short(m.Session, 40), line(m.Why))
	if more := len(list) - 1; more > 0 {
		check.Detail += fmt.Sprintf(" (and %d more)", more)
	}
	check.Hint = "mend the cause, if it is still there; 'piton list' shows what was saved, and " + filepath.Join(a.home(), "piton.log") + " has every failure"
	return check
}

// farPatience is how long doctor waits for a store other than the local file.
const farPatience = 10 * time.Second

// farCheck tells whether a store other than the local file can be reached;
// false where the settings name none.
func (a *app) farCheck(ctx context.Context) (setup.Check, bool) {
	spec := a.config("").Store
	if !isPostgres(spec) && (!strings.HasPrefix(spec, filePrefix) || spec == filePrefix) {
		return setup.Check{}, false
	}
	check := setup.Check{Name: "store of several machines", OK: true, Detail: spec}
	if isPostgres(spec) {
		check.Detail = postgres.Shown(spec)
	}
	ctx, cancel := context.WithTimeout(ctx, farPatience)
	defer cancel()
	far, err := a.openFar(ctx, true)
	if missing(err) {
		check.Detail += " (nothing saved yet)"
		return check, true
	}
	if err != nil {
		check.OK, check.Detail, check.Hint = false, err.Error(), wrap(err).Hint
	} else if files, ok := far.(*filestore.Store); ok {
		if list := files.Warnings(); len(list) > 0 {
			check.OK, check.Detail, check.Hint = false, check.Detail+": "+list[0], "'piton verify' lists all that is wrong"
		}
	}
	return check, true
}

// soundCheck tells whether the local file is whole, as far as a look at its
// pages, indexes and references tells.
func (a *app) soundCheck(ctx context.Context, check setup.Check) setup.Check {
	path := check.Detail
	faults, err := a.store.Check(ctx)
	if err != nil {
		faults = append(faults, err.Error())
	}
	if behind := sqlite.Behind(ctx, path, a.store); len(faults) == 1 && piton.CodeOf(behind) == piton.Corrupt {
		e := wrap(behind)
		check.OK, check.Detail, check.Hint = false, path+": "+message(e), e.Hint
		return check
	}
	if len(faults) > 0 {
		check.OK = false
		check.Detail += fmt.Sprintf(" is damaged: %s (%d faults)", faults[0], len(faults))
		check.Hint = "'piton verify' says what is lost, 'piton verify --repair' makes indexes and references again, 'piton repair' makes a new store of what can be read"
	}
	return check
}

func (a *app) printChecks(checks []setup.Check) error {
	broken := 0
	for i, x := range checks {
		if !x.OK {
			broken++
		}
		checks[i].Detail, _ = redact.Text(x.Detail) // it repeats settings that cannot be used
	}
	if broken > 0 {
		a.status = 6
	}
	if a.json {
		return a.printJSON(map[string]any{"checks": checks, "broken": broken})
	}
	var b strings.Builder
	for i, x := range checks {
		if i == 0 || x.Agent != checks[i-1].Agent {
			b.WriteString(strings.Repeat("\n", min(i, 1)) + a.bold(firstOf(setup.Title(x.Agent), "Piton")) + "\n")
		}
		mark := a.green("ok  ")
		switch {
		case !x.OK:
			mark = a.red("FAIL")
		case x.Warn:
			mark = a.yellow("warn")
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", mark, line(x.Name), line(x.Detail))
		if x.Hint != "" {
			fmt.Fprintf(&b, "      %s\n", line(x.Hint))
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return err
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

// talkProgram speaks with a program that answers by lines.
func talkProgram(ctx context.Context, argv []string, first []byte, hear func(line []byte) ([]byte, bool)) error {
	return proc.Talk(ctx, proc.Command{Argv: argv, Stdin: first}, hear)
}
