package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// sessionLog is a log to import.
type sessionLog struct {
	turn.Log
	own       bool          // it lies where its client looks for it
	committed entireSession // where it is read from a commit: what that says
	written   time.Time     // when something was last written to it
}

// sessionImport is one import of sessions.
type sessionImport struct {
	Upkeep
	ImportedSessions
	k        history.Keeper
	local    *store.Local // nil: there is no store yet, and a dry run makes none
	r        ImportRequest
	here     piton.Project
	since    piton.Time
	left     caller.UnreadList
	known    int // checkpoints
	rows     []agent.Session
	projects map[[2]string]piton.Project // by folder and origin
	seen     map[string]bool             // sessions, by client and its id
}

// importSessions adds the sessions of logs.
func (a Upkeep) importSessions(ctx context.Context, r ImportRequest) (Imported, error) {
	x := &sessionImport{Upkeep: a, r: r, projects: map[[2]string]piton.Project{}, seen: map[string]bool{}}
	x.Logs = map[string]int{}
	find := x.clientLogs
	if r.From == fromEntire {
		find = x.entireLogs
	}
	logs, err := find(ctx)
	if err == nil {
		err = x.open(ctx)
	}
	if err != nil {
		return Imported{}, err
	}
	for i, l := range logs {
		if info, err := os.Stat(l.Path); err == nil {
			logs[i].written = info.ModTime()
		}
	}
	slices.SortStableFunc(logs, func(l, m sessionLog) int { return l.written.Compare(m.written) }) // lists begin with what came last
	got, err := x.k.Import(ctx, x.entries(ctx, logs), history.ImportOptions{DryRun: r.DryRun, Skip: skip(&x.left)})
	if err == nil && !r.DryRun {
		err = x.writeRows(ctx)
	}
	got.Known += x.known
	slices.Sort(x.Folders)
	x.Folders = slices.Compact(x.Folders)
	out, err := a.imported(ctx, x.k, got, &x.left, err)
	out.Sessions = &x.ImportedSessions
	return out, err
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
func (x *sessionImport) entries(ctx context.Context, logs []sessionLog) store.Entries {
	return func(yield func(store.Entry, error) bool) {
		progress := x.Progress("Importing sessions")
		for i, l := range logs {
			if progress != nil {
				progress(int64(i), int64(len(logs)))
			}
			name := cmp.Or(l.Path, l.committed.log.Path)
			list, outcome, err := x.read(ctx, l)
			if ctx.Err() != nil {
				yield(store.Entry{}, &piton.Error{Code: piton.Unavailable, Op: "import sessions", Err: ctx.Err()})
				return
			}
			if x.left.File = name; err != nil {
				x.left.Add(name, l.committed.ID, err)
				continue
			}
			x.Logs[outcome]++
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// clientLogs are the logs of a client, in its own folder or in those named.
func (x *sessionImport) clientLogs(context.Context) (all []sessionLog, err error) {
	c, _ := clients.ByName(x.r.From)
	own := cmp.Or(setup.ConfigDir(c.Name(), x.Options.Getenv), filepath.Join(config.UserHome(x.Options.Getenv), c.Settings().InHome))
	folders := x.r.Files
	for _, pattern := range c.Settings().Logs {
		if top, _, _ := strings.Cut(pattern, "/"); len(folders) == 0 {
			folders = []string{filepath.Join(own, top)}
		}
	}
	for _, name := range folders {
		dir, err := x.Path(name)
		if err != nil {
			return nil, err
		}
		there, others, err := turn.LogsAt(dir, nil)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(x.r.Files) > 0:
			return nil, err
		case err != nil && len(x.r.Files) > 0:
			x.left.Add(dir, "", err)
			continue
		}
		x.Logs["other"] += others
		for _, l := range there {
			if l.Client.Name() != c.Name() {
				x.Logs["other"]++
				continue
			}
			all = append(all, sessionLog{Log: l, own: strings.HasPrefix(l.Path, own+string(filepath.Separator))})
		}
	}
	if len(all) == 0 && x.left.Count > 0 {
		return nil, x.left.Failure()
	}
	if len(all) == 0 {
		err = piton.Errorf(piton.NotFound, "import the sessions of "+x.r.From, "name the folder that has them: the client keeps its own in "+own, "there is no log of a session of %s in %s", x.r.From, strings.Join(folders, ", "))
	}
	return all, err
}

// entireLogs are the newest logs of the sessions that repositories hold.
func (x *sessionImport) entireLogs(ctx context.Context) (all []sessionLog, err error) {
	folders := x.r.Files
	if len(folders) == 0 {
		folders = []string{"."}
	}
	for _, name := range folders {
		dir, err := x.Path(name)
		if err != nil {
			return nil, err
		}
		sessions, unread, err := entireSessions(ctx, git.Repo{Dir: dir})
		switch {
		case err != nil:
			return nil, &piton.Error{Code: piton.Invalid, Op: "import " + name, Hint: "give a clone of the repository, with its work tree", Err: err}
		case len(sessions) == 0 && unread == 0:
			return nil, piton.Errorf(piton.NotFound, "import "+name, "fetch the branch: 'git fetch origin entire/checkpoints/v1:entire/checkpoints/v1'", "this repository has no branch entire/checkpoints/v1 with sessions")
		}
		x.Logs["other"] += unread
		root, _, _ := git.Find(dir)
		for _, id := range slices.Sorted(maps.Keys(sessions)) {
			all = append(all, sessionLog{Log: turn.Log{Tree: root}, committed: sessions[id], written: sessions[id].Created})
		}
	}
	return all, nil
}

// read reads a log where it lies, or, for as long as that takes, a copy of a committed one.
func (x *sessionImport) read(ctx context.Context, l sessionLog) (list []store.Entry, outcome string, err error) {
	if l.committed.ID == "" {
		return x.told(ctx, l)
	}
	dir, err := os.MkdirTemp("", "piton-import-*")
	if err != nil {
		return nil, "", &piton.Error{Code: piton.Unavailable, Op: "import sessions", Hint: "see that the folder for temporary files can be written to", Err: err}
	}
	defer os.RemoveAll(dir)
	copied, err := l.committed.write(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	l.Path, l.Client = copied.Path, copied.Client
	return x.told(ctx, l)
}

// told reads one log, and says what it adds, and what became of it.
func (x *sessionImport) told(ctx context.Context, l sessionLog) (list []store.Entry, outcome string, err error) {
	info, err := os.Stat(l.Path)
	if err != nil {
		return nil, "", &piton.Error{Code: piton.Unavailable, Op: "read " + l.Path, Err: err}
	}
	about, err := l.Client.About(l.Path)
	if err != nil {
		return nil, "", err
	}
	about = l.committed.says(about)
	key := l.Client.Name() + " " + about.ID
	switch {
	case about.Subagent:
		return nil, "other", nil
	case l.written.Before(x.since.Time):
		return nil, "older", nil
	case info.Size() > turn.MaxToldBytes:
		return nil, "", piton.Errorf(piton.Invalid, "read "+l.Path, "", "it has %d MiB, more than the %d that are read of a log", info.Size()>>20, turn.MaxToldBytes>>20)
	case about.ID == "":
		if prompts, _, err := l.Client.Prompts(l.Path); err == nil && len(prompts) == 0 {
			return nil, "empty", nil // Claude Code writes such files beside its sessions
		}
		return nil, "", piton.Errorf(piton.Invalid, "read "+l.Path, "give the logs of the client named in 'from'", "it names no session")
	case x.seen[key]: // its entries are not in the store yet, so nothing can go on from them
		return nil, "copies", nil
	}
	x.seen[key] = true
	s, known, err := x.session(ctx, l, about)
	if err != nil {
		return nil, "", err
	}
	if known && turn.Alive(s, x.Now()) {
		return nil, "at_work", nil
	}
	after, err := x.after(ctx, s.WorkflowID)
	if err != nil {
		return nil, "", err
	}
	if isDir(s.Root) {
		l.Tree = s.Root
	}
	told, err := l.Told(ctx, s, about, after, x.Now())
	if err != nil {
		return nil, "", err
	}
	return x.adds(told, l, s, known, after)
}

// adds is what a log that was read adds to what is known of its session.
func (x *sessionImport) adds(told turn.Told, l sessionLog, s agent.Session, known bool, after turn.ToldAfter) ([]store.Entry, string, error) {
	n := len(told.Entries)
	goesOn := known && after.Head.ID != "" && (n > 0 || logGone(s))
	if goesOn && !l.own && !told.Same { // anybody's log can name the id
		return nil, "", anotherSession(s, "and not the newest prompt of that one")
	}
	switch {
	case n == 0 && told.Known == 0:
		return nil, "empty", nil
	case n > 0 && told.Entries[n-1].Checkpoint.CreatedAt.Before(x.since.Time):
		return nil, "older", nil
	case told.Known == 0:
		x.Turns += told.Before
	}
	if known && x.Shared != nil {
		n, told.Entries = 0, nil // its hooks' line in the local file could not go on from these
	}
	x.known += told.Known
	row, outcome := told.Session, "new"
	switch gone := logGone(s) && s.Transcript != redact.Name(l.Path).Get(); { // a path may be redacted in the store
	case known && gone:
		outcome = "adopted"
	case known && n == 0:
		return nil, "known", nil
	case known:
		outcome = "grown"
	}
	row.Transcript, row.Adopted = l.Path, !l.own
	if outcome == "grown" {
		row.Adopted = s.Adopted
	}
	if outcome == "grown" || l.committed.ID != "" {
		row.Transcript = s.Transcript
	}
	if x.Shared != nil {
		row.WorkflowID, row.CurrentID = s.WorkflowID, s.CurrentID
		if !known {
			row.WorkflowID = ""
		}
	}
	x.rows = append(x.rows, row)
	if n > 0 && row.Cwd != "" {
		folder, _ := redact.Text(row.Cwd)
		x.Folders = append(x.Folders, folder)
	}
	return told.Entries, outcome, nil
}

// session is what is known of a log's session; else what its row would be.
func (x *sessionImport) session(ctx context.Context, l sessionLog, about client.About) (s agent.Session, known bool, err error) {
	name := l.Client.Name()
	id := store.ImportedID(piton.SessionPrefix, name, about.ID)
	if x.local != nil {
		s, err = x.local.SessionByClient(ctx, name, about.ID)
		if piton.CodeOf(err) == piton.NotFound {
			s, err = x.local.Session(ctx, id) // the client's id may be redacted there
		}
		if known = err == nil; !known && piton.CodeOf(err) != piton.NotFound {
			return s, false, err
		}
	}
	if !known {
		s = agent.Session{Identity: agent.Identity{ID: id, Agent: name, ClientID: about.ID, Cwd: about.Dir, ClientVersion: about.Version}}
	}
	s.WorkflowID = cmp.Or(s.WorkflowID, store.ImportedID(piton.WorkflowPrefix, name, about.ID))
	if s.Project != "" && l.committed.ID == "" {
		return s, known, nil
	}
	p, err := x.project(ctx, cmp.Or(l.Tree, about.Dir, about.Windows), git.Normalise(about.Origin))
	if s.Project == "" {
		s.Project, s.Root = p.ID, cmp.Or(s.Root, p.Root)
	}
	if err == nil && s.Project != p.ID && x.Shared == nil {
		err = anotherSession(s, "of another project")
	}
	return s, known, err
}

func anotherSession(s agent.Session, why string) error {
	return piton.Errorf(piton.Conflict, "read the log", "'sessions "+s.ID+"' shows the session that is known", "it has the id of another session, %s, %s", s.ID, why)
}

// after is the newest checkpoint of a workflow with its state, so that what is known already
// is not added again.
func (x *sessionImport) after(ctx context.Context, workflow string) (after turn.ToldAfter, err error) {
	if x.k.Store == nil {
		return after, nil
	}
	after.Head, err = x.k.Store.Head(ctx, workflow, piton.MainBranch)
	if err != nil {
		return turn.ToldAfter{}, caller.UnlessMissing(err)
	}
	if l, err := x.k.Load(ctx, history.Selector{ID: after.Head.ID}, true); err == nil {
		after.State = l.State
	}
	return after, nil
}

// project is the one that a session belongs to: the one that all are to go to, that of its
// folder where this is here, that of its origin, else one that waits for its folder. Nothing
// is looked at in a folder that is not here.
func (x *sessionImport) project(ctx context.Context, dir, origin string) (p piton.Project, err error) {
	key := [2]string{dir, origin}
	p, ok := x.projects[key]
	switch {
	case ok:
		return p, nil
	case x.r.Project != "" || key == [2]string{}:
		return x.here, nil
	case x.local == nil:
		return p, nil
	}
	if isDir(dir) {
		p, err = turn.Identify(ctx, x.local, dir, !x.r.DryRun)
	} else {
		alias := piton.Alias{Kind: piton.AliasOrigin, Value: origin}
		if origin == "" { // on other machines many projects lie at /workspace
			alias = piton.Alias{Kind: piton.AliasPath, Value: dir}
		}
		p, err = turn.ByAliases(ctx, x.local, path.Base(strings.ReplaceAll(cmp.Or(dir, origin), `\`, "/")), []piton.Alias{alias}, !x.r.DryRun)
		if p.Origin = origin; filepath.IsAbs(dir) {
			p.Root = dir
		}
	}
	if x.Shared != nil && p.ID != "" {
		p.ID = p.SharedID()
	}
	if err = caller.UnlessMissing(err); err == nil {
		x.projects[key] = p
	}
	return p, err
}

// writeRows writes the sessions whose checkpoints are in the store now. A hook may have
// told of one meanwhile: what it says counts.
func (x *sessionImport) writeRows(ctx context.Context) error {
	for part := range slices.Chunk(x.rows, 100) {
		err := x.local.Update(ctx, func(tx store.LocalTx) error {
			for _, s := range part {
				now, err := tx.SessionByClient(ctx, s.Agent, s.ClientID)
				switch {
				case err == nil && now.SeenAt.After(s.SeenAt.Time):
					now.Transcript, now.Adopted = s.Transcript, s.Adopted
					s = now
				case err == nil:
					s.ID = now.ID
				case !caller.Missing(err):
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

// isDir reports whether a folder that a log names is one here.
func isDir(dir string) bool {
	info, err := os.Stat(dir)
	return filepath.IsAbs(dir) && err == nil && info.IsDir()
}

// logGone reports whether the log that a session's client has named is not there any more.
func logGone(s agent.Session) bool {
	if s.Transcript == "" {
		return false
	}
	_, err := os.Stat(s.Transcript)
	return errors.Is(err, fs.ErrNotExist)
}
