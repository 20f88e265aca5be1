package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// Diagnosis is what doctor has found.
type Diagnosis struct {
	Broken   int           `json:"broken"`   // if above 0 the exit status is 6
	Warnings int           `json:"warnings"` // checks whose `status` is `warning`
	Sound    int           `json:"sound"`    // checks whose `status` is `ok`
	Checks   []setup.Check `json:"checks"`
}

// maxDoctor bounds doctor as a whole: what has not answered by then has failed.
const maxDoctor = time.Minute

// Doctor checks every link of the chain from the clients to Piton, by doing what hooks do:
// hook lines and servers are run, rows and files are written, read back and removed. It
// changes no setting and leaves nothing behind.
func (a Overview) Doctor(ctx context.Context, r installation.SetupRequest) (Diagnosis, error) {
	ctx, cancel := context.WithTimeout(ctx, maxDoctor)
	defer cancel()
	list, err := installation.Setup(a).Targets(r, func(t setup.Target) bool {
		user, project := t, t
		user.Scope, project.Scope = setup.User, setup.Project
		return installation.IsHere(t) || setup.Installed(user) || setup.Installed(project)
	})
	if err != nil {
		return Diagnosis{}, err
	}
	all, err := installation.Setup(a).AllTargets(setup.User)
	if err != nil {
		return Diagnosis{}, err
	}
	probe := setup.Probe{Version: piton.Version(), Run: runProgram, Talk: talkProgram, Getenv: a.Options.Getenv, Sessions: a.openSessions(ctx)}
	var d Diagnosis
	of, wait := make([][]setup.Check, len(list)), sync.WaitGroup{}
	for i, x := range list { // at once: what hangs in one of them does not keep the others waiting
		wait.Go(func() { of[i] = setup.Doctor(ctx, x, probe) })
	}
	wait.Wait()
	d.Checks = append(d.Checks, slices.Concat(of...)...)
	d.unused(r.Agents != nil)
	if len(list) == 0 {
		d.Checks = append(d.Checks, setup.Check{Name: "agents", Detail: "no client is here, and none has hooks: " + all.Titles(), Hint: "install one and run 'piton init'"})
	}
	root := all[0].Project
	d.Checks = append(d.Checks, setup.DoctorPiton(ctx, all[0], probe)...)
	d.Checks = append(d.Checks, checkTree(ctx, root)...)
	d.Checks = append(d.Checks, a.checkSettings(root)...)
	d.Checks = append(d.Checks, a.checkFolders(), a.checkSwitches(root), a.checkStore(ctx), a.checkClock(ctx), a.checkMissed(), marks.Marks(a).CheckMarks(root), Agents(a).checkLetters(ctx), installation.Setup(a).CheckDaemon(ctx))
	d.Checks = append(d.Checks, Agents(a).checkListeners(root)...)
	if check, ok := a.checkShared(ctx); ok {
		d.Checks = append(d.Checks, check)
	}
	if check, ok := a.checkArchive(ctx); ok {
		d.Checks = append(d.Checks, check)
	}
	for i, x := range d.Checks {
		status, sum := client.StatusOK, &d.Sound
		if x.Warn {
			status, sum = client.StatusWarning, &d.Warnings
		}
		if !x.OK {
			status, sum = client.StatusFailure, &d.Broken
		}
		d.Checks[i].Status = status
		*sum++
		d.Checks[i].Detail, _ = redact.Text(x.Detail) // it repeats settings that cannot be used
	}
	return d, nil
}

// unused has what Piton is not installed into break nothing where it is installed into
// another client, unless a person asks for that one.
func (d *Diagnosis) unused(named bool) {
	without := func(c setup.Check) bool { return !c.OK && strings.HasPrefix(c.Detail, setup.NotInstalled) }
	used := slices.ContainsFunc(d.Checks, func(c setup.Check) bool { return c.Name == "hooks" && !without(c) })
	for i, c := range d.Checks {
		if used && !named && without(c) {
			d.Checks[i].OK, d.Checks[i].Hint = true, ""
			d.Checks[i].Detail += "; if you want it there: " + strings.TrimPrefix(c.Hint, "run ")
		}
	}
}

// checkTree says why git cannot be asked about a work tree; nothing where it can, or where
// there is none.
func checkTree(ctx context.Context, root string) []setup.Check {
	_, err := git.Repo{Dir: root}.Files(ctx)
	if !errors.Is(err, git.ErrDamaged) && !errors.Is(err, git.ErrOwner) {
		return nil
	}
	return []setup.Check{{Name: "work tree", Detail: root + ": git cannot tell what changed here: " + caller.Message(err), Hint: "'git status' shows what is wrong; until it is mended only files that the agents' tools name are judged"}}
}

