package turn

import (
	"context"
	"errors"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// Recorded is all that the rules know of a turn, so that it can be kept and
// looked at again. Its secrets are taken out.
type Recorded struct {
	Session   string           `json:"session,omitempty"`
	Agent     string           `json:"agent,omitempty"`
	Turn      int              `json:"turn"`
	Root      string           `json:"root"`
	At        piton.Time       `json:"at"`         // the turn's end, or when it was recorded
	ElapsedMS int64            `json:"elapsed_ms"` // the work of the whole turn
	Files     []RecordedFile   `json:"files"`
	Calls     []RecordedCall   `json:"calls"`
	CallsSeen bool             `json:"calls_seen"`
	Partial   bool             `json:"partial,omitempty"`
	Tests     []RecordedTest   `json:"tests"`
	Doubts    []RecordedDoubt  `json:"doubts,omitempty"`
	Verified  []agent.Verified `json:"verified,omitempty"` // what was run on this very tree before
	Others    []string         `json:"others,omitempty"`
	Item      string           `json:"item,omitempty"`
	Planned   []string         `json:"planned,omitempty"`
	// Links are the paths of calls that lead elsewhere through symbolic links, and
	// where they lead.
	Links    map[string]string `json:"links,omitempty"`
	GitError string            `json:"git_error,omitempty"`
}

// RecordedFile is a debrief.File.
type RecordedFile struct {
	Path      string    `json:"path"`
	Created   bool      `json:"created,omitempty"`
	Deleted   bool      `json:"deleted,omitempty"`
	Committed bool      `json:"committed,omitempty"`
	ModTime   time.Time `json:"mod_time,omitzero"`
}

// RecordedTest is a debrief.Test.
type RecordedTest struct {
	Run       string   `json:"run"`
	Matches   []string `json:"matches,omitempty"`
	Ecosystem string   `json:"ecosystem,omitempty"`
	Dir       string   `json:"dir,omitempty"`
}

// RecordedDoubt is a debrief.Doubt.
type RecordedDoubt struct {
	Run   string `json:"run"`
	Dir   string `json:"dir,omitempty"`
	Why   string `json:"why"`
	Never bool   `json:"never,omitempty"`
}

// RecordedCall is a piton.Call.
type RecordedCall struct {
	ID          string         `json:"id,omitempty"`
	Tool        string         `json:"tool,omitempty"`
	Kind        agent.CallKind `json:"kind"`
	Command     string         `json:"command,omitempty"`
	Dir         string         `json:"dir,omitempty"`
	Paths       []string       `json:"paths,omitempty"`
	Created     bool           `json:"created,omitempty"`
	Background  bool           `json:"background,omitempty"`
	StartedAt   time.Time      `json:"started_at,omitzero"`
	EndedAt     time.Time      `json:"ended_at,omitzero"`
	Failed      bool           `json:"failed,omitempty"`
	ExitCode    *int           `json:"exit_code,omitempty"`
	Interrupted bool           `json:"interrupted,omitempty"`
	Output      string         `json:"output,omitempty"`
	Subagent    string         `json:"subagent,omitempty"`
}

// Replay reads a session's newest turn again: its calls from the transcript,
// its files from git, as they are now. Nothing is written.
func (t Turns) Replay(ctx context.Context, session string) (Recorded, error) {
	h := t.handler(agent.Event{})
	if err := h.open(ctx); err != nil {
		return Recorded{}, err
	}
	s, err := h.store.Session(ctx, session)
	if err != nil {
		return Recorded{}, err
	}
	turn, err := h.store.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		return Recorded{}, err
	}
	at := ended(s, turn, h.at)
	f := h.gather(ctx, s, turn, h.status(ctx, s.Root))
	s.IdleMS += f.script.Idle.Milliseconds()
	set := h.inForce(s.Root, f)
	in := h.input(ctx, s, set, turn, f, at)
	files := owned(debrief.Look(in).Files)
	x := Recorded{
		Session: s.ID, Agent: s.Agent, Turn: s.Turn, Root: s.Root, At: at, ElapsedMS: s.Worked(at.Time).Milliseconds(),
		Files: []RecordedFile{}, Calls: []RecordedCall{}, Tests: []RecordedTest{}, Verified: h.ranBefore(ctx, s.Root, set.Verify, files), Links: f.links.found,
		CallsSeen: in.CallsSeen, Partial: in.Partial, Others: in.Others, Item: in.Item, Planned: in.Planned,
	}
	if f.gitErr != nil {
		x.GitError = cause(f.gitErr)
	}
	for _, c := range in.Files {
		x.Files = append(x.Files, RecordedFile{c.Path, c.Created, c.Deleted, c.Committed, c.ModTime})
	}
	for _, c := range in.Calls {
		c.Output = cleaned(c.Output)
		x.Calls = append(x.Calls, RecordedCall(c))
	}
	for _, c := range f.tests {
		x.Tests = append(x.Tests, RecordedTest{c.Run, c.Matches, c.Ecosystem, c.Dir})
	}
	for _, d := range f.doubts {
		x.Doubts = append(x.Doubts, RecordedDoubt(d))
	}
	return x, nil
}

// Input is the turn as the rules see it, with the rules of the settings.
func (x Recorded) Input(set debrief.Settings) debrief.Input {
	in := debrief.Input{
		Root: x.Root, CallsSeen: x.CallsSeen, Partial: x.Partial, Others: x.Others, Elapsed: time.Duration(x.ElapsedMS) * time.Millisecond,
		Rules: set.InForce(), Resolve: x.resolve, LogCheck: set.LogCheck, Untrusted: set.LogCheckUntrusted, Besides: set.Besides, Item: x.Item, Planned: x.Planned, Verified: x.Verified, Report: true,
	}
	for _, f := range x.Files {
		in.Files = append(in.Files, debrief.File{Path: f.Path, Created: f.Created, Deleted: f.Deleted, Committed: f.Committed, ModTime: f.ModTime})
	}
	for _, c := range x.Calls {
		in.Calls = append(in.Calls, agent.Call(c))
	}
	for _, d := range x.Doubts {
		in.Doubts = append(in.Doubts, debrief.Doubt(d))
	}
	var found []debrief.Test
	for _, c := range x.Tests {
		found = append(found, debrief.Test{Run: c.Run, Matches: c.Matches, Ecosystem: c.Ecosystem, Dir: c.Dir})
	}
	in.Tests = set.TestCommands(found)
	return in
}

// resolve is where a path led to when the turn was recorded.
func (x Recorded) resolve(path string) string {
	if real, ok := x.Links[path]; ok {
		return real
	}
	return path
}

// Decide is what the settings would make of the turn: the first stop of its
// prompt, as a hook would decide it.
func (x Recorded) Decide(set debrief.Settings) (agent.Decision, debrief.Result) {
	r := debrief.Look(x.Input(set))
	set.Mode = set.ModeOf(x.Agent)
	begin := piton.At(x.At.Add(-time.Duration(x.ElapsedMS) * time.Millisecond))
	var f found
	if x.GitError != "" {
		f.gitErr = errors.New(x.GitError)
	}
	if !x.CallsSeen {
		f.scriptErr = errors.New("the transcript was not read")
	}
	f.script.Complete, f.verified = !x.Partial, x.Verified
	for _, c := range x.Calls {
		f.script.Calls = append(f.script.Calls, agent.Call(c))
	}
	s := agent.Session{ID: x.Session, Agent: x.Agent, Turn: x.Turn, TurnOpen: true, Root: x.Root, LastMessageAt: begin, FirstToolUseAt: begin}
	return decide(situation{session: s, settings: set, found: f, result: r, at: x.At}), r
}
