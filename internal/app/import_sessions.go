package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// sessionLog is a log to import, where it lies now.
type sessionLog struct {
	turn.Log
	about client.About
	own   bool // its client looks for it there
	// committed: it was read from a commit of the repository of this project.
	committed bool
	repo      piton.Project
}

// sessionImport is one import of sessions.
type sessionImport struct {
	Upkeep
	k        history.Keeper
	local    *store.Local // nil: there is no store yet, and a dry run makes none
	r        ImportRequest
	here     piton.Project
	since    piton.Time
	left     *caller.UnreadList
	sum      ImportedSessions
	rows     []agent.Session
	projects map[[2]string]piton.Project // by folder and origin
	into     map[string]bool             // projects that something was added to
	seen     map[string]bool             // sessions, by client and its id
	logs     func(*sessionImport, context.Context, func(sessionLog) error) error
}

// open opens the stores, and reads what is asked.
func (x *sessionImport) open(ctx context.Context) (err error) {
	if x.r.Since != "" {
		if x.since, err = caller.ParseTime(x.r.Since, x.Options.Now()); err != nil {
			return err
		}
	}
	if x.k, x.here, _, err = x.importer(ctx, x.r, map[string]int{}); err != nil {
		return err
	}
	st, err := x.Local(ctx, x.r.DryRun)
	if err == nil {
		x.local = st.Local()
	}
	return caller.UnlessMissing(err)
}

// entries reads the logs, one after the other. What cannot be read is left out.
func (x *sessionImport) entries(ctx context.Context) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		err := x.logs(x, ctx, func(l sessionLog) error {
			x.left.File = l.Path
			told, err := x.told(ctx, l)
			if err != nil && ctx.Err() == nil {
				x.left.Add(l.Path, "", err)
				return nil
			}
			for _, e := range told.Entries {
				if err == nil && !yield(e, nil) {
					return fs.SkipAll
				}
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.SkipAll) {
			yield(store.Entry{}, err)
		}
	}
}

// clientLogs hands over the logs of a client, in its own folder or in those named.
func (x *sessionImport) clientLogs(ctx context.Context, take func(sessionLog) error) error {
	c, _ := clients.ByName(x.r.From)
	own := x.clientFolder(c)
	folders := x.r.Files
	for _, pattern := range c.Settings().Logs {
		if top, _, _ := strings.Cut(pattern, "/"); len(x.r.Files) == 0 && len(folders) == 0 {
			folders = []string{filepath.Join(own, top)}
		}
	}
	var all []sessionLog
	for _, name := range folders {
		dir, err := x.Path(name)
		if err != nil {
			return err
		}
		info, err := os.Stat(dir)
		switch {
		case err != nil && len(x.r.Files) > 0:
			return &piton.Error{Code: piton.Invalid, Op: "import " + name, Hint: "give a folder of the client's logs", Err: err}
		case err != nil:
			continue
		case !info.IsDir():
			all = append(all, sessionLog{Log: turn.Log{Client: c, Path: dir}})
			continue
		}
		for _, l := range turn.LogsBelow(dir, nil) {
			if l.Client.Name() == c.Name() {
				all = append(all, sessionLog{Log: l, own: strings.HasPrefix(l.Path, own+string(filepath.Separator))})
			}
		}
	}
	if len(all) == 0 {
		return piton.Errorf(piton.NotFound, "import the sessions of "+x.r.From, "name the folder that has them: the client keeps its own in "+own, "there is no log of a session of %s in %s", x.r.From, strings.Join(folders, ", "))
	}
	progress := x.Progress("Importing sessions")
	for i, l := range all {
		if progress != nil {
			progress(int64(i), int64(len(all)))
		}
		if err := ctx.Err(); err != nil {
			return &piton.Error{Code: piton.Unavailable, Op: "import sessions", Err: err}
		}
		about, err := c.About(l.Path)
		switch {
		case err != nil:
			x.left.Add(l.Path, "", err)
			continue
		case about.Subagent:
			continue
		}
		l.about = about
		if err := take(l); err != nil {
			return err
		}
	}
	return nil
}

// clientFolder is the folder in which a client looks for its logs.
func (x *sessionImport) clientFolder(c client.Client) string {
	return cmp.Or(setup.ConfigDir(c.Name(), x.Options.Getenv), filepath.Join(config.UserHome(x.Options.Getenv), c.Settings().InHome))
}

