package turn

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Runs of tests that Piton makes because the agent made none: green counts, red only
// where the same command is known to pass without the turn's changes (docs/spec.md,
// "Modes").

// leastTry is how much time has to be left for another run.
const leastTry = time.Second

// alone takes the lock of the work tree's measurements: two at once would disturb each
// other. Nil where another has it.
func (y verification) alone() (release func()) {
	dir := filepath.Join(y.Home, "measuring")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil
	}
	release, err := localfs.TryLock(filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(y.root)))[:16]))
	if err != nil {
		return nil
	}
	return release
}

// settle is what a run that failed comes to: tried again, and where it fails again,
// held against the tree without the turn's changes.
func (y verification) settle(ctx context.Context, v debrief.Verify, first agent.Verified) agent.Verified {
	if first.OK || !first.Answered() {
		return first
	}
	first.Before = agent.BeforeNoTime
	if time.Until(y.deadline) < leastTry {
		return first
	}
	again, err := y.one(ctx, y.root, v)
	if err != nil || !again.Answered() {
		return first
	}
	again.TookMS += first.TookMS
	if !again.OK {
		again.Before = y.before(ctx, v)
	}
	return again
}

// before is how a command went without the turn's changes, or why that is not known: it
// was green in this folder before, or it is run on a copy of the tree as the turn found
// it.
func (y verification) before(ctx context.Context, v debrief.Verify) string {
	if at, err := y.store.Mark(ctx, measurement("green:", y.root, v)); err == nil && at > 0 {
		return agent.BeforePassed
	}
	switch {
	case y.base == "" && y.changed:
		return agent.BeforeChanged
	case y.base == "":
		return ""
	case time.Until(y.deadline) < leastTry:
		return agent.BeforeNoTime
	}
	dir, err := os.MkdirTemp("", "piton-before-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	bounded, cancel := context.WithDeadline(ctx, y.deadline)
	defer cancel()
	if err := (git.Repo{Dir: y.root}).Export(bounded, y.base, dir); err != nil {
		y.log().InfoContext(ctx, "the tree of the turn's beginning cannot be copied", "err", err)
		return ""
	}
	r, err := y.one(ctx, dir, v)
	switch {
	case err == nil && !r.Answered():
		return agent.BeforeNoTime
	case err != nil:
		return ""
	case r.OK:
		return agent.BeforePassed
	}
	return agent.BeforeFailed
}

// measurement is the name of a mark that is kept of a command in a folder: when it has passed
// ("green:"), or did not end ("long:").
func measurement(what, root string, v debrief.Verify) string {
	return what + fmt.Sprintf("%x", sha256.Sum256([]byte(root+"\x00"+v.Run)))[:16]
}

// keep keeps what a command gave on a tree.
func (y verification) keep(ctx context.Context, tx store.LocalTx, tree string, v debrief.Verify, r agent.Verified) error {
	if r.OK && r.Measured {
		if err := tx.SetMark(ctx, measurement("green:", y.root, v), r.At.Millis()); err != nil {
			return err
		}
	}
	return tx.PutVerified(ctx, key(y.root, tree, v), redact.Value(r))
}
