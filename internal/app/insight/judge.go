package insight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/turn"
)

// ReplayRequest names the sessions that are judged again.
type ReplayRequest struct {
	Files []string // clients' logs, and folders of them
	Agent string   // the client that wrote them; empty: their form tells
	Tree  string   // the work tree that they worked in, as it is now; empty: there is none
	// Labels is a file that says of stops whether they should be held; empty: none.
	Labels string
}

// Replay judges recorded sessions turn by turn, as the first stop of each prompt
// would be, by the settings of the tree, or else the user's. A mode that lets all
// go does not count. Nothing is written, and nothing of a session is run.
func (a Insight) Replay(ctx context.Context, q ReplayRequest, progress func(done, total int64)) (ReplayedLogs, error) {
	const op = "replay sessions"
	out := ReplayedLogs{Sessions: []ReplayedSession{}, Sums: ReplaySums{Verdicts: map[ReplayVerdict]int{}, Rules: []ReplayedRule{}}, Unread: []caller.Unread{}}
	tree, err := a.replayTree(op, q.Tree)
	if err != nil {
		return out, err
	}
	var labels map[string]string
	if q.Labels != "" {
		if labels, err = a.labels(ctx, q.Labels); err != nil {
			return out, err
		}
	}
	cfg := a.Config(tree)
	out.Problems = cfg.Problems
	set := judging(cfg)
	var left caller.UnreadList
	logs, err := a.logs(op, q, &left)
	if err != nil {
		return out, err
	}
	for i, l := range logs {
		progress(int64(i), int64(len(logs)))
		l.Tree = tree
		s, err := replayed(ctx, l, set)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil {
			left.Add(l.Path, "", err)
			continue
		}
		out.add(s)
	}
	progress(int64(len(logs)), int64(len(logs)))
	if labels != nil {
		out.Score = out.score(labels)
	}
	if len(out.Sessions) == 0 && left.Count > 0 {
		return out, left.Failure()
	}
	out.Unread = append(out.Unread, left.Named...)
	return out, nil
}

// judging are the settings with the judge on.
func judging(cfg config.Config) debrief.Settings {
	set := cfg.Debrief
	set.Mode, set.Agents = debrief.ModeOn, nil
	return set
}

func (a Insight) replayTree(op, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	tree, err := a.Path(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(tree)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", name)
	}
	if err != nil {
		return "", &piton.Error{Code: piton.Invalid, Op: op, Hint: "give the folder of the work tree, or leave it out", Err: err}
	}
	return tree, nil
}

// replayed judges the turns of one log. A log that makes the judge panic is an
// error of that log alone.
func replayed(ctx context.Context, l turn.Log, set debrief.Settings) (s ReplayedSession, err error) {
	defer func() {
		if slip := recover(); slip != nil {
			err = piton.Errorf(piton.Invalid, "replay "+l.Path, "this is an error of Piton: please report it", "%v", slip)
		}
	}()
	s = ReplayedSession{File: l.Path, Agent: l.Client.Name(), Turns: []ReplayedTurn{}}
	err = l.Each(ctx, func(x turn.Logged) error {
		s.Turns = append(s.Turns, replayedTurn(x, set))
		return nil
	})
	return s, err
}

func replayedTurn(x turn.Logged, set debrief.Settings) ReplayedTurn {
	out := ReplayedTurn{
		Turn: x.Turn, Prompt: firstWords(x.Prompt), At: x.At, Root: redact.Value(x.Root).Get(), ElapsedMS: x.ElapsedMS, Calls: len(x.Calls), Verdict: ReplayBroken,
		Files: []agent.FileChange{}, Tests: []string{}, Categories: []string{}, Actions: []string{}, Observations: []string{}, Lines: []string{}, Facts: []debrief.Fact{}, Evidence: []agent.Evidence{}, Rules: []debrief.Report{},
	}
	if !x.Stopped {
		return out
	}
	d, r := x.Decide(set)
	d = redact.Value(d).Get()
	out.Verdict, out.Reason = verdictOf(d), d.Reason
	out.Files, out.Categories, out.Actions, out.Observations, out.Evidence, out.Notes = d.Files, d.Categories, d.Actions, d.Observations, d.Evidence, d.Notes
	out.Lines, out.Facts = append(out.Lines, d.Lines...), append(out.Facts, redact.Value(r.Facts).Get()...)
	for _, t := range x.Input(set).Tests {
		out.Tests = append(out.Tests, redact.Value(t.Run).Get())
	}
	for _, p := range r.Rules {
		out.Rules = append(out.Rules, redacted(p))
	}
	return out
}

