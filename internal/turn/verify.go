package turn

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
)

// verified is what the settings' commands give for the agent's files: from the
// cache where they ran on this very tree before, else they are run (docs/spec.md,
// "Modes"). Nothing is run at a stop that is not looked at, nor after the last hold,
// where only what ran before is said again. What fails here is a line of the log, and
// as if there were no commands.
func (h *handler) verified(ctx context.Context, x situation) []agent.Verified {
	passes := x.passes()
	looks := passes == "" || passes == agent.ReasonBudget
	if len(x.settings.Verify) == 0 || !looks || x.found.gitErr != nil || os.Getenv(verifying) != "" {
		return nil
	}
	due, wholes := dueNow(x)
	if len(due) == 0 {
		return nil
	}
	if passes == agent.ReasonBudget {
		return h.ranBefore(ctx, x.session.Root, slices.Concat(due, wholes), owned(x.result.Files))
	}
	// A client that has waited long enough ends the hook, and the commands must
	// not outlive it.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	y := verification{handler: h, root: x.session.Root, calls: x.found.script.Calls}
	y.deadline, y.hurried = h.deadline(x)
	if y.changed = len(x.found.dirty) > 0; !y.changed {
		y.base = x.found.base
	}
	var list []agent.Verified
	var err error
	h.Busy.with(func() { // their settings bound them
		list, err = y.results(ctx, due)
		if whole, left := y.passed(ctx, wholes, list); err == nil && len(whole)+len(left) > 0 {
			var more []agent.Verified
			more, err = y.results(ctx, whole)
			y.remember(ctx, whole, more)
			list = slices.Concat(list, more, left)
		}
	})
	h.until = time.Now().Add(h.patience()) // what follows has as much again
	if err != nil {
		h.log().WarnContext(ctx, "the verify commands were not run", "session", x.session.ID, "err", err)
		return nil
	}
	return list
}

// stopRest is what a stop needs beside the commands, of the time that the client gives
// its hook.
const stopRest = 10 * time.Second

// deadline is when the commands of a stop have to be done. hurried: the client would
// end the hook before they have had the time that their settings give them.
func (h *handler) deadline(x situation) (at time.Time, hurried bool) {
	now := time.Now()
	began := h.Began
	if began.IsZero() {
		began = now
	}
	at = now.Add(min(x.settings.VerifyBound(), debrief.VerifyLimit))
	set := h.Client.Settings()
	patience := set.Patience(set.Folder(os.Getenv), filepath.Join(x.session.Root, set.InProject))
	if end := began.Add(patience - stopRest); patience > 0 && end.Before(at) {
		return end, true
	}
	return at, false
}

// dueNow are the commands that this stop is to run: those for any change of the
// agent's files, and those for what is unproven, in the folders concerned where
// their tool allows it; wholes are then, in their places, the commands for all folders.
func dueNow(x situation) (due, wholes []debrief.Verify) {
	files := owned(x.result.Files)
	add := func(v, whole debrief.Verify) { due, wholes = append(due, v), append(wholes, whole) }
	for _, v := range x.settings.Verify {
		switch {
		case v.Run == "":
		case v.When != debrief.WhenUnproven:
			if v.Applies(files) {
				add(v, debrief.Verify{})
			}
		default:
			if open := v.OnlyFor(x.result.Unproven); len(open) > 0 {
				part := v
				if part.Run = v.Narrowed(folders(x.session.Root, open)); part.Run == v.Run {
					v = debrief.Verify{}
				}
				add(part, v)
			}
		}
	}
	return due, wholes
}

// tooLongFor is how long a command for all folders is left out after it did not end.
const tooLongFor = 24 * time.Hour

// passed are the commands for all folders whose part has passed: what else broke is
// looked for then, but not where that took too long lately: left is then what is said of
// it.
func (y verification) passed(ctx context.Context, wholes []debrief.Verify, parts []agent.Verified) (list []debrief.Verify, left []agent.Verified) {
	for i, v := range wholes {
		if v.Run == "" || i >= len(parts) || !parts[i].OK || !parts[i].Counts() {
			continue
		}
		if at, err := y.store.Mark(ctx, tooLong(y.root, v)); err != nil || y.now().Millis()-at > tooLongFor.Milliseconds() {
			list = append(list, v)
		} else {
			left = append(left, agent.Verified{Command: cleaned(v.Run), At: y.now(), Measured: true, Unsure: "it did not end within " + v.Limit().String() + " lately, so it was left out"})
		}
	}
	return list, left
}

// tooLong is the mark of a command that did not end within its time.
func tooLong(root string, v debrief.Verify) string {
	return measurement("long:"+v.Limit().String()+":", root, v)
}

