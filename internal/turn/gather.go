package turn

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// gather asks git and the transcript about the session's turn, both at once. also
// are calls that may not be in the transcript yet.
func (h *handler) gather(ctx context.Context, s agent.Session, turn agent.Turn, status func() gitStatus, also ...agent.Call) found {
	atRoot := func() *project.Tests { return project.AtRoot(s.Root) }
	script := soon(func() found {
		f := found{links: newLinks()}
		f.script, f.scriptErr = h.transcript(s, turn)
		f.script.Calls = append(f.script.Calls, also...)
		f.read = debrief.Read(s.Root, f.script.Calls, f.links.resolve)
		if slices.ContainsFunc(f.script.Calls, func(c agent.Call) bool { return c.Kind == agent.CallEdit || c.Kind == agent.CallShell }) {
			atRoot = soon(atRoot) // files will have changed
		}
		return f
	})
	changes, base, err := h.changes(ctx, s.Root, turn, status)
	if errors.Is(err, git.ErrTimeout) {
		h.log().WarnContext(ctx, "git took too long; the work tree was not looked at", "session", s.ID, "err", err)
	}
	f := script()
	f.changes, f.gitErr = changes, err
	if base != nil {
		f.base, f.dirty = base.Head, map[string]bool{}
		for path := range base.Files {
			f.dirty[path] = true
		}
	}
	f.was = h.asItWas(ctx, s.Root, base, changes.Files)
	f.facts(atRoot, s)
	f.thinned = thinned(s.Root, changes.Files, f.was)
	return f
}

func (h *handler) transcript(s agent.Session, turn agent.Turn) (agent.Transcript, error) {
	if s.Transcript == "" {
		return agent.Transcript{}, piton.Errorf(piton.NotFound, "read the transcript", "", "the client named none")
	}
	x, err := h.Client.Transcript(s.Transcript, turn.StartedAt.Time, 0)
	// What is quoted later may be cut first, and half a secret is not known as
	// one: they are taken out here. Of the outputs only the few that the rules
	// look at are cleaned, and those by them (see cleaned).
	for i := range x.Calls {
		x.Calls[i].Command = cleaned(x.Calls[i].Command)
	}
	x.ClientVersion = cut(x.ClientVersion, maxVersion)
	if until := x.UnreadUntil; !until.IsZero() && !turn.StartedAt.IsZero() {
		x.Notes, x.Unreadable = append(x.Notes, x.Unreadable), ""
		x.Calls = slices.Insert(x.Calls, 0, agent.Call{Tool: unreadPart, Kind: agent.CallOther, StartedAt: turn.StartedAt.Time, EndedAt: until})
	}
	return x, err
}

// unreadPart stands in the calls for the beginning of a turn that is longer than what is
// read of it: like a tool that Piton does not know, it may have changed any file.
const unreadPart = "unknown"

// gitStatus is git's answer about a folder, or why there is none.
type gitStatus struct {
	dir string
	git.Status
	err error
}

// status asks git in the background.
func (h *handler) status(ctx context.Context, dir string) func() gitStatus {
	return atOnce(func() gitStatus {
		if dir == "" {
			return gitStatus{err: git.ErrNoRepo}
		}
		ctx, cancel := h.patient(ctx)
		defer cancel()
		st, err := h.repo(dir).Status(ctx)
		return gitStatus{dir, st, err}
	})
}

// repo is a work tree whose untracked files git lists for half of its time: then it has time for their folders.
func (h *handler) repo(dir string) git.Repo { return git.Repo{Dir: dir, Patience: h.patience() / 2} }

// opening is a work tree when a turn opens: what is dirty in it, and the baseline made of that; nil where that cannot be told.
type opening struct {
	dir      string
	status   *git.Status
	baseline []byte
}

func (h *handler) opening(ctx context.Context, dir string) opening {
	if dir == "" {
		return opening{}
	}
	bounded, cancel := h.patient(ctx)
	defer cancel()
	asked := time.Now() // before git looks: a commit made meanwhile belongs to the turn
	st, err := h.repo(dir).Status(bounded)
	var base git.Baseline
	if err == nil {
		base, err = h.repo(dir).BaselineOf(bounded, st, asked)
	}
	if err != nil {
		if ctx.Err() == nil { // else the turn was open already, and nobody waits for it
			h.log().InfoContext(ctx, "no baseline", "err", err)
		}
		return opening{dir: dir}
	}
	// Files whose names hold secrets are left out; they count as changed, if they
	// are at the turn's end.
	base.Branch, _ = redact.Known(base.Branch)
	maps.DeleteFunc(base.Files, func(name string, _ git.Print) bool { return cleaned(name) != name })
	b, err := json.Marshal(base)
	if err != nil {
		return opening{dir: dir}
	}
	return opening{dir, &st, b}
}

