package app

import (
	"cmp"
	"context"
	"os/user"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// Prune archives and deletes checkpoints by the retention policy. With an error
// the answer says what was done before it, where Stopped is set.
func (a Upkeep) Prune(ctx context.Context, r piton.PruneRequest) (history.Pruning, error) {
	p, err := a.prune(ctx, r)
	return p, onFullDisk("cannot prune", err)
}

// onFullDisk says of an error of a full disk what cannot be done.
func onFullDisk(op string, err error) error {
	if !localfs.IsFull(err) {
		return err
	}
	full := *caller.AsError(err)
	full.Op = op
	return &full
}

func (a Upkeep) prune(ctx context.Context, r piton.PruneRequest) (history.Pruning, error) {
	none := history.Pruning{Rows: []piton.Verdict{}, DryRun: r.DryRun}
	most, err := caller.ParseSpan(cmp.Or(r.MaxTime, "0"))
	if err != nil {
		return none, err
	}
	keeper := a.Writer
	if r.DryRun {
		keeper = a.DryWriter
	}
	k, err := keeper(ctx)
	if err != nil {
		return none, caller.UnlessMissing(err)
	}
	if !r.DryRun {
		if err := a.keepsLong(ctx); err != nil {
			return none, err
		}
	}
	policy, err := a.Retention()
	if err != nil {
		return none, err
	}
	if a.ArchiveIsHere() {
		k.Archive = nil
	}
	o := history.PruneOptions{Policy: policy, DryRun: r.DryRun, Orphans: a.isUpToDate(ctx), MaxTime: most, Progress: a.Progress("Pruning")}
	defer o.Progress(1, 1)
	if r.Project != "" {
		p, err := a.Project(ctx, r.Project, false)
		if err != nil {
			return none, err
		}
		o.Project = p.ID
	}
	if r.Session != "" {
		s, err := k.Local.Session(ctx, r.Session)
		if err != nil {
			return none, err
		}
		o.Session = s.ID
	}
	p, err := k.Prune(ctx, o)
	if err == nil && a.Shared != nil && !k.OneOff && o.Project == "" {
		err = a.pruneLocal(ctx, k, o, &p)
	}
	if err != nil || o.Project != "" || o.Session != "" {
		return p, err
	}
	if !r.DryRun {
		planruns.PlanRuns(a).PruneLogs(ctx, k.Store.Runs())
		if err := k.Index(ctx); err != nil {
			a.Options.Log.WarnContext(ctx, "the search index was not brought up to date", "err", err)
		}
	}
	pruned, err := marks.Marks(a).PruneMarks(ctx, k, r.DryRun)
	p.Marks, p.FreedBytes = pruned.Marks, p.FreedBytes+pruned.Bytes
	return p, err
}

// Index brings the search index of the store up to date.
func (a Upkeep) Index(ctx context.Context) error {
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return caller.UnlessMissing(err)
	}
	return k.Index(ctx)
}

// isUpToDate reports whether the local file holds all that was acknowledged, as far as
// its mark says.
func (a Upkeep) isUpToDate(ctx context.Context) bool {
	path, err := a.DatabasePath()
	return err == nil && sqlite.Behind(ctx, path, a.LocalStore) == nil
}

// pruneLocal deletes by the same policy what hooks have saved on this machine,
// once the store has it. It goes to no archive: the store's own copy does.
func (a Upkeep) pruneLocal(ctx context.Context, k history.Keeper, o history.PruneOptions, p *history.Pruning) error {
	if _, err := k.Flush(ctx, nil); err != nil {
		a.Options.Log.WarnContext(ctx, "the local file was not pruned: the store does not have all of it", "err", err)
		return nil
	}
	k.Store, k.Archive, o.Progress = a.LocalStore, nil, nil
	own, err := k.Prune(ctx, o)
	for _, row := range own.Rows {
		known := slices.ContainsFunc(p.Rows, func(v piton.Verdict) bool { return v.ID == row.ID && v.Action == row.Action })
		if row.Action == piton.DeleteForever && !known {
			row.Reason += ", in the local file"
			p.Rows = append(p.Rows, row)
			p.Deleted++
		}
	}
	p.FreedBytes += own.FreedBytes
	p.Left += own.Left
	p.Stopped = cmp.Or(p.Stopped, own.Stopped)
	return err
}

// keepsLong refuses to let an agent or a step shorten how long checkpoints are kept, by
// variables or by settings of its own making. What its client, or what works on the run, was
// started with is a person's.
func (a Upkeep) keepsLong(ctx context.Context) error {
	if a.CallingAgent(ctx) == "" && !a.InsideStep() {
		return nil
	}
	const why = " in its environment would say how long checkpoints are kept"
	started := a.startedWith()
	for _, name := range []string{"warm", "warm_for", "delete_after", "named_cap", "open_for", "open_cap", "max_per_session"} {
		env := config.EnvName("checkpoints." + name)
		if value := a.Options.Getenv(env); value != "" && value != started.Getenv(env) {
			return a.ByPerson(ctx, "prune", env+why)
		}
	}
	if config.UserFile(a.Options.Getenv) != config.UserFile(a.personal(started)) {
		return a.ByPerson(ctx, "prune", "the settings that are named"+why)
	}
	return nil
}

// personal is the environment that a person has given a process; where there is none,
// an environment that says nothing but where its user is at home.
func (a Upkeep) personal(started proc.Ancestor) func(string) string {
	if len(started.Env) > 0 {
		return started.Getenv
	}
	u, err := user.Current()
	if err != nil || len(started.Argv) > 0 { // some systems show nobody's environment
		return a.Options.Getenv
	}
	return proc.Ancestor{Env: []string{"HOME=" + u.HomeDir}}.Getenv
}

// startedWith is the process that a person has started, of those above the caller that are
// a client or work on runs: the uppermost, for an agent can start others.
func (a Upkeep) startedWith() (top proc.Ancestor) {
	for _, p := range a.Options.Ancestors() {
		if clients.Runs(p.Name, p.Argv) != "" || caller.WorksOnRuns(p.Argv) {
			top = p
		}
	}
	return top
}
