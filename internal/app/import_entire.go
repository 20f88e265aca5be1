package app

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/request"
)

// fromEntire is the source of sessions that the program Entire has committed.
const fromEntire = "entire"

var _ = request.Enum("sources", append(slices.Clone(clients.Names()), fromEntire))

// entireRefs are where Entire keeps sessions, here and as they were fetched: at ID/N/ what is
// known of a session, and its client's log as it was when a commit was made.
var entireRefs = []string{"refs/heads/entire/checkpoints", "refs/remotes/*/entire/checkpoints", "refs/entire/checkpoints"}

// maxEntireAbout bounds what is read of what is known of one.
const maxEntireAbout = 256 << 10

// dayBefore is what older versions of Entire put before the client's id of a session.
var dayBefore = regexp.MustCompile(`^\d{4}-\d\d-\d\d-`)

// entireSession is what Entire says of a session, and where its log is.
type entireSession struct {
	ID      string    `json:"session_id"`
	Created time.Time `json:"created_at"`
	Branch  string    `json:"branch"`
	Log     string    `json:"-"` // its path in the commit
	commit  string
	repo    git.Repo
}

// says is what is known of a log's session by what Entire says of it; the zero value says nothing.
func (s entireSession) says(about client.About) client.About {
	about.ID, about.Branch = cmp.Or(s.ID, about.ID), cmp.Or(s.Branch, about.Branch)
	return about.Checked()
}

// entireSessions are the sessions of a repository, each with its newest log.
func entireSessions(ctx context.Context, repo git.Repo) (map[string]entireSession, error) {
	trees, err := repo.Names(ctx, entireRefs...)
	newest := map[string]entireSession{}
	for commit, names := range trees {
		there := map[string]bool{}
		for _, name := range names {
			there[name] = true
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			return path.Base(name) != "metadata.json" || !there[logBeside(name)]
		})
		for part := range slices.Chunk(names, 1000) {
			err = cmp.Or(err, exported(ctx, repo, commit, part, func(file, name string) error {
				s := entireSession{Log: logBeside(name), commit: commit, repo: repo}
				if info, err := os.Stat(file); err != nil || info.Size() > maxEntireAbout {
					return err
				}
				text, err := os.ReadFile(file)
				if err != nil || json.Unmarshal(text, &s) != nil || s.ID == "" {
					return err
				}
				s.ID = dayBefore.ReplaceAllString(s.ID, "")
				if had, ok := newest[s.ID]; !ok || had.Created.Before(s.Created) {
					newest[s.ID] = s
				}
				return nil
			}))
		}
	}
	return newest, err
}

// logBeside is the client's log beside what is known of a session.
func logBeside(name string) string { return path.Join(path.Dir(name), "full.jsonl") }

// exported copies files of a commit for as long as they are looked at, each by its name in the
// commit. Links are passed over.
func exported(ctx context.Context, repo git.Repo, commit string, names []string, look func(file, name string) error) error {
	dir, err := os.MkdirTemp("", "piton-import-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := repo.Export(ctx, commit, dir, names...); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return look(file, filepath.ToSlash(name))
	})
}