// changes compares git's answer with the turn's baseline, which it returns too.
func (h *handler) changes(ctx context.Context, dir string, turn agent.Turn, status func() gitStatus) (git.Changes, *git.Baseline, error) {
	st := status()
	if st.dir != dir && dir != "" {
		st = h.status(ctx, dir)() // the client is in another work tree than the session
	}
	if st.err != nil {
		return git.Changes{}, nil, st.err
	}
	var base *git.Baseline
	if len(turn.Baseline) > 0 {
		base = new(git.Baseline)
		if err := json.Unmarshal(turn.Baseline, base); err != nil {
			h.log().WarnContext(ctx, "the baseline cannot be read", "err", err)
			base = nil
		}
	}
	ctx, cancel := h.patient(ctx)
	defer cancel()
	changes, err := (git.Repo{Dir: dir}).Compare(ctx, st.Status, base)
	return changes, base, err
}

// asItWas are the settings, the definitions of tests and the test files that the
// turn changed, as they were in the commit it began at. It asks git only where there are any.
func (h *handler) asItWas(ctx context.Context, root string, base *git.Baseline, changed []git.File) map[string]*string {
	commit := ""
	if base != nil {
		commit = base.Head
	}
	ctx, cancel := h.patient(ctx)
	defer cancel()
	was, err := asCommitted(ctx, root, commit, changed)
	if err != nil {
		h.log().WarnContext(ctx, "the definitions before the turn cannot be read", "err", err)
	}
	return was
}

