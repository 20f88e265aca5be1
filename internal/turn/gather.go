package turn

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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
	f := script()
	f.changes, f.gitErr = changes, err
	f.was = h.asItWas(ctx, s.Root, base, changes.Files)
	f.tests, f.doubts = testCommands(atRoot, s.Root, changes.Files, f.was)
	return f
}

func (h *handler) transcript(s agent.Session, turn agent.Turn) (agent.Transcript, error) {
	if s.Transcript == "" {
		return agent.Transcript{}, piton.Errorf(piton.NotFound, "read the transcript", "", "the client named none")
	}
	x, err := h.Client.Transcript(s.Transcript, turn.StartedAt.Time)
	// What is quoted later may be cut first, and half a secret is not known as
	// one: they are taken out here. Of the outputs only the few that the rules
	// look at are cleaned, and those by them (see cleaned).
	for i := range x.Calls {
		x.Calls[i].Command = cleaned(x.Calls[i].Command)
	}
	x.ClientVersion = cut(x.ClientVersion, maxVersion)
	return x, err
}

// gitStatus is git's answer about a folder, or why there is none.
type gitStatus struct {
	dir string
	git.Status
	err error
}

// status asks git in the background.
func (h *handler) status(ctx context.Context, dir string) func() gitStatus {
	return soon(func() gitStatus {
		if dir == "" {
			return gitStatus{err: git.ErrNoRepo}
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		st, err := (git.Repo{Dir: dir}).Status(ctx)
		return gitStatus{dir, st, err}
	})
}

// baseline is what is dirty in a work tree now; nil where that cannot be told.
func (h *handler) baseline(ctx context.Context, dir string) []byte {
	if dir == "" {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	base, err := (git.Repo{Dir: dir}).Baseline(bounded)
	if err != nil {
		if ctx.Err() == nil { // else the turn was open already, and nobody waits for it
			h.log().InfoContext(ctx, "no baseline", "err", err)
		}
		return nil
	}
	// Files whose names hold secrets are left out; they count as changed, if they
	// are at the turn's end.
	base.Branch, _ = redact.Known(base.Branch)
	maps.DeleteFunc(base.Files, func(name string, _ git.Print) bool { return cleaned(name) != name })
	b, err := json.Marshal(base)
	if err != nil {
		return nil
	}
	return b
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
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	changes, err := (git.Repo{Dir: dir}).Compare(ctx, st.Status, base)
	return changes, base, err
}

// asItWas are the settings and the definitions of tests that the turn changed, as
// they were in the commit it began at. It asks git only where there are any.
func (h *handler) asItWas(ctx context.Context, root string, base *git.Baseline, changed []git.File) map[string]*string {
	var paths []string
	for _, f := range changed {
		if f.Path == settingsFile || project.Defines(f.Path) {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	commit := ""
	if base != nil {
		commit = base.Head
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	was, err := (git.Repo{Dir: root}).Before(ctx, commit, paths)
	if err != nil {
		h.log().WarnContext(ctx, "the definitions before the turn cannot be read", "err", err)
	}
	return was
}

// testCommands finds the project's test commands, at its root and above the
// changed files, and what speaks against some.
func testCommands(at func() *project.Tests, root string, changed []git.File, was map[string]*string) ([]debrief.Test, []debrief.Doubt) {
	if len(changed) == 0 {
		return nil, nil
	}
	paths := make([]string, len(changed))
	for i, f := range changed {
		paths[i] = f.Path
	}
	now := at()
	found, doubted := now.Commands(paths...), now.Doubts(paths...)
	if len(was) > 0 {
		found, doubted = now.Since(project.Before(root, was), was, paths...)
	}
	var list []debrief.Test
	for _, c := range found {
		list = append(list, debrief.Test{Run: c.Run, Matches: c.Matches, Ecosystem: c.Ecosystem, Dir: c.Dir})
	}
	var doubts []debrief.Doubt
	for _, d := range doubted {
		doubts = append(doubts, debrief.Doubt(d))
	}
	return list, doubts
}

// A client writes its log late: Claude Code up to 0.1 s, while the stop hook
// already runs (measured: 1 to 73 ms). Where the last event is older than lately,
// and each call in the log has its result, the log is complete.
const (
	lately      = time.Second
	settleFor   = time.Second
	settleEvery = 10 * time.Millisecond
)

// settle reads the transcript again until the agent's last words are in it, so
// that the calls before them are too; before is the session's last event. Without
// it a quick turn would look as if it had changed, or verified, nothing.
func (h *handler) settle(ctx context.Context, s agent.Session, before piton.Time, turn agent.Turn, f found) found {
	e := h.event
	quick := h.at.Sub(before.Time) <= lately
	if e.LastOutput == "" || s.Transcript == "" || !quick && !slices.ContainsFunc(f.script.Calls, unfinished) {
		return f
	}
	// Where one reading takes long there is no second one: no file may make a stop
	// hang.
	for end := time.Now().Add(settleFor); time.Now().Before(end) && lags(e, s, turn, f); {
		select {
		case <-ctx.Done():
			return f
		case <-time.After(settleEvery):
		}
		f.script, f.scriptErr = h.transcript(s, turn)
		f.read = debrief.Read(s.Root, f.script.Calls, f.links.resolve)
	}
	return f
}

// lags reports whether the agent's last words are missing in the transcript. The
// same words from before the last hold or stop do not count.
func lags(e agent.Event, s agent.Session, turn agent.Turn, f found) bool {
	if cutOff(s, f.script) {
		return false // what a person has cut off is never written
	}
	at := f.script.LastOutputAt
	return f.scriptErr != nil || !endsWith(e.LastOutput, f.script.LastOutput) ||
		!at.After(s.LastCheckpoint.Time) || !at.After(turn.EndedAt.Time)
}

// endsWith reports whether a text ends with other words, whatever the white space
// between and around them: Gemini CLI hands a hook all that was said in a turn,
// with a space between any two pieces in which it came. Empty words never match.
func endsWith(text, words string) bool {
	found := false
	for {
		text, words = strings.TrimRightFunc(text, unicode.IsSpace), strings.TrimRightFunc(words, unicode.IsSpace)
		if words == "" {
			return found
		}
		last, n := utf8.DecodeLastRuneInString(words)
		if r, m := utf8.DecodeLastRuneInString(text); r == last && m == n {
			text, words, found = text[:len(text)-m], words[:len(words)-n], true
			continue
		}
		return false
	}
}

// unfinished reports whether a call has no result and should have one at a stop.
// No event reports a command that fails, so it may have ended just now.
func unfinished(c agent.Call) bool {
	return c.EndedAt.IsZero() && !c.Background && c.Subagent == ""
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
		Root: s.Root, Calls: f.script.Calls, CallsSeen: f.scriptErr == nil, Partial: !f.script.Complete, Read: f.read, Clean: cleaned, Resolve: f.links.resolve,
		Rules: set.InForce(), Tests: set.TestCommands(f.tests), Doubts: f.doubts, Exit: h.markers(s.ID)[0],
		Elapsed: s.Elapsed(set.Timer, at.Time), LogCheck: set.LogCheck, Untrusted: set.LogCheckUntrusted, Besides: set.Besides,
		Others: h.others(ctx, s, turn, f),
	}
	if len(f.changes.Files) > 0 {
		in.Item, in.Planned = item(s.Root, set.WorkItem, f.changes.Branch)
	}
	for _, c := range f.changes.Files {
		created := c.Untracked || strings.HasPrefix(c.Code, "A") || c.Deleted && c.Code == "" && !c.Committed
		in.Files = append(in.Files, debrief.File{Path: c.Path, Created: created, Deleted: c.Deleted, ModTime: c.ModTime, Committed: c.Committed})
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
		if !known || x.ID == s.ID || x.Root != us.Root || x.Transcript == "" || x.Transcript == us.Transcript || x.SeenAt.Before(turn.StartedAt.Time) || read == maxRead {
			continue
		}
		read++
		script, err := c.Transcript(x.Transcript, turn.StartedAt.Time)
		if err != nil {
			h.log().InfoContext(ctx, "another session's transcript was not read", "session", x.ID, "err", err)
			continue
		}
		paths = append(paths, debrief.Read(s.Root, script.Calls, f.links.resolve).Edits()...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
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
