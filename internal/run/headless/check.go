package headless

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/run/plan"
)

// checkLimit bounds a command of a check.
const checkLimit = 10 * time.Minute

// lacks makes the checks, now that the agent has ended. All are made, so that the
// agent is told of all at once. An error is a check that could not be made: then
// nothing is known, and the step is not completed.
func (w *work) lacks(ctx context.Context, p client.Progress) (list []lack, err error) {
	if _, ok := jsonIn(p.Text); !ok && w.o.output == "json" {
		list = append(list, lack{"output: json", "the last message is not JSON"})
	}
	for _, c := range w.c.Check {
		why, err := w.lacking(ctx, c, p)
		if err != nil {
			return nil, finally("the check %q cannot be made: %w", demand(c), err)
		}
		if why != "" {
			list = append(list, lack{demand(c), why})
		}
	}
	return list, ctx.Err()
}

// lacking says why a check does not hold; "" where it does.
func (w *work) lacking(ctx context.Context, c plan.Check, p client.Progress) (string, error) {
	switch {
	case c.Run != "":
		return w.ran(ctx, c.Run)
	case c.File != "":
		return w.found(c.File)
	case c.Changed != "":
		return w.changed(ctx, c.Changed)
	case c.Verified:
		return w.verified(ctx)
	case c.Expr != "":
		ask := w.c.Holds
		if ask == nil {
			ask = func(expr string, output any) (bool, error) { return plan.Holds(expr, output, plan.Resolver{}) }
		}
		holds, err := ask(c.Expr, w.output(p))
		if err != nil || holds {
			return "", err
		}
		return "the expression is not true: " + c.Expr, nil
	}
	return "", fmt.Errorf("it names nothing to check")
}

// ran runs a command of the plan's, as the agent could have: its success is what
// counts, whatever the agent says of it.
func (w *work) ran(ctx context.Context, command string) (string, error) {
	log := w.c.Stream()
	fmt.Fprintf(log, "check: %s\n", command)
	r, err := proc.Run(ctx, proc.Command{
		Argv: []string{"sh", "-c", command}, Dir: w.o.dir, Env: w.o.env, Joined: true, Ends: true, MaxOutput: maxTail, Out: log,
		Alone: true, Mark: w.mark(), Timeout: checkLimit,
	})
	tail := end(string(r.Stdout), maxTail)
	switch {
	case err != nil:
		return "", err
	case r.TimedOut:
		return fmt.Sprintf("the command `%s` did not end within %s", command, checkLimit), nil
	case r.Code != 0 && tail != "":
		return fmt.Sprintf("the command `%s` ended with status %d: %s", command, r.Code, tail), nil
	case r.Code != 0:
		return fmt.Sprintf("the command `%s` ended with status %d", command, r.Code), nil
	}
	return "", nil
}

// found looks for a file.
func (w *work) found(glob string) (string, error) {
	var list []string
	var err error
	if filepath.IsAbs(glob) {
		list, err = doublestar.FilepathGlob(glob, doublestar.WithFilesOnly())
	} else {
		list, err = doublestar.Glob(os.DirFS(w.o.dir), path.Clean(filepath.ToSlash(glob)), doublestar.WithFilesOnly())
	}
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "there is no file " + glob, nil
	}
	return "", nil
}

// changes are those since the work began, in the work tree or by a commit, and the
// root of the work tree.
func (w *work) changes(ctx context.Context) (list git.Changes, root string, err error) {
	repo := git.Repo{Dir: w.o.dir}
	root, _, ok := git.Find(w.o.dir)
	if !ok {
		return list, root, fmt.Errorf("%s is in no git repository", w.o.dir)
	}
	st, err := repo.Status(ctx)
	if err == nil {
		list, err = repo.Compare(ctx, st, w.memory.Baseline)
	}
	return list, root, err
}

// changed looks for a file that was changed. The glob counts from the step's folder.
func (w *work) changed(ctx context.Context, glob string) (string, error) {
	changes, root, err := w.changes(ctx)
	if err != nil {
		return "", err
	}
	dir := client.RealPath(w.o.dir)
	glob = path.Clean(filepath.ToSlash(glob))
	for _, f := range changes.Files {
		rel, err := filepath.Rel(dir, filepath.Join(root, filepath.FromSlash(f.Path)))
		if err != nil {
			continue
		}
		if ok, err := doublestar.Match(glob, filepath.ToSlash(rel)); ok || err != nil {
			return "", err
		}
	}
	return "no changed file matches " + glob, nil
}

// verified asks Piton's judge. Where nothing was changed nothing can be missing: that
// holds, and is said, because "verified" alone would sound like more.
func (w *work) verified(ctx context.Context) (string, error) {
	w.unchanged = false
	if w.a.Judge == nil {
		return "", fmt.Errorf("there is no judge here")
	}
	log := w.log()
	if log == "" {
		return "", fmt.Errorf("the log of the session %s is not there", w.note.Session)
	}
	v, err := w.a.Judge(ctx, Finished{Client: w.note.Agent, Session: w.note.Session, Log: log, Dir: w.o.dir, Began: w.memory.Began})
	if err != nil {
		return "", err
	}
	if len(v.Missing) == 0 {
		if x, _, err := w.changes(ctx); err == nil && len(x.Files) == 0 {
			w.unchanged = true
			w.say("the check \"verified\" holds because nothing was changed")
		}
		return "", nil
	}
	return "not verified: " + strings.Join(v.Missing, "; "), nil
}

// moved notes what does not hold, and ends work that repeats itself: the
// same checks fail, and the work tree is as it was when they failed before.
func (w *work) moved(ctx context.Context, lacks []lack) error {
	now := fingerprint(ctx, w.o.dir, lacks)
	same := now != "" && now == w.memory.Fingerprint
	w.memory.Fingerprint, w.memory.Failing = now, said(lacks)
	if err := w.keep(ctx, client.Progress{}); err != nil {
		return fmt.Errorf("its progress cannot be noted: %w", err)
	}
	if same {
		return finally("no progress: the work tree is as it was, and this still does not hold: %s%s", strings.Join(said(lacks), "; "), w.refusedTools())
	}
	return nil
}

// fingerprint is equal for equal work trees in which the same checks fail; "" where
// git cannot tell.
func fingerprint(ctx context.Context, dir string, lacks []lack) string {
	tree, err := git.Repo{Dir: dir}.TreeSum(ctx)
	if err != nil || tree == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintln(h, tree)
	for _, l := range lacks {
		fmt.Fprintln(h, l.check)
	}
	return hex.EncodeToString(h.Sum(nil))
}
