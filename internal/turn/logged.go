package turn

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
)

// Log is a session of which there is a client's log and no more: none of its
// hooks was seen.
type Log struct {
	Client client.Client
	Path   string
	Tree   string // the work tree as it is, wherever it lies now; empty: there is none
}

// Logged is a turn as a log tells it. Its files are those that its calls name,
// with the times of those calls.
type Logged struct {
	Recorded
	Prompt   string
	PromptAt time.Time
	Stopped  bool // it came to a stop; a person or a failed request broke the others off
}

// maxPromptShown is how much of a prompt is handed out.
const maxPromptShown = 200

// Each hands the turns of a log to take, in their order, until take or ctx ends
// it. A turn that a person broke off goes on with the next prompt. Nothing is
// written, and nothing of the session is run.
func (l Log) Each(ctx context.Context, take func(Logged) error) error {
	prompts, err := l.asked()
	r := replayer{Log: l, seenAll: true}
	since := time.Time{}
	for i, p := range prompts {
		if err := ctx.Err(); err != nil {
			return err
		}
		x := r.turn(ctx, i+1, p, since, prompts[i+1:])
		since = x.PromptAt
		if x.Stopped {
			since = time.Time{}
		}
		if err := take(x); err != nil {
			return err
		}
	}
	return err
}

// asked are the prompts with which turns begin.
func (l Log) asked() ([]client.Prompt, error) {
	all, _, err := l.Client.Prompts(l.Path)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(p client.Prompt) bool { return p.Within }), nil
}

// read reads the turn of a prompt, which began at since: zero for at the prompt. stopped: it
// came to a stop; a person or a failed request broke the others off.
func (l Log) read(since time.Time, later []client.Prompt) (script agent.Transcript, stopped bool, err error) {
	end := int64(0)
	if len(later) > 0 {
		end = later[0].Offset
	}
	script, err = l.Client.Transcript(l.Path, since, end)
	script.Calls = before(script.Calls, later)
	return script, script.Broke == (agent.Break{}) && !cutOff(agent.Session{}, script), err
}

// Since reads all that was done since a time as one turn: the work of an agent's
// step, over all of its prompts. An error is a log that cannot be read.
func (l Log) Since(ctx context.Context, since time.Time) (Recorded, error) {
	if _, err := l.Client.Transcript(l.Path, since, 0); err != nil {
		return Recorded{}, err
	}
	r := replayer{Log: l}
	return r.turn(ctx, 1, client.Prompt{At: since}, since, nil).Recorded, nil
}

// Between reads the turn that began at a time, up to another one, zero for now, with what the
// person said in it. An error is a log that cannot be read, or that does not have the turn.
func (l Log) Between(ctx context.Context, since, until time.Time) (Logged, []client.Prompt, error) {
	all, whole, err := l.Client.Prompts(l.Path)
	if err != nil {
		return Logged{}, nil, err
	}
	from, behind := lastBy(all, since), len(all)
	if !until.IsZero() {
		behind = lastBy(all, until)
	}
	const late = time.Minute // that a hook comes after the prompt
	if from < 0 || behind <= from || since.Sub(all[from].At) > late {
		return Logged{}, nil, piton.Errorf(piton.NotFound, "read the turn", "", "it does not have this turn")
	}
	r := replayer{Log: l}
	x := r.turn(ctx, 1, all[from], all[from].At, all[behind:])
	x.Partial = x.Partial || !whole
	return x, all[from:behind], ctx.Err()
}

// lastBy is the place of the last prompt that was said by a time, -1 for none. A hook may be
// a little earlier than what the client writes down.
func lastBy(all []client.Prompt, at time.Time) int {
	const apart = 2 * time.Second
	for i := range slices.Backward(all) {
		if all[i].At.Before(at.Add(apart)) {
			return i
		}
	}
	return -1
}

// replayer reads one log.
type replayer struct {
	Log
	root  string         // on the machine of the session
	tests *project.Tests // of the tree

	seen    agent.Seen // what the turns before have shown
	seenAll bool       // that is all
}