// facts finds what the tree tells of the changed files and of those that the work
// before left open: where they live, how their tests are run, and what reads commands
// through the project's own targets.
func (f *found) facts(at func() *project.Tests, s agent.Session) {
	var paths []string
	for _, c := range f.changes.Files {
		paths = append(paths, c.Path)
	}
	open := needsIn(s, s.Root)
	for _, n := range open {
		for _, path := range n.Files {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		return
	}
	now := at()
	list, doubted := now.Commands(paths...), now.Doubts(paths...)
	defined := definitions(f.was)
	if lost := lostTests(f.changes.Files, f.was); len(lost) > 0 || len(defined) > 0 {
		maps.Copy(lost, defined)
		list, doubted = now.Since(project.Before(s.Root, lost), defined, paths...)
	}
	f.tests, f.doubts, f.declared, f.left = nil, nil, nil, nil
	for _, c := range list {
		f.tests = append(f.tests, debrief.Test{Run: c.Run, Matches: c.Matches, Ecosystem: c.Ecosystem, Dir: c.Dir})
	}
	for _, c := range now.Declared(paths...) {
		f.declared = append(f.declared, debrief.Test{Run: c.Run, Ecosystem: c.Ecosystem, Dir: c.Dir})
	}
	f.doubts = doubted
	f.homes, f.runs = now.Homes(paths), &expander{tests: now}
	for _, n := range open {
		for _, path := range n.Files {
			if there(filepath.Join(s.Root, path)) {
				f.left = append(f.left, debrief.Left{File: debrief.File{Path: path, Home: homeOf(f.homes, path)}, Need: n})
			}
		}
	}
}

// inForce are the settings that a turn is judged by, with the session's own mode.
func (h *handler) inForce(s agent.Session, f found) debrief.Settings {
	var set debrief.Settings
	if was, changed := f.was[settingsFile]; changed && h.Changed != nil {
		set = h.Changed(s.Root, was)
	} else {
		set = h.settings(s.Root)
	}
	set.Mode = set.ModeOf(s.Agent)
	return set
}

// input is what the rules are asked about.
func (h *handler) input(ctx context.Context, s agent.Session, set debrief.Settings, turn agent.Turn, f found, at piton.Time) debrief.Input {
	in := debrief.Input{
		Root: s.Root, Calls: f.script.Calls, CallsSeen: f.callsSeen(s), Earlier: s.SeenAll, Partial: !f.script.Complete, Read: f.read, Clean: cleaned, Resolve: f.links.resolve, Expand: f.runs.expand, Service: f.runs.service,
		Rules: set.InForce(), Tests: set.TestCommands(f.tests), Doubts: f.doubts,
		Elapsed: s.Elapsed(set.Timer, at.Time), LogCheck: set.LogCheck, Untrusted: set.LogCheckUntrusted,
		Others: h.others(ctx, s, turn, f), Prompts: prompts(s, f.script), Words: words(f.script, h.event.LastOutput, at.Time),
		Same: h.same(ctx, s.Root, f), Importers: f.runs.importers, Narrow: f.runs.narrow, Declared: f.declared, Left: f.left,
		NoShell: slices.Contains(h.event.Gate, agent.GateNoShell), CheckedAfter: slices.Contains(h.event.Gate, agent.GateChecked),
	}
	if len(f.changes.Files) > 0 {
		in.Item, in.Planned = item(s.Root, set.WorkItem, f.changes.Branch)
	}
	for _, c := range f.changes.Files {
		if s.Seen.Has(c.Path) {
			in.Known = append(in.Known, c.Path)
		}
		in.Files = append(in.Files, debrief.File{Path: c.Path, Created: isNew(c), Deleted: c.Deleted, ModTime: c.ModTime, Committed: c.Committed, Home: homeOf(f.homes, c.Path), Thin: f.thinned[c.Path].Thin})
	}
	return in
}

// Bounds of looking at others' sessions.
const (
	maxOthers = 50 // sessions of the project
	maxRead   = 4  // transcripts
)

// others are the files that the calls of other sessions name as edited, where
// several work in one work tree: then a file that only changed during one of our
// calls is theirs. Nothing is read where our own calls name all that has changed,
// or where nobody else was active in this turn.
func (h *handler) others(ctx context.Context, s agent.Session, turn agent.Turn, f found) []string {
	if s.Root == "" || s.Project == "" || turn.StartedAt.IsZero() {
		return nil
	}
	own := f.links.edited(s.Root, f.script.Calls)
	if !slices.ContainsFunc(f.changes.Files, func(c git.File) bool { return !slices.Contains(own, c.Path) }) {
		return nil
	}
	all, err := h.store.Sessions(ctx, store.SessionQuery{Project: s.Project, Limit: maxOthers})
	if err != nil {
		h.log().WarnContext(ctx, "other sessions were not looked at", "session", s.ID, "err", err)
		return nil
	}
	var paths []string
	read := 0
	us := redact.Value(s).Get() // as the rows have it
	for _, x := range all {
		c, known := clients.ByName(x.Agent)
		if x.Agent == h.Client.Name() {
			c, known = h.Client, true
		}
		if read == maxRead {
			break
		}
		atWork := x.Root == us.Root && !x.SeenAt.Before(turn.StartedAt.Time)
		another := x.ID != s.ID && x.Transcript != us.Transcript && x.Transcript != ""
		if !known || !atWork || !another {
			continue
		}
		read++
		script, err := c.Transcript(x.Transcript, turn.StartedAt.Time, 0)
		if err != nil {
			h.log().InfoContext(ctx, "another session's transcript was not read", "session", x.ID, "err", err)
			continue
		}
		paths = append(paths, debrief.Read(s.Root, script.Calls, f.links.resolve).Edits()...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// atOnce is soon of what takes longest: fn begins before the caller goes on. Else its
// goroutine waits for another thread, in which git could have been started.
func atOnce[T any](fn func() T) func() T {
	answer := soon(fn)
	runtime.Gosched()
	return answer
}

// soon starts fn and returns a function that waits for its answer. A panic in fn
// is raised again there: in a goroutine of its own it would end the program with a
// status and words that hold the agent.
func soon[T any](fn func() T) func() T {
	var v T
	var slip any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { slip = recover() }()
		v = fn()
	}()
	return func() T {
		if <-done; slip != nil {
			panic(slip)
		}
		return v
	}
}

// prompts are what the person said in the turn, as far as it is known.
func prompts(s agent.Session, script agent.Transcript) (all []string) {
	for _, p := range []string{s.LastMessage, script.LastPrompt} {
		if p != "" && !agent.Injected(p) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// words are what the agent said in its turn. The last may have come with the event
// only: a client may write its log late.
func words(script agent.Transcript, last string, at time.Time) []agent.Words {
	all := slices.Clip(script.Words)
	if last != "" && last != script.LastOutput {
		all = append(all, agent.Words{Text: last, At: at})
	}
	return all
}
