package turn

import (
	"context"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/git"
	"github.com/piton-project/piton/history"
	"github.com/piton-project/piton/redact"
)

// Identify finds the project a folder lies in, by its work tree's path first
// and its origin's URL second, so that it is the same on another machine.
func Identify(ctx context.Context, local piton.Local, dir string, create bool) (piton.Project, error) {
	root, gitDir, ok := git.Find(dir)
	if !ok {
		root = filepath.Clean(dir)
	}
	aliases := []piton.Alias{{Kind: piton.AliasPath, Value: root}}
	if ok {
		if url := git.Normalise(git.Origin(gitDir)); url != "" {
			aliases = append(aliases, piton.Alias{Kind: piton.AliasOrigin, Value: url})
		}
	}
	if !create {
		p, err := local.KnownProject(ctx, aliases)
		p.Root = root
		return p, err
	}
	p, err := local.Project(ctx, filepath.Base(root), aliases)
	p.Root = root
	return p, err
}

// session finds the event's session, or makes one that is not written yet.
func (t Turns) session(ctx context.Context, st Store, e piton.Event) (piton.Session, error) {
	s, err := st.SessionByClient(ctx, e.Agent, e.ClientID)
	if err == nil || piton.CodeOf(err) != piton.NotFound {
		return s, err
	}
	at := t.at(e)
	s = piton.Session{
		ID: piton.NewID(piton.SessionPrefix), Agent: e.Agent, ClientID: e.ClientID,
		StartedAt: at, SeenAt: at, Root: root(e), Process: process(e.PID),
	}
	if s.Root != "" {
		p, err := Identify(ctx, st, s.Root, true)
		if err != nil {
			return s, err
		}
		s.Project = p.ID
	}
	return s, nil
}

// again reads the session inside a transaction: it may have moved on since it
// was read outside, or have been made by another hook.
func again(ctx context.Context, tx piton.LocalTx, s piton.Session) (piton.Session, error) {
	now, err := tx.SessionByClient(ctx, s.Agent, s.ClientID)
	if piton.CodeOf(err) == piton.NotFound {
		return s, nil
	}
	return now, err
}

// seen returns the session after any event of it.
func seen(s piton.Session, e piton.Event, at piton.Time) piton.Session {
	if e.Kind == piton.EventSessionStart && s.TurnOpen {
		// The time it was away was no work.
		s.IdleMS += max(at.Sub(s.SeenAt.Time), 0).Milliseconds()
	}
	s.SeenAt = at
	if e.Kind != piton.EventSessionEnd {
		s.EndedAt = piton.Time{}
	}
	if e.Transcript != "" && e.Subagent == "" {
		s.Transcript = e.Transcript
	}
	if e.Cwd != "" {
		s.Cwd = e.Cwd
	}
	if e.ClientVersion != "" {
		s.ClientVersion = e.ClientVersion
	}
	return s
}

// record writes the session as change leaves it, and the event, in one
// transaction.
func (t Turns) record(ctx context.Context, st Store, e piton.Event, change func(piton.Session) piton.Session) error {
	s, err := t.session(ctx, st, e)
	if err != nil {
		return err
	}
	return st.Update(ctx, func(tx piton.LocalTx) error {
		s, err := again(ctx, tx, s)
		if err != nil {
			return err
		}
		s = change(seen(s, e, t.at(e)))
		if err := tx.PutSession(ctx, s); err != nil {
			return err
		}
		return tx.Log(ctx, piton.LogEvent{At: t.at(e), Kind: string(e.Kind), Session: s.ID, Project: s.Project})
	})
}

