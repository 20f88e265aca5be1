package app

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// Purge takes secrets out of what is stored, by the rules of this version: of
// the stores, the archive's files and the logs. With an error the answer
// says what was done before it.
func (a Upkeep) Purge(ctx context.Context, r piton.PurgeRequest) (history.Purged, error) {
	dry := r.DryRun
	if !r.Secrets {
		return history.Purged{}, piton.Errorf(piton.Invalid, "purge", "give 'secrets'; 'delete' and 'prune' remove whole checkpoints", "nothing to purge is named")
	}
	p := history.Purged{Checkpoints: []string{}, Files: []string{}, Beyond: []string{}, DryRun: dry}
	k, err := a.Writer(ctx)
	if err != nil && !caller.Missing(err) {
		return p, err
	}
	if err == nil {
		p, err = k.Purge(ctx, dry, a.Progress("Purging"))
		if err == nil && a.Shared != nil { // the agents' side lies here
			k.Store = a.LocalStore
			var own history.Purged
			own, err = k.Purge(ctx, dry, a.Progress("Purging the local file"))
			p.Taken += own.Taken
			p.Checkpoints, p.Files, p.Beyond = append(p.Checkpoints, own.Checkpoints...), append(p.Files, own.Files...), append(p.Beyond, own.Beyond...)
			p.Stopped = own.Stopped
		}
		if err != nil {
			return p, err
		}
	}
	logs := []string{place.Log(a.Options.Home), place.Log(a.Options.Home) + ".1"}
	steps, err := fs.Glob(os.DirFS(a.Options.Home), "runs/*/*.log*")
	if err != nil {
		return p, &piton.Error{Code: piton.Unavailable, Op: "list the logs of runs", Err: err}
	}
	for _, name := range steps {
		logs = append(logs, filepath.Join(a.Options.Home, filepath.FromSlash(name)))
	}
	for _, name := range logs {
		n, err := purgeLog(name, dry)
		if err != nil {
			return p, err
		}
		p.Taken += n
	}
	slices.Sort(p.Beyond)
	p.Beyond = slices.Compact(p.Beyond)
	if err := a.ByPerson(ctx, "purge", "kept files are a person's"); err != nil && !dry {
		p.Beyond = append(p.Beyond, "the kept copies of files (marks), which only a person removes")
		return p, nil
	}
	p.Marked, err = marks.Marks(a).DropSecrets(ctx, dry)
	p.Taken += p.Marked
	return p, err
}

// purgeLog takes secrets out of a log. A line that is written meanwhile may be
// lost.
func purgeLog(name string, dry bool) (int, error) {
	op := "take secrets out of " + name
	raw, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	var clean bytes.Buffer
	taken := 0
	for line := range strings.Lines(string(raw)) {
		text, n := redact.Text(line)
		clean.WriteString(text)
		taken += n
	}
	if taken == 0 || dry {
		return taken, nil
	}
	if err := localfs.Replace(name, clean.Bytes(), 0o600, nil); err != nil {
		return 0, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that it can be written", Err: err}
	}
	return taken, nil
}

// Verify reads checkpoints again and checks every sum. With an error the answer
// says what was done before it, where Stopped is set.
func (a Upkeep) Verify(ctx context.Context, r piton.VerifyRequest) (history.Verification, error) {
	k, err := a.Keeper(ctx, true)
	if caller.Missing(err) {
		return history.Verification{Damaged: []history.Damage{}, Store: []string{}}, nil
	}
	if err != nil {
		return history.Verification{}, err
	}
	all := r.Project == "" && r.Workflow == ""
	q := piton.Query{Workflow: r.Workflow}
	if r.Project != "" || r.Workflow != "" {
		s, err := Checkpoints(a).selector(ctx, newest(r.Workflow, r.Project))
		if err != nil {
			return history.Verification{}, err
		}
		if q.Project = s.Project; r.Project != "" && s.Project == "" {
			return history.Verification{}, piton.Errorf(piton.NotFound, "verify", "nothing has been saved for it yet", "Piton has not seen the folder %s", r.Project)
		}
	}
	progress := a.Progress("Verifying")
	defer progress(1, 1)
	v, err := k.Verify(ctx, history.VerifyOptions{Query: q, Repair: r.Repair, Progress: progress})
	if err == nil && all {
		v.Files, err = marks.Marks(a).VerifyMarks(ctx)
	}
	return v, err
}

// Repair makes a new store out of what can be read of a damaged local file.
func (a Upkeep) Repair(ctx context.Context, o repair.Options) (repair.Report, error) {
	const hint = "name the store with 'store sqlite:PATH' or PITON_HOME"
	if caller.IsShared(a.Options.Store) {
		return repair.Report{}, piton.Errorf(piton.Invalid, "", "'verify' looks at any store, and 'verify repair' mends what can be derived again", "only a SQLite file can be made anew")
	}
	path, err := a.DatabasePath()
	if err != nil {
		return repair.Report{}, err
	}
	info, err := os.Stat(path)
	log, errLog := os.Stat(path + "-wal") // empty: a hook has left it
	if errors.Is(err, fs.ErrNotExist) && (errLog != nil || log.Size() == 0) {
		return repair.Report{}, piton.Errorf(piton.NotFound, "", hint, "there is no %s", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		return repair.Report{}, piton.Errorf(piton.Invalid, "", hint, "%s is not a regular file", path)
	}
	if o.Archive, err = a.Archive(""); err != nil {
		return repair.Report{}, err
	}
	return repair.Run(ctx, path, o)
}

// Accepted is a store that was taken as it is.
type Accepted struct {
	Accepted bool   `json:"accepted"`
	File     string `json:"file"`
}

// Accept takes a local file as it is that is older than what was acknowledged.
func (a Upkeep) Accept(ctx context.Context) (Accepted, error) {
	a.Options.Behind = true
	if err := a.ByPerson(ctx, "accept the store as it is", "what is lost by it is a person's to judge"); err != nil {
		return Accepted{}, err
	}
	path, err := a.DatabasePath()
	if err != nil {
		return Accepted{}, err
	}
	st, err := a.Local(ctx, true)
	if err != nil && !caller.Missing(err) {
		return Accepted{}, err
	}
	return Accepted{true, path}, sqlite.Accept(ctx, path, st)
}
