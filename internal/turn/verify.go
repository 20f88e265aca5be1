package turn

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// What is kept of a command's output, in bytes: more is redacted than is told,
// so that no secret is cut before it is known as one.
const (
	verifyRead = 128 << 10
	verifyHead = 1 << 10
	verifyTail = 5 << 10
)

// verifying is set for the commands, to another value for each: an agent that one
// of them starts ends its turn without them, and what they leave is found by it.
const verifying = "PITON_VERIFYING"

// verified is what the settings' commands give for the agent's files: from the
// cache where they ran on this very tree before, else they are run (docs/spec.md,
// "Modes"). Nothing is run at a stop that is not looked at. What fails here is
// a line of the log, and as if there were no commands.
func (h *handler) verified(ctx context.Context, x situation) []agent.Verified {
	if len(x.settings.Verify) == 0 || x.passes() != "" || x.found.gitErr != nil || os.Getenv(verifying) != "" {
		return nil
	}
	due := dueNow(x)
	if len(due) == 0 {
		return nil
	}
	// A client that has waited long enough ends the hook, and the commands must
	// not outlive it.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	list, err := verification{h, x.session.Root, x.found.script.Calls}.results(ctx, due)
	if err != nil {
		h.log().WarnContext(ctx, "the verify commands were not run", "session", x.session.ID, "err", err)
		return nil
	}
	return list
}

// dueNow are the commands that this stop is to run: those for any change of the
// agent's files, and those for what is unproven, in the folders concerned where
// their tool allows it.
func dueNow(x situation) (due []debrief.Verify) {
	files := owned(x.result.Files)
	for _, v := range x.settings.Verify {
		switch {
		case v.Run == "":
		case v.When != debrief.WhenUnproven:
			if v.Applies(files) {
				due = append(due, v)
			}
		default:
			if open := v.OnlyFor(x.result.Unproven); len(open) > 0 {
				v.Run = v.Narrowed(folders(x.session.Root, open))
				due = append(due, v)
			}
		}
	}
	return due
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

// verification runs commands in a work tree.
type verification struct {
	*handler
	root  string
	calls []agent.Call // the turn's
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
	if err := y.run(ctx, due, missing, list); err != nil {
		return nil, err
	}
	if tree == "" || y.tree(ctx) != tree {
		return list, nil // what they say is of a tree that nobody may see again
	}
	err := y.store.Update(ctx, func(tx store.LocalTx) error {
		for _, i := range missing {
			if list[i].TimedOut {
				continue // it may be faster next time
			}
			if err := tx.PutVerified(ctx, key(y.root, tree, due[i]), redact.Value(list[i])); err != nil {
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

// tree sums up the work tree; "" where that cannot be told: then nothing is
// taken from the cache or put there.
func (y verification) tree(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sum, err := (git.Repo{Dir: y.root}).TreeSum(ctx)
	if err != nil {
		y.log().WarnContext(ctx, "the work tree cannot be summed up", "err", err)
		return ""
	}
	return sum
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

// key names a command on a tree. The same commit elsewhere may have other
// ignored files beside it.
func key(root, tree string, v debrief.Verify) string {
	h := sha256.New()
	fmt.Fprintf(h, "1\x00%s\x00%s\x00%s\x00%d", root, tree, v.Run, v.Limit())
	return hex.EncodeToString(h.Sum(nil))
}

// run runs the commands that are missing, a few at a time, and puts what they
// give into the list. An error is the context's end, or a machine without a
// shell.
func (y verification) run(ctx context.Context, due []debrief.Verify, missing []int, list []agent.Verified) error {
	deadline := time.Now().Add(debrief.VerifyLimit)
	slots := make(chan struct{}, min(runtime.NumCPU(), 4))
	errs := make([]error, len(due))
	var wg sync.WaitGroup
	for _, i := range missing {
		slots <- struct{}{}
		wg.Go(func() {
			list[i], errs[i] = y.one(ctx, due[i], deadline)
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// one runs a command: in a session and group of its own, with nothing on stdin
// and no terminal.
func (y verification) one(ctx context.Context, v debrief.Verify, deadline time.Time) (agent.Verified, error) {
	began := time.Now()
	out := agent.Verified{}
	out.Command = cleaned(v.Run)
	limit := min(v.Limit(), deadline.Sub(began))
	if limit <= 0 {
		out.TimedOut, out.ExitCode, out.At, out.TookMS = true, -1, y.now(), debrief.VerifyLimit.Milliseconds()
		out.Output = "It was not run: the commands before it took all the time there is."
		return out, nil
	}
	r, err := proc.Run(ctx, proc.Command{
		Argv: []string{"sh", "-c", v.Run}, Dir: y.root, Timeout: limit, MaxOutput: verifyRead, Ends: true, Joined: true,
		Alone: true, Mark: verifying + "=" + rand.Text(),
	})
	if err != nil {
		return out, err
	}
	out.OK, out.ExitCode, out.TimedOut = r.Code == 0 && !r.TimedOut, r.Code, r.TimedOut
	out.At, out.TookMS, out.Output = y.now(), time.Since(began).Milliseconds(), said(r.Stdout)
	return out, nil
}

// said is an output as it is kept: without secrets, its beginning and its end.
func said(output []byte) string {
	text := cleaned(strings.ToValidUTF8(string(output), "\uFFFD"))
	if len(text) <= verifyHead+verifyTail {
		return text
	}
	head, tail := text[:verifyHead], text[len(text)-verifyTail:]
	left := len(text) - len(head) - len(tail)
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[... %d bytes left out ...]\n", left) + strings.ToValidUTF8(tail, "")
}

// ranBefore is what Piton has run for these files on this very tree; nothing is
// run now.
func (h *handler) ranBefore(ctx context.Context, root string, list []debrief.Verify, files []string) []agent.Verified {
	if len(list) == 0 {
		return nil
	}
	y := verification{h, root, nil}
	tree := y.tree(ctx)
	var known []agent.Verified
	for _, v := range list {
		if x, ok := y.known(ctx, tree, v); ok && v.Applies(files) {
			known = append(known, x)
		}
	}
	return known
}
