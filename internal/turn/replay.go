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
	Files     []debrief.File   `json:"files"`
	Calls     []agent.Call     `json:"calls"`
	CallsSeen bool             `json:"calls_seen"`
	Partial   bool             `json:"partial,omitempty"`
	Tests     []debrief.Test   `json:"tests"`
	Doubts    []debrief.Doubt  `json:"doubts,omitempty"`
	Verified  []agent.Verified `json:"verified,omitempty"` // what was run on this very tree before
	Others    []string         `json:"others,omitempty"`
	Item      string           `json:"item,omitempty"`
	Planned   []string         `json:"planned,omitempty"`
	// Links are the paths of calls that lead elsewhere through symbolic links, and
	// where they lead.
	Links    map[string]string `json:"links,omitempty"`
	GitError string            `json:"git_error,omitempty"`
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
	set := h.inForce(s, f)
	in := h.input(ctx, s, set, turn, f, at)
	files := owned(debrief.Look(in).Files)
	x := Recorded{
		Session: s.ID, Agent: s.Agent, Turn: s.Turn, Root: s.Root, At: at, ElapsedMS: s.Worked(at.Time).Milliseconds(),
		Files: append([]debrief.File{}, in.Files...), Calls: append([]agent.Call{}, in.Calls...), Tests: append([]debrief.Test{}, f.tests...), Doubts: f.doubts,
		Verified: h.ranBefore(ctx, s.Root, set.Verify, files), Links: f.links.found,
		CallsSeen: in.CallsSeen, Partial: in.Partial, Others: in.Others, Item: in.Item, Planned: in.Planned,
	}
	for i := range x.Calls {
		x.Calls[i].Output = cleaned(x.Calls[i].Output)
	}
	if f.gitErr != nil {
		x.GitError = cause(f.gitErr)
	}
	return x, nil
}

// Input is the turn as the rules see it, with the rules of the settings.
func (x Recorded) Input(set debrief.Settings) debrief.Input {
	return debrief.Input{
		Root: x.Root, Files: x.Files, Calls: x.Calls, CallsSeen: x.CallsSeen, Partial: x.Partial, Others: x.Others, Elapsed: time.Duration(x.ElapsedMS) * time.Millisecond,
		Rules: set.InForce(), Tests: set.TestCommands(x.Tests), Doubts: x.Doubts, Resolve: x.resolve, LogCheck: set.LogCheck, Untrusted: set.LogCheckUntrusted,
		Besides: set.Besides, Item: x.Item, Planned: x.Planned, Verified: x.Verified, Report: true,
	}
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
	f.script.Calls, f.script.Complete, f.verified = x.Calls, !x.Partial, x.Verified
	s := agent.Session{ID: x.Session, Agent: x.Agent, Turn: x.Turn, TurnOpen: true, Root: x.Root, LastMessageAt: begin, FirstToolUseAt: begin}
	return decide(situation{session: s, settings: set, found: f, result: r, generic: debrief.GenericWith(""), at: x.At}), r
}