// verdictOf sorts a decision.
func verdictOf(d agent.Decision) ReplayVerdict {
	switch {
	case d.Held && d.Reason != agent.ReasonClear:
		return ReplayHeld
	case d.Reason == agent.ReasonClear:
		return ReplayClear
	case d.Reason == agent.ReasonFine:
		return ReplayFine
	case d.Reason == agent.ReasonNothing:
		return ReplayNothing
	case len(d.Actions) > 0 && d.Reason != agent.ReasonShort:
		return ReplayOpen
	case d.Reason == agent.ReasonNotice || d.Reason == agent.ReasonNoCheck:
		return ReplayNotice
	}
	return ReplayPassed
}

// firstWords are the first words of a prompt, on one line.
func firstWords(prompt string) string {
	const most = 80
	words := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(prompt, "")), " "))
	if len(words) > most {
		return string(words[:most-1]) + "…"
	}
	return string(words)
}

// add adds a session and counts its turns.
func (x *ReplayedLogs) add(s ReplayedSession) {
	x.Sessions = append(x.Sessions, s)
	x.Sums.Sessions++
	for _, t := range s.Turns {
		x.Sums.Turns++
		x.Sums.Verdicts[t.Verdict]++
		if t.Verdict == ReplayBroken {
			continue
		}
		x.Sums.Stops++
		x.Sums.ruled(t)
	}
}

// ruled counts what each rule made of a stop.
func (s *ReplaySums) ruled(t ReplayedTurn) {
	asked := 0
	for _, r := range t.Rules {
		if r.Asks {
			asked++
		}
	}
	for _, r := range t.Rules {
		i := slices.IndexFunc(s.Rules, func(x ReplayedRule) bool { return x.Rule == r.Rule })
		if i < 0 {
			i = len(s.Rules)
			s.Rules = append(s.Rules, ReplayedRule{Rule: r.Rule})
		}
		s.Rules[i].Saw++
		if r.Asks {
			s.Rules[i].Asked++
		}
		if r.Asks && asked == 1 && t.Verdict == ReplayHeld {
			s.Rules[i].Alone++
		}
	}
	slices.SortStableFunc(s.Rules, func(x, y ReplayedRule) int { return y.Asked - x.Asked })
}

// logs are the logs that the request names, folders walked. In a folder, what is
// no log of a client is passed over, and so are the logs of subagents, which are
// read with their session's.
func (a Insight) logs(op string, q ReplayRequest, left *caller.UnreadList) ([]turn.Log, error) {
	var given client.Client
	if q.Agent != "" {
		var ok bool
		if given, ok = clients.ByName(q.Agent); !ok {
			return nil, piton.Errorf(piton.Invalid, op, "give claude, gemini or codex", "%q is not a client", q.Agent)
		}
	}
	var all []turn.Log
	for _, name := range q.Files {
		path, err := a.Path(name)
		if err != nil {
			return nil, err
		}
		there, _, err := turn.LogsAt(path, given)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil {
			left.Add(path, "", err)
			continue
		}
		all = append(all, there...)
	}
	if len(all) == 0 && left.Count == 0 {
		return nil, piton.Errorf(piton.NotFound, op, "Claude Code keeps its logs in ~/.claude/projects, Codex in ~/.codex/sessions, Gemini CLI in ~/.gemini/tmp", "there is no log of a session in what was named")
	}
	return all, nil
}

// Took is how long a turn took.
func (t ReplayedTurn) Took() time.Duration { return time.Duration(t.ElapsedMS) * time.Millisecond }
