package turn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
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
	Known     []string         `json:"known,omitempty"`   // changed files that earlier turns have seen
	Earlier   bool             `json:"earlier,omitempty"` // Known says all that earlier turns have seen
	// Links are the paths of calls that lead elsewhere through symbolic links, and
	// where they lead.
	Links    map[string]string `json:"links,omitempty"`
	Runs     []Expanded        `json:"runs,omitempty"`     // what commands of the calls came to, through the project's own targets
	Services []Serviced        `json:"services,omitempty"` // what compose files said of the services that calls name
	GitError string            `json:"git_error,omitempty"`
	// Prompts and Words are what the person said, and the agent's last words.
	Prompts  []string       `json:"prompts,omitempty"`
	Words    []agent.Words  `json:"words,omitempty"`
	Declared []debrief.Test `json:"declared,omitempty"` // type checks and builds that projects without tests declare
	Same     []string       `json:"same,omitempty"`     // files that differ in nothing that a test would notice
	Imports  []Imported     `json:"imports,omitempty"`  // which test files import others
	Narrowed []Narrowed     `json:"narrowed,omitempty"` // what test commands come to for some files only
	Left     []debrief.Left `json:"left,omitempty"`     // what the work before left open
	// Behind is what went on in the background when a turn of a log ended.
	Behind []agent.Background `json:"behind,omitempty"`

	live *expander // reads the tree, where it is at hand
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
		Verified: h.ranBefore(ctx, s.Root, set.Verify, files), Links: f.links.found, Runs: f.runs.answers(), Services: f.runs.said(),
		CallsSeen: in.CallsSeen, Partial: in.Partial, Others: in.Others, Item: in.Item, Planned: in.Planned, Known: in.Known, Earlier: in.Earlier,
		Prompts: cleanList(in.Prompts), Words: cleanWords(in.Words), Declared: in.Declared, Left: in.Left, Imports: f.runs.imported(), Narrowed: f.runs.narrowings(),
	}
	for _, c := range in.Files {
		if in.Same != nil && in.Same(c.Path) {
			x.Same = append(x.Same, c.Path)
		}
	}
	for i := range x.Calls {
		x.Calls[i].Output = cleaned(x.Calls[i].Output)
	}
	if f.gitErr != nil {
		x.GitError = history.Cause(f.gitErr)
	}
	return x, nil
}

// Input is the turn as the rules see it, with the rules of the settings.
func (x Recorded) Input(set debrief.Settings) debrief.Input {
	return debrief.Input{
		Root: x.Root, Files: x.Files, Calls: x.Calls, CallsSeen: x.CallsSeen, Partial: x.Partial, Others: x.Others, Elapsed: time.Duration(x.ElapsedMS) * time.Millisecond,
		Rules: set.InForce(), Tests: set.TestCommands(x.Tests), Doubts: x.Doubts, Resolve: x.resolve, Expand: x.expand, Service: x.service, LogCheck: set.LogCheck, Untrusted: set.LogCheckUntrusted,
		Item: x.Item, Planned: x.Planned, Verified: x.Verified, Known: x.Known, Earlier: x.Earlier, Report: true,
		Prompts: x.Prompts, Words: x.Words, Declared: x.Declared, Left: x.Left, Importers: x.importers, Narrow: x.narrow,
		Same: func(path string) bool { return slices.Contains(x.Same, path) },
	}
}

// resolve is where a path led to when the turn was recorded.
func (x Recorded) resolve(path string) string {
	if real, ok := x.Links[path]; ok {
		return real
	}
	return path
}

// expand is what a command came to when the turn was recorded; nothing where
// nothing was recorded of it, as in turns of older versions.
func (x Recorded) expand(dir string, words []string) ([]debrief.Run, bool) {
	if runs, read, known := answered(x.Runs, dir, words); known {
		return runs, read
	}
	return x.live.expand(dir, words)
}

// importers are the test files that imported a file when the turn was recorded.
func (x Recorded) importers(path string) []string {
	if tests, known := importing(x.Imports, path); known {
		return tests
	}
	return x.live.importers(path)
}

// narrow is what a test command came to for some files when the turn was recorded.
func (x Recorded) narrow(dir, run string, paths []string) string {
	if to, known := narrowing(x.Narrowed, dir, run, paths); known {
		return to
	}
	return x.live.narrow(dir, run, paths)
}

// service is what was known of a service when the turn was recorded.
func (x Recorded) service(dir string, files []string, name string) (debrief.Service, bool) {
	if s, ok := serviced(x.Services, dir, files, name); ok {
		return s.Service, s.Known
	}
	return x.live.service(dir, files, name)
}

// Decide is what the settings would make of the turn: the first stop of its
// prompt, as a hook would decide it.
func (x Recorded) Decide(set debrief.Settings) (agent.Decision, debrief.Result) {
	in := x.Input(set)
	r := debrief.Look(in)
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
	s := agent.Session{Identity: agent.Identity{ID: x.Session, Agent: x.Agent, Root: x.Root}, InTurn: agent.InTurn{Turn: x.Turn, TurnOpen: true, FirstToolUseAt: begin}, Remembers: agent.Remembers{LastMessageAt: begin}}
	return decide(situation{session: s, settings: set, found: f, event: agent.Event{Background: x.Behind}, result: r, input: in, at: x.At}), r
}

// cleanWords are an agent's words as they are kept: without secrets, each cut.
func cleanWords(all []agent.Words) []agent.Words {
	out := make([]agent.Words, len(all))
	for i, w := range all {
		out[i] = agent.Words{Text: cut(w.Text, maxMessage), At: w.At}
	}
	return out
}