// remember notes which commands did not end.
func (y verification) remember(ctx context.Context, ran []debrief.Verify, went []agent.Verified) {
	for i, v := range went {
		if !v.TimedOut || 2*v.TookMS < ran[i].Limit().Milliseconds() {
			continue // it had little of its time: the client, or other commands, took the rest
		}
		err := y.store.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, tooLong(y.root, ran[i]), v.At.Millis()) })
		if err != nil {
			y.log().WarnContext(ctx, "it was not noted that a verify command took too long", "err", err)
		}
	}
}

// folders are where files lie, as a command takes them: "./a"; nil where one is gone
// or belongs to a module of its own.
func folders(root string, files []string) (list []string) {
	for _, f := range files {
		dir := path.Dir(f)
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil || !info.IsDir() || ownModule(root, dir) {
			return nil
		}
		if dir = "./" + strings.TrimPrefix(dir, "."); !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// ownModule reports whether a folder below the root belongs to a module of its own,
// which a run at the root does not take.
func ownModule(root, dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(dir), "go.mod")); err == nil {
			return true
		}
	}
	return false
}

func (y verification) results(ctx context.Context, due []debrief.Verify) ([]agent.Verified, error) {
	tree := y.tree(ctx)
	list := make([]agent.Verified, len(due))
	var missing []int
	for i, v := range due {
		if known, ok := y.known(ctx, tree, v); ok {
			list[i] = known
		} else {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return list, nil
	}
	measures := func(i int) bool { return due[i].When == debrief.WhenUnproven }
	if slices.ContainsFunc(missing, measures) {
		release := y.alone()
		if release == nil {
			missing = slices.DeleteFunc(missing, func(i int) bool {
				if measures(i) {
					list[i] = agent.Verified{Command: cleaned(due[i].Run), At: y.now(), Measured: true, Unsure: "tests of this work tree run for another session"}
				}
				return measures(i)
			})
		} else {
			defer release()
		}
	}
	if err := y.run(ctx, due, missing, list); err != nil {
		return nil, err
	}
	for _, i := range slices.DeleteFunc(slices.Clone(missing), func(i int) bool { return !measures(i) }) {
		list[i] = y.settle(ctx, due[i], list[i])
		list[i].Measured = true
	}
	unsure := ""
	switch {
	case tree == "":
		unsure = "git could not sum up the work tree, so nobody knows whether files changed while it ran"
	case y.tree(ctx) != tree:
		unsure = "files changed while it ran"
	}
	if unsure != "" { // what they say is of a tree that nobody may see again
		for i := range list {
			if list[i].Measured && !list[i].Cached && list[i].Unsure == "" {
				list[i].Unsure = unsure
			}
		}
		return list, nil
	}
	err := y.store.Update(ctx, func(tx store.LocalTx) error {
		for _, i := range missing {
			if !list[i].Answered() {
				continue // it may be faster next time
			}
			if err := y.keep(ctx, tx, tree, due[i], list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		y.log().WarnContext(ctx, "what the verify commands gave was not kept", "err", err)
	}
	return list, nil
}

func (y verification) known(ctx context.Context, tree string, v debrief.Verify) (agent.Verified, bool) {
	if tree == "" {
		return agent.Verified{}, false
	}
	known, err := y.store.Verified(ctx, key(y.root, tree, v))
	if err != nil {
		if piton.CodeOf(err) != piton.NotFound {
			y.log().WarnContext(ctx, "what a verify command gave cannot be read", "err", err)
		}
		return agent.Verified{}, false
	}
	if !known.OK && callSince(y.calls, known.At) {
		return agent.Verified{}, false // the cause may have been mended beside the tree: a package installed, a service started
	}
	known.Cached = true
	return known, true
}

// run runs the commands that are missing, a few at a time, and puts what they
// give into the list. An error is the context's end, or a machine without a
// shell.
func (y verification) run(ctx context.Context, due []debrief.Verify, missing []int, list []agent.Verified) error {
	slots := make(chan struct{}, min(runtime.NumCPU(), 4))
	errs := make([]error, len(due))
	var wg sync.WaitGroup
	for _, i := range missing {
		slots <- struct{}{}
		wg.Go(func() {
			list[i], errs[i] = y.one(ctx, y.root, due[i])
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// ranBefore is what Piton has run for these files on this very tree; nothing is
// run now.
func (h *handler) ranBefore(ctx context.Context, root string, list []debrief.Verify, files []string) []agent.Verified {
	if len(list) == 0 {
		return nil
	}
	y := verification{handler: h, root: root}
	tree := y.tree(ctx)
	var known []agent.Verified
	for _, v := range list {
		if x, ok := y.known(ctx, tree, v); ok && v.Applies(files) {
			known = append(known, x)
		}
	}
	return known
}