// told reads one log, and says what it adds.
func (x *sessionImport) told(ctx context.Context, l sessionLog) (told turn.Told, err error) {
	x.sum.Found++
	info, err := os.Stat(l.Path)
	switch {
	case err != nil:
		return told, &piton.Error{Code: piton.Unavailable, Op: "read " + l.Path, Err: err}
	case info.ModTime().Before(x.since.Time):
		x.sum.Older++
		return told, nil
	case info.Size() > turn.MaxToldBytes:
		return told, piton.Errorf(piton.Invalid, "read "+l.Path, "", "it has %d MiB, more than the %d that are read of a log", info.Size()>>20, turn.MaxToldBytes>>20)
	case l.about.ID == "":
		return told, piton.Errorf(piton.Invalid, "read "+l.Path, "give the logs of the client named in 'from'", "it names no session")
	}
	key := l.Client.Name() + " " + l.about.ID
	if x.seen[key] { // its entries are not in the store yet, so nothing can go on from them
		x.sum.Copies++
		return told, nil
	}
	x.seen[key] = true
	s, known, err := x.session(ctx, l)
	if err != nil {
		return told, err
	}
	if known && turn.Alive(s, x.Now()) {
		x.sum.AtWork++
		return told, nil
	}
	after, err := x.after(ctx, s.WorkflowID)
	if err != nil {
		return told, err
	}
	l.Tree = l.repo.Root
	if there, err := os.Stat(s.Root); err == nil && there.IsDir() {
		l.Tree = s.Root
	}
	if told, err = l.Told(ctx, s, l.about, after, x.Now()); err != nil {
		return told, err
	}
	n := len(told.Entries)
	if known && after.Head.ID != "" && n > 0 {
		strange := told.Known == 0 && told.Before == 0 // a log has what was saved of it before
		if strange || l.committed && s.Project != l.repo.ID {
			return turn.Told{}, piton.Errorf(piton.Conflict, "read "+l.Path, "'sessions "+s.ID+"' shows the session that is known", "it has the id of another session, %s, and not what is known of that one", s.ID)
		}
	}
	if told.Known == 0 {
		x.sum.Turns += told.Before
	}
	if n == 0 && told.Known == 0 {
		x.sum.Empty++
		return told, nil
	}
	if n > 0 && told.Entries[n-1].Checkpoint.CreatedAt.Before(x.since.Time) {
		x.sum.Older++
		return turn.Told{}, nil
	}
	if known && x.Shared != nil {
		n, told.Entries = 0, nil // its hooks' line in the local file could not go on from these
	}
	x.sum.known += told.Known
	x.count(told, l, s, known)
	return told, nil
}

// count counts a session, and notes what is to be written of it.
func (x *sessionImport) count(told turn.Told, l sessionLog, s agent.Session, known bool) {
	row, n := told.Session, len(told.Entries)
	adopts := known && logGone(s)
	switch {
	case adopts:
		x.sum.Adopted++
	case known && n == 0:
		x.sum.Known++
	case known:
		x.sum.GrownBy++
	default:
		x.sum.New++
	}
	if n > 0 {
		x.into[row.Project] = true
	}
	switch {
	case known && !adopts && n == 0:
		return
	case known && !adopts:
		row.Transcript, row.Adopted = s.Transcript, s.Adopted
	default:
		row.Transcript, row.Adopted = l.Path, !l.own
		if l.committed {
			row.Transcript = s.Transcript // it was read from a commit
		}
	}
	if x.Shared != nil {
		row.WorkflowID, row.CurrentID = s.WorkflowID, s.CurrentID
		if !known {
			row.WorkflowID = ""
		}
	}
	x.rows = append(x.rows, row)
}