// openSessions lists the agents' open sessions, none where that cannot be told.
func (a Overview) openSessions(ctx context.Context) []setup.Live {
	st, err := a.Local(ctx, true)
	if err != nil {
		return nil // the store has its own check
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Limit: caller.MaxSessions})
	if err != nil {
		return nil
	}
	var open []setup.Live
	for _, s := range list {
		if s.Agent != "" && turn.Alive(s, a.Now()) {
			open = append(open, setup.Live{Agent: s.Agent, ID: s.ID, Started: s.StartedAt.Time})
		}
	}
	return open
}

// checkSettings names what cannot be used of Piton's own settings, a line for each place
// where it is corrected. What waits for trust breaks nothing.
func (a Overview) checkSettings(root string) []setup.Check {
	cfg := a.Config(root)
	var list []setup.Check
	var waits []string
	named := 0
	for _, p := range cfg.Problems {
		if errors.Is(p, config.ErrUntrusted) {
			waits = append(waits, p.Error())
			continue
		}
		if named++; named > maxBroken {
			continue
		}
		hint := a.settingsHint(p)
		if i := slices.IndexFunc(list, func(c setup.Check) bool { return c.Hint == hint }); i >= 0 {
			list[i].Detail += "; " + p.Error()
		} else {
			list = append(list, setup.Check{Name: "configuration", Detail: p.Error(), Hint: hint})
		}
	}
	if more := named - maxBroken; more > 0 {
		list[len(list)-1].Detail += fmt.Sprintf("; and %d more ('piton config' names them all)", more)
	}
	switch {
	case len(waits) > 0:
		list = append(list, setup.Check{Name: "configuration", OK: true, Warn: true, Detail: strings.Join(firstFew(waits), "; "), Hint: "look at the file, then run 'piton trust'"})
	case len(list) == 0:
		list = []setup.Check{{Name: "configuration", OK: true, Detail: "can be used"}}
	}
	if cfg.Project.Stood {
		list[len(list)-1].Detail += "; the file has changed since it was trusted, and what its trusted text added still counts until you run 'piton trust'"
	}
	return list
}

// settingsHint says where a setting is corrected that cannot be used.
func (a Overview) settingsHint(problem error) string {
	const until = "; hooks leave it out until then"
	e := caller.AsError(problem)
	switch op := e.Op; {
	case e.Hint != "":
		return e.Hint
	case strings.HasSuffix(op, " "+config.UserFile(a.Options.Getenv)):
		return "correct it with 'piton config edit'" + until
	case strings.Contains(op, "/"):
		return "correct it in that file" + until
	}
	return "correct or unset the variable" + until
}

// maxBroken bounds the settings that doctor names, maxWaits those that wait for trust.
const (
	maxBroken = 10
	maxWaits  = 3
)

func firstFew(waits []string) []string {
	if more := len(waits) - maxWaits; more > 0 {
		return append(waits[:maxWaits:maxWaits], fmt.Sprintf("and %d more ('trust show' names them all)", more))
	}
	return waits
}

// checkSwitches tells whether agents are held here and their state is saved at
// all: somebody may have wanted it otherwise and forgotten.
func (a Overview) checkSwitches(root string) setup.Check {
	mode, saved := insight.ModesText(insight.Insight(a).Modes(root)), a.Config(root).Checkpoints.Enabled
	check := setup.Check{Name: "switches", OK: true, Detail: "debriefs here: " + mode + "; hooks save checkpoints"}
	if !saved {
		check.Detail = "debriefs here: " + mode + "; hooks save no checkpoints"
	}
	if mode != debrief.ModeOn || !saved {
		check.Warn, check.Hint = true, "if you did not mean it: 'piton config' shows where it was set"
	}
	return check
}

// checkMissed names what hooks could not keep lately.
func (a Overview) checkMissed() setup.Check {
	check := setup.Check{Name: "what hooks kept", OK: true, Detail: "nothing was missed in the last seven days"}
	list := turn.MissedIn(a.Options.Home, a.Options.Now())
	if len(list) == 0 {
		return check
	}
	m := list[0]
	check.Warn = true
	check.Detail = fmt.Sprintf("%s, %s session %s: %s", m.At, m.Agent, shortID(m.Session), m.Why)
	if more := len(list) - 1; more > 0 {
		check.Detail += fmt.Sprintf(" (and %d more)", more)
	}
	check.Hint = "fix the cause, if it still exists; 'piton list' shows what was saved, and " + place.Log(a.Options.Home) + " has every failure"
	return check
}

// shortID cuts a client's id, which may be any text.
func shortID(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}

// runProgram asks a program a question and does not wait for long.
func runProgram(ctx context.Context, argv []string) (string, error) {
	r, err := proc.Run(ctx, proc.Command{Argv: argv, Timeout: 10 * time.Second, MaxOutput: 1 << 16, Alone: true})
	if err != nil {
		return "", err
	}
	if r.TimedOut {
		return string(r.Stdout), context.DeadlineExceeded
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
