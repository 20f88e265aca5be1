package app

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/turn"
)

// Timeline is a turn of a session, step by step.
type Timeline struct {
	Session   Session            `json:"session"`
	Turn      int                `json:"turn"`                 // its number, from 1; 0: the session has had no prompt
	StartedAt piton.Time         `json:"started_at,omitzero"`  // absent: not known
	EndedAt   piton.Time         `json:"ended_at,omitzero"`    // absent: it has not ended, or that is not known
	Files     []agent.FileChange `json:"files"`                // changed files and whose work they are, as of the turn's last stop
	Usage     piton.TokenUsage   `json:"token_usage,omitzero"` // of the turn, as of its last stop; absent: not known
	Holds     int                `json:"holds"`                // how often it was held
	Checks    int                `json:"checks"`               // checks that it ran
	Moments   []Moment           `json:"moments"`              // in the order of their times
	Earlier   int                `json:"earlier,omitempty"`    // moments that were left out, the oldest; absent: none
	Unseen    string             `json:"unseen,omitempty"`     // why calls are missing; absent: none are known to be
}

// Moment is one thing that happened in a turn.
type Moment struct {
	At       piton.Time      `json:"at"`
	Kind     MomentKind      `json:"kind"`
	Text     string          `json:"text"`               // what it was: the prompt, the command, what was said or found, without secrets
	Went     debrief.Outcome `json:"went,omitempty"`     // of a check: how it went, as far as that was seen; of a command: `failed`, where its client says so
	Why      string          `json:"why,omitempty"`      // of a check: why it is taken for that; of a call: why it has no end; of a loss: what became of each file
	Files    []string        `json:"files,omitempty"`    // of an edit or a mark: the files
	Count    int             `json:"count,omitempty"`    // calls that this stands for; absent: one, or it is no call
	TookMS   int64           `json:"took_ms,omitempty"`  // absent: not known
	ID       string          `json:"id,omitempty"`       // of a checkpoint or a mark
	Subagent string          `json:"subagent,omitempty"` // the client's id of it; absent: the agent itself
	Decision *agent.Decision `json:"decision,omitempty"` // of a stop
}

// MomentKind is what happened.
type MomentKind string

// The kinds of moment.
const (
	MomentPrompt     MomentKind = "prompt"     // the person said something
	MomentWords      MomentKind = "words"      // the agent did
	MomentEdit       MomentKind = "edit"       // files were written
	MomentCommand    MomentKind = "command"    // a command ran
	MomentCheck      MomentKind = "check"      // a command that checks something ran
	MomentMeasured   MomentKind = "measured"   // Piton ran a check itself, at a stop
	MomentRead       MomentKind = "read"       // files were read, or another tool was used
	MomentHeld       MomentKind = "held"       // a stop at which the agent was held
	MomentLetGo      MomentKind = "let_go"     // a stop at which it was let go
	MomentLost       MomentKind = "lost"       // a command changed or took away files that were not committed
	MomentCheckpoint MomentKind = "checkpoint" // its state was saved
)

// Bounds of a timeline.
const (
	maxMoments      = 500
	maxMomentText   = 2000
	momentsInFolder = 200 // checkpoints and marks that are looked at
)