// turn reads one turn; since is where it began, if that was at an earlier prompt.
func (r *replayer) turn(ctx context.Context, n int, p client.Prompt, since time.Time, later []client.Prompt) Logged {
	script, stopped, err := r.read(since, later)
	if since.IsZero() {
		since = p.At
	}
	x := Logged{Prompt: cut(cleaned(p.Text), maxPromptShown), PromptAt: since, Stopped: err != nil || stopped}
	if r.root == "" {
		r.root = rootOf(r.Tree, script.Calls)
	}
	root := r.root
	if !slices.ContainsFunc(script.Calls, func(c agent.Call) bool { return touches(root, c) }) {
		if other := rootOf(r.Tree, script.Calls); other != "" {
			root = other // it worked somewhere else
		}
	}
	for i := range script.Calls {
		script.Calls[i].Command = cleaned(script.Calls[i].Command)
	}
	read := debrief.Read(root, script.Calls, nil)
	at := ending(script, since)
	x.Recorded = Recorded{
		Agent: r.Client.Name(), Turn: n, Root: root, At: piton.At(at), ElapsedMS: max(0, at.Sub(since)-script.Idle).Milliseconds(),
		Files: append([]debrief.File{}, read.Written(r.isFile())...), Calls: append([]agent.Call{}, script.Calls...), Tests: []debrief.Test{},
		CallsSeen: err == nil, Partial: err == nil && !script.Complete, Behind: script.Behind,
		Prompts: []string{cut(p.Text, maxMessage)}, Words: cleanWords(script.Words),
	}
	r.ofTree(ctx, &x.Recorded)
	r.remember(&x, read)
	for i := range x.Calls {
		x.Calls[i].Output = cleaned(x.Calls[i].Output)
	}
	return x
}

// remember notes which of the turn's files were seen before it, and what it has
// shown for those after it: what a session's row keeps.
func (r *replayer) remember(x *Logged, read *debrief.Reading) {
	x.Earlier = r.seenAll
	for _, f := range x.Files {
		if r.seen.Has(f.Path) {
			x.Known = append(x.Known, f.Path)
		}
	}
	if !x.Stopped {
		return // the next prompt goes on with it
	}
	shown, whole := read.Seen()
	all, full := r.seen.With(shown)
	whole = whole && !full && x.CallsSeen && !x.Partial
	r.seen, r.seenAll = all, r.seenAll && whole
}

// ofTree adds what the tree tells of the turn's tests, and its last commit of how
// they were: for work that nobody has committed yet.
func (r *replayer) ofTree(ctx context.Context, x *Recorded) {
	if r.Tree == "" || len(x.Files) == 0 {
		return
	}
	if r.tests == nil {
		r.tests = project.AtRoot(r.Tree)
	}
	changed := make([]git.File, len(x.Files))
	for i, f := range x.Files {
		changed[i] = git.File{Path: f.Path, Untracked: f.Created, Deleted: f.Deleted}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	was, err := asCommitted(ctx, r.Tree, "", changed)
	if err != nil {
		was = nil // no repository: nobody knows how the files were
	}
	f := found{changes: git.Changes{Files: changed}, was: was}
	f.facts(func() *project.Tests { return r.tests }, agent.Session{Identity: agent.Identity{Root: r.Tree}})
	x.Tests, x.Doubts, x.Declared, x.live = append(x.Tests, f.tests...), f.doubts, f.declared, f.runs
	thin := thinned(r.Tree, changed, was)
	for i := range x.Files {
		x.Files[i].Home, x.Files[i].Thin = homeOf(f.homes, x.Files[i].Path), thin[x.Files[i].Path].Thin
	}
}

// isFile tells whether a path names a file of the tree; nil where there is none.
// What was removed since has to be known by its name.
func (r *replayer) isFile() func(string) bool {
	if r.Tree == "" {
		return nil
	}
	return func(p string) bool {
		info, err := os.Lstat(filepath.Join(r.Tree, filepath.FromSlash(p)))
		if err != nil {
			return filepath.Ext(p) != ""
		}
		return info.Mode().IsRegular()
	}
}

// before are the calls that began before the next prompt: a subagent's log is
// read to its end.
func before(calls []agent.Call, later []client.Prompt) []agent.Call {
	if len(later) == 0 || later[0].At.IsZero() {
		return calls
	}
	return slices.DeleteFunc(calls, func(c agent.Call) bool { return c.Subagent != "" && c.StartedAt.After(later[0].At) })
}

// ending is when a turn ended, as far as its log tells.
func ending(x agent.Transcript, since time.Time) time.Time {
	at := since
	later := func(t time.Time) {
		if t.After(at) {
			at = t
		}
	}
	later(x.LastOutputAt)
	for _, c := range x.Calls {
		later(c.StartedAt)
		if !c.Background {
			later(c.EndedAt)
		}
	}
	return at
}
