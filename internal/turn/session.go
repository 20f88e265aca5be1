package turn

import (
	"context"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Identify finds the project a folder lies in, by its work tree's path first,
// that of its repository's main one next, and its origin's URL last, so that it
// is the same on another machine.
func Identify(ctx context.Context, local store.ProjectStore, dir string, create bool) (piton.Project, error) {
	root, gitDir, ok := git.Find(dir)
	if !ok {
		root = withoutLinks(dir)
	}
	aliases := []piton.Alias{{Kind: piton.AliasPath, Value: root}}
	if named := filepath.Clean(dir); !ok && named != root {
		aliases = append(aliases, piton.Alias{Kind: piton.AliasPath, Value: named}) // so it was known before
	}
	if gitDir != filepath.Join(root, ".git") {
		// Another tree of a repository is the same project.
		if repo := git.RepositoryOf(root); filepath.Base(repo) == ".git" && filepath.Dir(repo) != root {
			aliases = append(aliases, piton.Alias{Kind: piton.AliasPath, Value: filepath.Dir(repo)})
		}
	}
	url := ""
	if ok {
		if url = git.Normalise(git.Origin(gitDir)); url != "" {
			aliases = append(aliases, piton.Alias{Kind: piton.AliasOrigin, Value: url})
		}
	}
	for i := range aliases {
		aliases[i].Value, _ = redact.Known(aliases[i].Value) // here and where it is looked up
	}
	var p piton.Project
	var err error
	if create {
		name, _ := redact.Known(filepath.Base(root))
		p, err = local.Project(ctx, redact.Name(name), redact.Value(aliases))
	} else {
		p, err = local.KnownProject(ctx, aliases)
	}
	p.Root, p.Origin = root, url
	return p, err
}

// withoutLinks is a folder's path without symbolic links.
func withoutLinks(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// session finds the event's session, or makes one that is not written yet.
func (t Turns) session(ctx context.Context, st *store.Local, e agent.Event) (agent.Session, error) {
	s, err := st.SessionByClient(ctx, e.Agent, e.ClientID)
	switch at := t.at(e); {
	case piton.CodeOf(err) == piton.NotFound:
		s = agent.Session{
			ID: piton.SessionID(e.Agent, e.ClientID), Agent: e.Agent, ClientID: e.ClientID,
			StartedAt: at, SeenAt: at, Process: process(e),
		}
	case err != nil:
		return s, err
	}
	s = where(s, e)
	if s.Root != "" {
		return s, nil
	}
	// A client's first event may not say where it is.
	if s.Root = root(e); s.Root != "" {
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
func again(ctx context.Context, tx store.LocalTx, s agent.Session) (agent.Session, error) {
	now, err := tx.SessionByClient(ctx, s.Agent, s.ClientID)
	if piton.CodeOf(err) == piton.NotFound {
		return s, nil
	}
	if now.Root == "" {
		now.Root, now.Project = s.Root, s.Project
	}
	return now, err
}

// seen returns the session after any event of it.
func seen(s agent.Session, e agent.Event, at piton.Time) agent.Session {
	s = where(s, e)
	s.SeenAt = at
	if e.Kind != agent.EventSessionEnd {
		s.EndedAt = piton.Time{}
	}
	if (e.Kind == agent.EventPrompt || e.Kind == agent.EventStop) && !e.Unheard && e.Subagent == "" {
		s.Heard = true
	}
	if e.Kind == agent.EventStop && e.Subagent == "" {
		s = s.Continued(cut(e.Prompt, maxMessage))
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
// transaction. A session that is known is read in it only.
func (t Turns) record(ctx context.Context, st *store.Local, e agent.Event, change func(agent.Session) agent.Session) error {
	known := false
	err := st.Update(ctx, func(tx store.LocalTx) error {
		s, err := tx.SessionByClient(ctx, e.Agent, e.ClientID)
		if known = err == nil && s.Root != ""; !known {
			return err
		}
		return t.write(ctx, tx, e, change(seen(s, e, t.at(e))))
	})
	if known || err != nil && piton.CodeOf(err) != piton.NotFound {
		return err
	}
	s, err := t.session(ctx, st, e)
	if err != nil {
		return err
	}
	return t.recordRead(ctx, st, e, s, change)
}

// recordRead does the same for a session that was read, or made, before.
func (t Turns) recordRead(ctx context.Context, st *store.Local, e agent.Event, was agent.Session, change func(agent.Session) agent.Session) error {
	return st.Update(ctx, func(tx store.LocalTx) error {
		s, err := again(ctx, tx, was)
		if err != nil {
			return err
		}
		return t.write(ctx, tx, e, change(seen(s, e, t.at(e))))
	})
}

// kept is a session as its row holds it: paths lose what is a secret by itself.
// An event says them again (see seen).
func kept(s agent.Session) agent.Session {
	for _, path := range []*string{&s.Root, &s.Cwd, &s.Transcript} {
		*path, _ = redact.Known(*path)
	}
	return s
}

// where is the session with its real root again, where the row holds one without
// its secrets.
func where(s agent.Session, e agent.Event) agent.Session {
	if strings.Contains(s.Root, "[REDACTED:") {
		if r := root(e); kept(agent.Session{Root: r}).Root == s.Root {
			s.Root = r
		}
	}
	return s
}

// write writes a session and the event that changed it.
func (t Turns) write(ctx context.Context, tx store.LocalTx, e agent.Event, s agent.Session) error {
	if err := tx.PutSession(ctx, redact.Value(kept(s))); err != nil {
		return err
	}
	return tx.Log(ctx, redact.Value(store.LogEvent{At: t.at(e), Kind: store.EventKind(e.Kind), Session: s.ID, Project: s.Project}))
}

// cut takes secrets out of a text and shortens it to at most n bytes.
func cut(s string, n int) string {
	if len(s) > 4*n {
		// No need to scan what is not kept. The last word may be half a secret,
		// which is not known as one.
		s = runeCut(s, 4*n)
		s = runeCut(s, max(strings.LastIndexAny(s, " \t\r\n"), len(s)-n))
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

// data makes a text that others wrote safe to show inside a message: on one
// line, without mark-up, and without what steers a terminal or is not seen.
func data(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '<':
			return '('
		case r == '>':
			return ')'
		case r == '`':
			return '\''
		case unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || 0xE0000 <= r && r < 0xE0080: // the last are letters that only a model sees
			return -1
		}
		return r
	}, piton.Printable(s))
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