// Timeline shows a turn of a session, the newest where none is named: what its client's log
// tells, with what was decided, saved and marked meanwhile.
func (a Agents) Timeline(ctx context.Context, r piton.TimelineRequest) (Timeline, error) {
	x := Timeline{Files: []agent.FileChange{}, Moments: []Moment{}}
	st, err := a.Local(ctx, true)
	if err != nil {
		return x, err
	}
	s, err := st.Session(ctx, r.Session)
	if err != nil {
		return x, err
	}
	x.Session, x.Turn = a.session(s), cmp.Or(r.Turn, s.Turn)
	if x.Turn > s.Turn {
		return x, piton.Errorf(piton.NotFound, "show the turn", "leave it out: the newest is shown", "the session %s has %d turns", s.ID, s.Turn)
	}
	this, err := st.Turn(ctx, s.ID, x.Turn)
	next := agent.Turn{}
	if err == nil && x.Turn < s.Turn {
		next, err = st.Turn(ctx, s.ID, x.Turn+1)
	}
	if err != nil && !caller.Missing(err) {
		return x, err
	}
	x.StartedAt, x.EndedAt = this.StartedAt, this.EndedAt
	within := func(at piton.Time) bool {
		return !x.StartedAt.IsZero() && !at.Before(x.StartedAt.Time) && (next.StartedAt.IsZero() || at.Before(next.StartedAt.Time))
	}
	decisions, err := st.Decisions(ctx, s.ID, 0)
	if err != nil {
		return x, err
	}
	x.decided(decisions)
	x.logged(ctx, s, next.StartedAt.Time, a.Config(s.Root).Debrief)
	if list, err := Checkpoints(a).List(ctx, piton.ListRequest{Session: s.ID, Limit: momentsInFolder}); err == nil {
		for _, c := range list.Checkpoints {
			if within(c.CreatedAt) {
				x.Moments = append(x.Moments, Moment{At: c.CreatedAt, Kind: MomentCheckpoint, Text: string(c.Trigger), ID: c.ID})
			}
		}
	}
	if work, err := marks.Marks(a).ExplainFiles(ctx, piton.ExplainRequest{Session: s.ID, Limit: momentsInFolder, InProject: piton.InProject{Project: s.Root}}); err == nil {
		for _, c := range work.Commands {
			if within(c.At) {
				x.Moments = append(x.Moments, lostBy(c)...)
			}
		}
	}
	slices.SortStableFunc(x.Moments, func(p, q Moment) int { return p.At.Compare(q.At.Time) })
	x.fold()
	if x.Earlier = max(len(x.Moments)-maxMoments, 0); x.Earlier > 0 {
		x.Moments = x.Moments[x.Earlier:]
	}
	return redact.Value(x).Get(), nil
}

// lossWords say what happened to a file.
var lossWords = map[string]string{"removed": "is gone from its place", "emptied": "is empty", "reverted": "is as in HEAD"}

// lostBy is what a command took away that was not committed.
func lostBy(c marks.CommandWork) []Moment {
	m, whys := Moment{At: c.At, Kind: MomentLost, Text: c.Says(), ID: c.ID, Subagent: c.Subagent}, []string{}
	for _, f := range c.Changed {
		if f.TakenAway() {
			m.Files, whys = append(m.Files, f.Path), append(whys, f.Path+" "+lossWords[string(f.Lost)])
		}
	}
	m.Why = piton.Cut(strings.Join(whys, "; "), maxMomentText)
	if len(m.Files) == 0 {
		return nil
	}
	return []Moment{m}
}

// decided adds the turn's stops, with what Piton ran itself at them. The newest come first.
func (x *Timeline) decided(list []agent.Decision) {
	for _, d := range list {
		if d.Turn != x.Turn || d.Reason == agent.ReasonMoved {
			continue
		}
		m := Moment{At: d.At, Kind: MomentLetGo, Text: string(d.Reason), TookMS: d.TookMS, Decision: &d}
		if d.Held {
			m.Kind = MomentHeld
			x.Holds++
		}
		if len(x.Moments) == 0 {
			x.Files, x.Usage = append(x.Files, d.Files...), d.Usage
		}
		x.Moments = append(x.Moments, m)
		for _, v := range d.Verified {
			x.Moments = append(x.Moments, Moment{At: v.At, Kind: MomentMeasured, Text: v.Command, Went: wentOf(v), Why: v.Unsure, TookMS: v.TookMS})
		}
	}
}

func wentOf(v agent.Verified) debrief.Outcome {
	switch {
	case !v.Counts():
		return debrief.CheckUnknown
	case v.OK:
		return debrief.CheckPassed
	}
	return debrief.CheckFailed
}