// session is what is known of a log's session; else what its row would be.
func (x *sessionImport) session(ctx context.Context, l sessionLog) (s agent.Session, known bool, err error) {
	name := l.Client.Name()
	if x.local != nil {
		s, err = x.local.SessionByClient(ctx, name, l.about.ID)
		if known = err == nil; !known && piton.CodeOf(err) != piton.NotFound {
			return s, false, err
		}
	}
	if !known {
		s = agent.Session{Identity: agent.Identity{ID: store.ImportedID(piton.SessionPrefix, name, l.about.ID), Agent: name, ClientID: l.about.ID, Cwd: l.about.Dir, ClientVersion: l.about.Version}}
	}
	if s.WorkflowID == "" {
		s.WorkflowID = store.ImportedID(piton.WorkflowPrefix, name, l.about.ID)
	}
	if s.Project == "" {
		p, err := x.project(ctx, l)
		if err != nil {
			return s, known, err
		}
		s.Project, s.Root = p.ID, cmp.Or(s.Root, p.Root)
	}
	return s, known, nil
}

// after is the newest checkpoint of a workflow with its state, so that what is known already
// is not added again.
func (x *sessionImport) after(ctx context.Context, workflow string) (after turn.ToldAfter, err error) {
	if x.k.Store == nil {
		return after, nil
	}
	after.Head, err = x.k.Store.Head(ctx, workflow, piton.MainBranch)
	if piton.CodeOf(err) == piton.NotFound {
		return turn.ToldAfter{}, nil
	}
	if err != nil {
		return after, err
	}
	if l, err := x.k.Load(ctx, history.Selector{ID: after.Head.ID}, true); err == nil {
		after.State = l.State
	}
	return after, nil
}

// project is the one that a session belongs to: the one that all are to go to, that of its
// folder where this is here, that of its origin, else one that waits for its folder.
func (x *sessionImport) project(ctx context.Context, l sessionLog) (p piton.Project, err error) {
	dir, origin := l.about.Dir, git.Normalise(l.about.Origin)
	switch {
	case x.r.Project != "" || dir == "" && origin == "" && !l.committed:
		return x.here, nil
	case l.committed:
		return l.repo, nil
	case x.local == nil:
		return p, nil
	}
	key := [2]string{dir, origin}
	if p, ok := x.projects[key]; ok {
		return p, nil
	}
	if info, slip := os.Stat(dir); slip == nil && info.IsDir() {
		p, err = turn.Identify(ctx, x.local, dir, !x.r.DryRun)
	} else {
		p, err = x.away(ctx, dir, origin)
	}
	if err != nil && piton.CodeOf(err) != piton.NotFound {
		return p, err
	}
	if x.Shared != nil && p.ID != "" {
		p.ID = p.SharedID()
	}
	x.projects[key] = p
	return p, nil
}

// away is the project of a folder that is not here, and of which nothing is looked at.
func (x *sessionImport) away(ctx context.Context, dir, origin string) (p piton.Project, err error) {
	var aliases []piton.Alias
	if origin != "" {
		aliases = append(aliases, piton.Alias{Kind: piton.AliasOrigin, Value: origin})
	}
	if dir != "" {
		aliases = append(aliases, piton.Alias{Kind: piton.AliasPath, Value: dir})
	}
	clean := redact.Value(aliases)
	if x.r.DryRun {
		p, err = x.local.KnownProject(ctx, clean.Get())
	} else {
		p, err = x.local.Project(ctx, redact.Name(filepath.Base(cmp.Or(dir, origin))), clean)
	}
	p.Root, p.Origin = dir, origin
	return p, err
}

// writeRows writes the sessions whose checkpoints are in the store now. A hook may have
// told of one meanwhile: what it says counts.
func (x *sessionImport) writeRows(ctx context.Context) error {
	for len(x.rows) > 0 {
		part := x.rows[:min(len(x.rows), 100)]
		x.rows = x.rows[len(part):]
		err := x.local.Update(ctx, func(tx store.LocalTx) error {
			for _, s := range part {
				now, err := tx.SessionByClient(ctx, s.Agent, s.ClientID)
				if err == nil && now.SeenAt.After(s.SeenAt.Time) {
					now.Transcript, now.Adopted = s.Transcript, s.Adopted
					s = now
				} else if err == nil {
					s.ID = now.ID
				} else if piton.CodeOf(err) != piton.NotFound {
					return err
				}
				if err := tx.PutSession(ctx, redact.Value(s)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// logGone reports whether the log that a session's client has named is not there any more.
func logGone(s agent.Session) bool {
	if s.Transcript == "" {
		return false
	}
	_, err := os.Stat(s.Transcript)
	return errors.Is(err, fs.ErrNotExist)
}