// note records an event that changes little.
func (t Turns) note(ctx context.Context, e piton.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	return t.record(ctx, st, e, func(s piton.Session) piton.Session {
		switch e.Kind {
		case piton.EventPermissionRequest:
			if s.WaitingSince.IsZero() {
				s.WaitingSince = t.at(e)
			}
		case piton.EventSubagentStop:
			if out := cut(e.LastOutput, maxOutput); out != "" {
				if s.Outputs == nil {
					s.Outputs = map[string]string{}
				}
				if role := firstOf(e.Role, e.Subagent, "subagent"); len(s.Outputs) < 20 || s.Outputs[role] != "" {
					s.Outputs[cut(role, 100)] = out
				}
			}
		}
		return s
	})
}

// start records the beginning, or the return, of a session, and offers
// unfinished work of the project (docs/spec.md, "Crash recovery").
func (t Turns) start(ctx context.Context, e piton.Event) ([]byte, error) {
	st, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	var s piton.Session
	err = t.record(ctx, st, e, func(now piton.Session) piton.Session {
		if p := process(e.PID); p.PID != 0 {
			now.Process = p
		}
		s = now
		return now
	})
	if err != nil || e.Subagent != "" || e.Source == "compact" || e.Source == "clear" || s.Project == "" {
		return nil, err
	}
	open, more, err := t.keeper(st).Detect(ctx, s.Project, s.ID, 1)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	return t.Client.Context(e.Kind, offer(open[0], more)), nil
}

// offer is what an agent is told of unfinished work.
func offer(c piton.Checkpoint, more int) string {
	var b strings.Builder
	b.WriteString(piton.Prefix + data(history.Offer(c)))
	if more > 0 {
		b.WriteString(" and " + itoa(more) + " more ('piton list --open')")
	}
	b.WriteString("\nIt was saved " + c.CreatedAt.String() + " and nobody is at work on it. Resuming is the user's decision: mention it once, and only if they want it run `piton resume " + c.ID + "` and go on from the brief it prints. Otherwise do what they ask.")
	return b.String()
}

// tool records a tool use, and saves the state when ten minutes of work have
// passed since the last time.
func (t Turns) tool(ctx context.Context, e piton.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	at := t.at(e)
	var s piton.Session
	err = t.record(ctx, st, e, func(now piton.Session) piton.Session {
		s = now.Waited(at, e.Took).Used(at)
		return s
	})
	if err != nil || !s.TurnOpen || e.Subagent != "" {
		return err
	}
	last := s.LastMessageAt
	if s.SavedAt.After(last.Time) {
		last = s.SavedAt
	}
	if last.IsZero() || at.Sub(last.Time) < interval {
		return nil
	}
	return t.save(ctx, st, s, piton.TriggerInterval, at)
}

// keep records an event and saves the state as it is.
func (t Turns) keep(ctx context.Context, e piton.Event, why piton.Trigger) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	var s piton.Session
	err = t.record(ctx, st, e, func(now piton.Session) piton.Session {
		s = now
		return now
	})
	if err != nil || s.Turn == 0 || e.Subagent != "" {
		return err
	}
	return t.save(ctx, st, s, why, t.at(e))
}

// end records the session's end. It may be told 0, 1 or 3 times; the state is
// saved at the first.
func (t Turns) end(ctx context.Context, e piton.Event) error {
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	var s piton.Session
	first := false
	err = t.record(ctx, st, e, func(now piton.Session) piton.Session {
		first = now.EndedAt.IsZero()
		now.EndedAt = t.at(e)
		s = now
		return now
	})
	if err != nil || !first || s.Turn == 0 {
		return err
	}
	return t.save(ctx, st, s, piton.TriggerSessionEnd, t.at(e))
}

// cut takes secrets out of a text and shortens it to at most n bytes.
func cut(s string, n int) string {
	if len(s) > 4*n {
		s = runeCut(s, 4*n) // no need to scan what is not kept
	}
	s, _ = redact.Text(s)
	return runeCut(strings.ToValidUTF8(s, "�"), n)
}

func runeCut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// data makes a text that others wrote safe to show inside a message.
func data(s string) string {
	return strings.NewReplacer("<", "(", ">", ")", "`", "'", "\n", " ").Replace(s)
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