// logged adds what the client's log tells.
func (x *Timeline) logged(ctx context.Context, s agent.Session, until time.Time, set debrief.Settings) {
	c, ok := clients.ByName(s.Agent)
	switch {
	case x.StartedAt.IsZero():
		x.Unseen = "when this turn began is not known"
		return
	case !ok || s.Transcript == "":
		x.Unseen = "its log is not known"
		return
	}
	t, prompts, err := turn.Log{Client: c, Path: s.Transcript, Tree: s.Root}.Between(ctx, x.StartedAt.Time, until)
	switch {
	case err != nil:
		x.Unseen = "of its log: " + history.Cause(err)
		return
	case t.Partial:
		x.Unseen = "its log is too long to be read whole"
	}
	for _, p := range prompts {
		x.Moments = append(x.Moments, Moment{At: piton.At(p.At), Kind: MomentPrompt, Text: clean(p.Text)})
	}
	for _, w := range t.Words {
		x.Moments = append(x.Moments, Moment{At: piton.At(w.At), Kind: MomentWords, Text: clean(w.Text)})
	}
	checks := map[int][]debrief.Checked{}
	for _, k := range debrief.Checks(t.Input(set)) {
		checks[k.Call] = append(checks[k.Call], k)
	}
	for i, c := range t.Calls {
		m := momentOf(c, s.Root, checks[i])
		if m.Kind == MomentCheck {
			x.Checks++
		}
		x.Moments = append(x.Moments, m)
	}
}

// clean is a text without secrets, cut: a secret that is cut is not known as one.
func clean(text string) string {
	text, _ = redact.Text(text)
	return piton.Cut(text, maxMomentText)
}

// fold counts a call with the one right before it, where that says all of both.
func (x *Timeline) fold() {
	kept := x.Moments[:0]
	for _, m := range x.Moments {
		if n := len(kept); n == 0 || !kept[n-1].like(m) {
			kept = append(kept, m)
			continue
		}
		last := &kept[len(kept)-1]
		last.Count, last.Files = last.Count+1, append(last.Files, m.Files...)
		slices.Sort(last.Files)
		last.Files = slices.Compact(last.Files)
	}
	x.Moments = kept
}

func (m Moment) like(n Moment) bool {
	call := m.Kind == MomentRead || m.Kind == MomentEdit
	return call && m.Kind == n.Kind && m.Subagent == n.Subagent && m.Text+string(m.Went) == n.Text+string(n.Went)
}

// momentOf is a call, with the checks that it ran.
func momentOf(c agent.Call, root string, checks []debrief.Checked) Moment {
	m := Moment{At: piton.At(c.StartedAt), Kind: MomentRead, Text: c.Tool, Count: 1, Subagent: c.Subagent}
	if !c.EndedAt.IsZero() {
		m.TookMS = c.EndedAt.Sub(c.StartedAt).Milliseconds()
	}
	switch {
	case c.NeverRan:
		m.TookMS, m.Why = 0, "was refused, and never ran"
	case c.Interrupted:
		m.TookMS, m.Why = 0, "was interrupted"
	case c.EndedAt.IsZero():
		m.Why = "has not ended yet, or waits to be allowed"
	case c.Failed:
		m.Went = debrief.CheckFailed
	}
	switch c.Kind {
	case agent.CallShell:
		m.Kind, m.Text = MomentCommand, clean(c.Command)
	case agent.CallEdit:
		m.Kind = MomentEdit
		for _, p := range c.Paths {
			if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) {
				p = filepath.ToSlash(rel)
			}
			m.Files = append(m.Files, path.Clean(p))
		}
	}
	var whys []string
	for _, k := range checks {
		why := k.Why
		if len(checks) > 1 {
			why = strconv.Quote(k.Command) + " " + k.Why
		}
		whys = append(whys, why)
		if m.Kind != MomentCheck || worse[k.Went] > worse[m.Went] {
			m.Kind, m.Went = MomentCheck, k.Went
		}
	}
	if len(whys) > 0 && !c.EndedAt.IsZero() {
		m.Why = strings.Join(whys, "; ")
	}
	return m
}

// worse orders how the checks of one line went.
var worse = map[debrief.Outcome]int{debrief.CheckPassed: 1, debrief.CheckNothing: 2, debrief.CheckUnknown: 3, debrief.CheckFailed: 4}
