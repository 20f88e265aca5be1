package turn

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
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

// verification runs commands in a work tree.
type verification struct {
	*handler
	root  string
	calls []agent.Call // the turn's
	base  string       // the commit whose tree the turn found; "" where that had changes, or is not known

	changed bool // the tree had changes when the turn began

	deadline time.Time // of all commands, and of what follows from them
	hurried  bool      // it is the client's, which ends the hook then
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

// key names a command on a tree. The same commit elsewhere may have other
// ignored files beside it.
func key(root, tree string, v debrief.Verify) string {
	h := sha256.New()
	fmt.Fprintf(h, "1\x00%s\x00%s\x00%s\x00%d", root, tree, v.Run, v.Limit())
	return hex.EncodeToString(h.Sum(nil))
}

// one runs a command in a folder.
func (y verification) one(ctx context.Context, dir string, v debrief.Verify) (agent.Verified, error) {
	limit := min(v.Limit(), time.Until(y.deadline))
	if limit <= 0 {
		return agent.Verified{Command: cleaned(v.Run), ExitCode: -1, At: y.now(), Unsure: "no time was left to run it"}, nil
	}
	out, err := RunTests(ctx, dir, v.Run, limit)
	out.At = y.now()
	if out.TimedOut && y.hurried && limit < v.Limit() {
		out.Unsure = "the client gives the hook no more time; 'piton init' asks it for more"
	}
	return out, err
}

// RunTests runs a command of tests in a folder: in a session and group of its own, with
// nothing on stdin and no terminal. What it leaves running is killed.
func RunTests(ctx context.Context, dir, command string, limit time.Duration) (agent.Verified, error) {
	began := time.Now()
	out := agent.Verified{Command: cleaned(command)}
	r, err := proc.Run(ctx, proc.Command{
		Argv: []string{"sh", "-c", command}, Dir: dir, Timeout: limit, MaxOutput: verifyRead, Ends: true, Joined: true,
		Alone: true, Mark: verifying + "=" + rand.Text(),
	})
	if err != nil {
		return out, err
	}
	out.OK, out.ExitCode, out.TimedOut = r.Code == 0 && !r.TimedOut, r.Code, r.TimedOut
	out.TookMS, out.Output = time.Since(began).Milliseconds(), said(r.Stdout)
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
