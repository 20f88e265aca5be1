package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
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

// Diagnosis is what doctor has found.
type Diagnosis struct {
	Broken int           `json:"broken"` // if above 0 the exit status is 6
	Checks []setup.Check `json:"checks"`
}

// Doctor checks every link of the chain from the clients to Piton.
func (a Overview) Doctor(ctx context.Context, r installation.SetupRequest) (Diagnosis, error) {
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
	for _, x := range list {
		d.Checks = append(d.Checks, setup.Doctor(ctx, x, probe)...)
	}
	d.unused(r.Agents != nil)
	if len(list) == 0 {
		d.Checks = append(d.Checks, setup.Check{Name: "agents", Detail: "no client is here, and none has hooks: " + all.Titles(), Hint: "install one and run 'piton init'"})
	}
	root := all[0].Project
	d.Checks = append(d.Checks, setup.DoctorPiton(ctx, all[0], probe)...)
	d.Checks = append(d.Checks, checkTree(ctx, root)...)
	d.Checks = append(d.Checks, a.checkSettings(root)...)
	d.Checks = append(d.Checks, a.checkSwitches(root), a.checkStore(ctx), a.checkMissed(), marks.Marks(a).CheckMarks(root), Agents(a).checkLetters(ctx), installation.Setup(a).CheckDaemon(ctx))
	d.Checks = append(d.Checks, Agents(a).checkListeners(root)...)
	if check, ok := a.checkShared(ctx); ok {
		d.Checks = append(d.Checks, check)
	}
	for i, x := range d.Checks {
		if !x.OK {
			d.Broken++
		}
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
			d.Checks[i].OK, d.Checks[i].Hint = true, "if you want it there: "+strings.TrimPrefix(c.Hint, "run ")
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

// checkStore tells whether the local file can be opened and is whole.
func (a Overview) checkStore(ctx context.Context) setup.Check {
	check := setup.Check{Name: "store", OK: true}
	path, err := a.DatabasePath()
	if err == nil {
		check.Detail = path
		if _, err = a.Local(ctx, true); err == nil {
			check = a.checkWhole(ctx, check, path)
			if err = a.checkWrites(ctx, path); err == nil || !check.OK {
				return check
			}
		}
	}
	if caller.Missing(err) {
		check.Detail += " (nothing saved yet)"
	} else {
		check.OK, check.Detail, check.Hint = false, err.Error(), caller.AsError(err).Hint
	}
	return check
}

// checkWrites writes a row to the local file, which syncs it, reads it back and deletes
// it, and sees that a checkpoint fits beside it.
func (a Overview) checkWrites(ctx context.Context, path string) error {
	const op, mark = "write to the store", "doctor"
	n := rand.Int64()
	err := a.LocalStore.Local().Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, mark, n) })
	if err != nil {
		return err
	}
	if got, err := a.LocalStore.Mark(ctx, mark); err != nil || got != n {
		return cmp.Or(err, error(piton.Errorf(piton.Corrupt, op, "'verify' says what is lost", "what was written is not what is read back")))
	}
	if err := a.LocalStore.Local().Update(ctx, func(tx store.LocalTx) error { return tx.ClearMark(ctx, mark) }); err != nil {
		return err
	}
	if err := setup.Writable(filepath.Dir(path)); err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "free some space; until then nothing large is saved", Err: err}
	}
	return nil
}

// checkWhole tells whether the local file is whole, as far as a look at its
// pages, indexes and references tells.
func (a Overview) checkWhole(ctx context.Context, check setup.Check, path string) setup.Check {
	faults, err := a.LocalStore.Check(ctx)
	if err != nil {
		faults = append(faults, err.Error())
	}
	if behind := sqlite.Behind(ctx, path, a.LocalStore); len(faults) == 1 && piton.CodeOf(behind) == piton.Corrupt {
		check.OK, check.Detail, check.Hint = false, path+": "+caller.Message(behind), caller.AsError(behind).Hint
		return check
	}
	if len(faults) > 0 {
		check.OK = false
		check.Detail += " is damaged: " + faults[0]
		if more := len(faults) - 1; more > 0 {
			check.Detail += fmt.Sprintf(" (and %d more)", more)
		}
		check.Hint = "'verify' says what is lost, 'verify repair' makes indexes, references and the records of sessions again, 'repair' makes a new store of what can be read"
	}
	return check
}

// folderFull is why nothing can be written to a store of files; nil where it can.
func (a Overview) folderFull(spec string) error {
	whole, err := a.WholeSpec(spec)
	if dir, ok := caller.FolderOf(whole); err == nil && ok {
		err = setup.Writable(dir)
	}
	return err
}

// sharedPatience is how long doctor waits for a shared store.
const sharedPatience = 10 * time.Second

// checkShared tells whether a store other than the local file can be reached;
// false where the settings name none.
func (a Overview) checkShared(ctx context.Context) (setup.Check, bool) {
	spec := a.Config("").Store
	if !caller.IsShared(spec) {
		return setup.Check{}, false
	}
	check := setup.Check{Name: "store of several machines", OK: true, Detail: spec}
	if caller.IsPostgres(spec) {
		check.Detail = postgres.Shown(spec)
	}
	ctx, cancel := context.WithTimeout(ctx, sharedPatience)
	defer cancel()
	a.Options.Stores = nil // whether it can be reached now, not whether it could once
	shared, err := a.OpenShared(ctx, true)
	switch files, ok := shared.(*filestore.Store); {
	case caller.Missing(err):
		check.Detail += " (nothing saved yet)"
	case err != nil:
		check.OK, check.Detail, check.Hint = false, err.Error(), caller.AsError(err).Hint
	case ok && a.folderFull(spec) != nil:
		check.OK, check.Detail, check.Hint = false, a.folderFull(spec).Error(), "free some space or make it writable; until then nothing is saved there"
	case ok && len(files.Warnings()) > 0:
		check.OK, check.Detail, check.Hint = false, check.Detail+": "+files.Warnings()[0], "'piton verify' lists all that is wrong"
	}
	return check, true
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
