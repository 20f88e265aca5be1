package app

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/request"
	"github.com/piton-project/piton/internal/turn"
)

// fromEntire is the source of sessions that the program Entire has committed.
const fromEntire = "entire"

var _ = request.Enum("sources", append(slices.Clone(clients.Names()), fromEntire))

// Entire keeps sessions on a branch of the repository: at ID/N/ what is known of a session,
// and its client's log as it was when a commit was made.
const (
	entireAbout = "metadata.json"
	entireLog   = "full.jsonl"
)

// entireRefs are where they lie, here and as they were fetched.
var entireRefs = []string{"refs/heads/entire/checkpoints", "refs/remotes/*/entire/checkpoints", "refs/entire/checkpoints"}

// Bounds of what is read of them: of what is known of one, and of a log.
const (
	maxEntireAbout = 256 << 10
	maxEntireLog   = 60 << 20
	entireBatch    = 100
)

// entireSession is a session's newest log on the branch.
type entireSession struct {
	ID      string    `json:"session_id"`
	Created time.Time `json:"created_at"`
	Branch  string    `json:"branch"`
	log     git.Blob
}

// entireLogs hands over the newest log of each session that the repositories hold. It is
// written to a file of its own for as long as it is read.
func (x *sessionImport) entireLogs(ctx context.Context, take func(sessionLog) error) error {
	folders := x.r.Files
	if len(folders) == 0 {
		folders = []string{"."}
	}
	temp, err := os.MkdirTemp("", "piton-import-*")
	if err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "import sessions", Hint: "see that the folder for temporary files can be written to", Err: err}
	}
	defer os.RemoveAll(temp)
	for _, name := range folders {
		dir, err := x.Path(name)
		if err != nil {
			return err
		}
		repo := git.Repo{Dir: dir}
		list, err := entireSessions(ctx, repo)
		if err == nil && len(list) == 0 {
			err = piton.Errorf(piton.NotFound, "import "+name, "fetch the branch: 'git fetch origin entire/checkpoints/v1:entire/checkpoints/v1'", "this repository has no branch entire/checkpoints/v1 with sessions")
		}
		if err != nil {
			return err
		}
		p, err := x.repository(ctx, dir)
		if err != nil {
			return err
		}
		progress := x.Progress("Importing sessions")
		for i, s := range list {
			if progress != nil {
				progress(int64(i), int64(len(list)))
			}
			if err := ctx.Err(); err != nil {
				return &piton.Error{Code: piton.Unavailable, Op: "import sessions", Err: err}
			}
			l, err := s.write(ctx, repo, temp)
			if err != nil {
				x.sum.Found++
				x.left.Add(name+":"+s.log.Path, s.ID, err)
				continue
			}
			l.repo, l.committed = p, true
			err = take(l)
			os.Remove(l.Path)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// repository is the project that a repository's sessions belong to.
func (x *sessionImport) repository(ctx context.Context, dir string) (p piton.Project, err error) {
	root, _, _ := git.Find(dir)
	if x.local != nil {
		p, err = turn.Identify(ctx, x.local, dir, !x.r.DryRun)
	}
	if piton.CodeOf(err) == piton.NotFound {
		err = nil // a dry run makes none
	}
	if x.Shared != nil && p.ID != "" {
		p.ID = p.SharedID()
	}
	if x.r.Project != "" {
		p = x.here
	}
	p.Root = root
	return p, err
}

// entireSessions are the sessions of a repository, each with its newest log.
func entireSessions(ctx context.Context, repo git.Repo) ([]entireSession, error) {
	refs, err := repo.Refs(ctx, entireRefs...)
	if err != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: "import the sessions of Entire", Hint: "give a clone of the repository, with its work tree", Err: err}
	}
	newest := map[string]entireSession{}
	for _, ref := range refs {
		files, err := repo.Blobs(ctx, ref)
		if err != nil {
			return nil, err
		}
		logs, abouts := map[string]git.Blob{}, []git.Blob{}
		for _, f := range files {
			switch {
			case path.Base(f.Path) == entireLog:
				logs[path.Dir(f.Path)] = f
			case path.Base(f.Path) == entireAbout && f.Size <= maxEntireAbout:
				abouts = append(abouts, f)
			}
		}
		abouts = slices.DeleteFunc(abouts, func(f git.Blob) bool { return logs[path.Dir(f.Path)].ID == "" })
		for part := range slices.Chunk(abouts, entireBatch) {
			texts, err := repo.Contents(ctx, part)
			if err != nil {
				return nil, err
			}
			for i, text := range texts {
				s := entireSession{}
				if json.Unmarshal(text, &s) != nil || s.ID == "" {
					continue
				}
				s.log = logs[path.Dir(part[i].Path)]
				if had, ok := newest[s.ID]; !ok || had.Created.Before(s.Created) {
					newest[s.ID] = s
				}
			}
		}
	}
	list := make([]entireSession, 0, len(newest))
	for _, s := range newest {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b entireSession) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

// write writes the session's log into a folder, under the name that its client would give
// it, and tells who wrote it.
func (s entireSession) write(ctx context.Context, repo git.Repo, dir string) (l sessionLog, err error) {
	about := client.About{ID: s.ID, Branch: s.Branch}.Checked()
	op := "read session " + s.ID
	switch {
	case about.ID == "":
		return l, piton.Errorf(piton.Invalid, op, "", "%.80q is not a session's id", s.ID)
	case s.log.Size > maxEntireLog:
		return l, piton.Errorf(piton.Invalid, op, "", "its log has %d MiB, more than the %d that are read from a commit", s.log.Size>>20, maxEntireLog>>20)
	}
	texts, err := repo.Contents(ctx, []git.Blob{s.log})
	if err != nil {
		return l, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	name := about.ID + ".jsonl"
	if bytes.HasPrefix(texts[0], []byte("{\n")) || bytes.HasPrefix(texts[0], []byte("{\r")) {
		name = about.ID + ".json" // a document of Gemini CLI
	}
	if err := os.WriteFile(filepath.Join(dir, name), texts[0], 0o600); err != nil {
		return l, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	if l.Log, err = turn.LogAt(filepath.Join(dir, name), nil); err != nil {
		return l, piton.Errorf(piton.Invalid, op, "", "its log is of a client that Piton does not know")
	}
	if err := os.Chtimes(l.Path, s.Created, s.Created); err != nil {
		return l, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	told, err := l.Client.About(l.Path)
	l.about = told
	if told.ID == "" || !strings.HasSuffix(about.ID, "-"+told.ID) { // older versions put the day before the client's id
		l.about.ID = about.ID
	}
	if about.Branch != "" {
		l.about.Branch = about.Branch
	}
	return l, err
}
