package insight

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/turn"
)

// TestedTurn is what the rules make of a turn.
type TestedTurn struct {
	Session      string             `json:"session,omitempty"` // whose turn it was; absent: the recorded turn does not say
	Agent        string             `json:"agent,omitempty"`   // likewise; absent: the recorded turn does not say
	Turn         int                `json:"turn"`              // its number
	Root         string             `json:"root"`              // the work tree
	ElapsedMS    int64              `json:"elapsed_ms"`        // the time of work in the turn
	Held         bool               `json:"held"`              // the decision for a first stop now
	Reason       agent.Reason       `json:"reason"`
	Files        []agent.FileChange `json:"files"`
	Tests        []string           `json:"tests"`      // the test commands that count
	Rules        []debrief.Report   `json:"rules"`      // each rule that took a file
	Categories   []string           `json:"categories"` // as in a decision, like what follows
	Actions      []string           `json:"actions"`
	Observations []string           `json:"observations"`
	Evidence     []agent.Evidence   `json:"evidence"`        // all that was weighed
	Lines        []string           `json:"lines,omitempty"` // what a person would be told
	Message      string             `json:"message,omitempty"`
	Notes        []string           `json:"notes,omitempty"`
	Calls        int                `json:"-"`
	Problems     []error            `json:"-"` // settings that were left out

	set debrief.Settings
}

// TestRecorded judges a turn that TestTurn has kept in a file, by the rules of the
// caller's work tree.
func (a Insight) TestRecorded(ctx context.Context, file string) (TestedTurn, error) {
	x, err := a.readTurn(ctx, file)
	if err != nil {
		return TestedTurn{}, &piton.Error{Code: piton.Invalid, Op: "read the recorded turn", Hint: "give a file that 'rules test save FILE' has written", Err: err}
	}
	root, err := a.Root()
	if err != nil {
		return TestedTurn{}, err
	}
	return tested(x, a.Config(root)), nil
}

// maxRecorded bounds a recorded turn.
const maxRecorded = 64 << 20

func (a Insight) readTurn(ctx context.Context, file string) (x turn.Recorded, err error) {
	path, err := a.Path(file)
	if err != nil {
		return x, err
	}
	f, err := localfs.OpenInput(ctx, path)
	if err != nil {
		return x, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRecorded+1))
	if err == nil && len(b) > maxRecorded {
		err = fmt.Errorf("%s is larger than %d bytes", file, maxRecorded)
	}
	if err == nil {
		err = json.Unmarshal(b, &x)
	}
	if err == nil && x.Root == "" {
		err = errors.New("it names no work tree")
	}
	return x, err
}

// TestTurn judges the last turn of a session, or of the caller's project where it
// is empty, by the rules that are in force now. save is a new file that keeps the
// turn, empty for none.
func (a Insight) TestTurn(ctx context.Context, session, save string) (TestedTurn, error) {
	st, err := a.Local(ctx, true)
	if caller.Missing(err) && session == "" {
		err = noTurn("no agent was seen in this project yet")
	}
	if err != nil {
		return TestedTurn{}, err
	}
	var s agent.Session
	if session != "" {
		s, err = st.Session(ctx, session)
	} else {
		s, err = a.lastTurn(ctx)
	}
	if err != nil {
		return TestedTurn{}, err
	}
	c, ok := clients.ByName(s.Agent)
	if !ok || s.Turn == 0 {
		return TestedTurn{}, piton.Errorf(piton.NotFound, "read the turn", "'piton sessions' shows the agents' own", "the session %s has no turn of an agent", s.ID)
	}
	cfg := a.Config(s.Root)
	t := a.Turns(c, cfg.Debrief)
	t.Changed = func(root string, was *string) debrief.Settings {
		p := place.Settings(a.Options.Getenv, a.Options.Environ, root)
		p.Was = cmp.Or(was, new(string))
		return config.Load(p).Debrief
	}
	x, err := t.Replay(ctx, s.ID)
	if err == nil && save != "" {
		err = a.keepTurn(x, save)
	}
	if err != nil {
		return TestedTurn{}, err
	}
	return tested(x, cfg), nil
}

// lastTurn is the session of the caller's project that was last seen in a turn.
func (a Insight) lastTurn(ctx context.Context) (agent.Session, error) {
	p, err := a.Project(ctx, "", false)
	if caller.Missing(err) {
		return agent.Session{}, noTurn("no agent was seen in this project yet")
	}
	if err != nil {
		return agent.Session{}, err
	}
	list, err := a.LocalStore.Sessions(ctx, store.SessionQuery{Project: p.ID, Limit: caller.MaxSessions})
	if err != nil {
		return agent.Session{}, err
	}
	for _, s := range list {
		if _, ok := clients.ByName(s.Agent); ok && s.Turn > 0 {
			return s, nil
		}
	}
	return agent.Session{}, noTurn("no agent was seen at work in this project yet")
}

func noTurn(why string) error {
	return piton.Errorf(piton.NotFound, "find the last turn", "work with an agent here first, or name a session: 'piton sessions'", "%s", why)
}

// keepTurn writes a turn without its secrets.
func (a Insight) keepTurn(x turn.Recorded, file string) error {
	b, err := json.MarshalIndent(x, "", " ")
	if err == nil {
		b, _, err = redact.JSON(b)
	}
	if err != nil {
		return err
	}
	path, err := a.Path(file)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return piton.Errorf(piton.Conflict, "keep the turn", "give another name", "%s is there already", file)
	}
	if err == nil {
		_, err = f.Write(append(b, '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "keep the turn", Err: err}
	}
	return nil
}

// tested judges a turn. What it quotes is without secrets.
func tested(x turn.Recorded, cfg config.Config) TestedTurn {
	d, r := x.Decide(cfg.Debrief)
	out := TestedTurn{
		Session: x.Session, Agent: x.Agent, Turn: x.Turn, Root: x.Root, ElapsedMS: x.ElapsedMS, Held: d.Held, Reason: d.Reason,
		Files: d.Files, Tests: []string{}, Rules: []debrief.Report{}, Categories: d.Categories, Actions: d.Actions, Observations: d.Observations,
		Evidence: append([]agent.Evidence{}, d.Evidence...), Lines: d.Lines, Message: d.Message, Notes: d.Notes,
		Calls: len(x.Calls), Problems: cfg.Problems, set: cfg.Debrief,
	}
	for _, t := range x.Input(cfg.Debrief).Tests {
		out.Tests = append(out.Tests, redact.Value(t.Run).Get())
	}
	for _, p := range r.Rules {
		out.Rules = append(out.Rules, redacted(p))
	}
	return out
}

// redacted is a report without secrets: it quotes commands and outputs.
func redacted(p debrief.Report) debrief.Report {
	p.Files = append([]string{}, p.Files...)
	p.Evidence = append([]agent.Evidence{}, p.Evidence...)
	return redact.Value(p).Get()
}

// Unlisted is the evidence that no rule has in its own list: the checks that were
// weighed for the changed code.
func (x TestedTurn) Unlisted() []agent.Evidence {
	return slices.DeleteFunc(slices.Clone(x.Evidence), func(e agent.Evidence) bool {
		return slices.ContainsFunc(x.Rules, func(r debrief.Report) bool { return slices.Contains(r.Evidence, e) })
	})
}

// Unruled are the agent's files that no rule takes.
func (x TestedTurn) Unruled() []string {
	taken := map[string]bool{}
	for _, r := range x.Rules {
		for _, f := range r.Files {
			taken[f] = true
		}
	}
	var left []string
	for _, f := range x.Files {
		if f.Whose == agent.OwnerAgent && !taken[f.Path] {
			left = append(left, f.Path)
		}
	}
	return left
}

// Idle are the rules of the user's and the project's own that took no file.
func (x TestedTurn) Idle() []string {
	var names []string
	for _, r := range x.set.InForce() {
		if r.Profile == "" && !slices.ContainsFunc(x.Rules, func(p debrief.Report) bool { return p.Rule == r.Name }) {
			names = append(names, fmt.Sprintf("%s (%s)", r.Name, strings.Join(r.Include, ", ")))
		}
	}
	return names
}
