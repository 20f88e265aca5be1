package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
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

// entireRefs are where Entire keeps sessions, here and as they were fetched: at ID/N/ what is
// known of a session, and its client's log as it was when a commit was made.
var entireRefs = []string{"refs/heads/entire/checkpoints", "refs/remotes/*/entire/checkpoints/*", "refs/entire/checkpoints"}

// Bounds of what is read: of what is known of one session, of how many at once, and of a log.
const (
	maxEntireAbout = 256 << 10
	entireBatch    = 100
	maxEntireLog   = 60 << 20
)

// dayBefore is what older versions of Entire put before the client's id of a session.
var dayBefore = regexp.MustCompile(`^\d{4}-\d\d-\d\d-`)

// entireSession is what Entire says of a session, and where its log is.
type entireSession struct {
	ID      string    `json:"session_id"`
	Created time.Time `json:"created_at"`
	Branch  string    `json:"branch"`
	log     git.Blob
	repo    git.Repo
}

// says is what is known of a log's session by what Entire says of it; the zero value says nothing.
func (s entireSession) says(about client.About) client.About {
	about.ID, about.Branch = cmp.Or(s.ID, about.ID), cmp.Or(s.Branch, about.Branch)
	return about.Checked()
}

// entireSessions are the sessions of a repository, each with its newest log, and how many
// there are of which nothing can be read.
func entireSessions(ctx context.Context, repo git.Repo) (map[string]entireSession, int, error) {
	refs, err := repo.Refs(ctx, entireRefs...)
	newest, unread := map[string]entireSession{}, 0
	for _, ref := range refs {
		files, failed := repo.Blobs(ctx, ref)
		if failed != nil {
			return nil, 0, failed
		}
		logs := map[string]git.Blob{}
		for _, f := range files {
			if path.Base(f.Path) == "full.jsonl" {
				logs[path.Dir(f.Path)] = f
			}
		}
		abouts := slices.DeleteFunc(files, func(f git.Blob) bool {
			return path.Base(f.Path) != "metadata.json" || f.Size > maxEntireAbout || logs[path.Dir(f.Path)].ID == ""
		})
		for part := range slices.Chunk(abouts, entireBatch) {
			texts, failed := repo.Contents(ctx, part)
			if failed != nil {
				return nil, 0, failed
			}
			for i, text := range texts {
				s := entireSession{log: logs[path.Dir(part[i].Path)], repo: repo}
				if json.Unmarshal(text, &s) != nil || s.ID == "" {
					unread++
					continue
				}
				s.ID = dayBefore.ReplaceAllString(s.ID, "")
				if had, ok := newest[s.ID]; !ok || had.Created.Before(s.Created) {
					newest[s.ID] = s
				}
			}
		}
	}
	return newest, unread, err
}

// write writes the session's log into a folder, under the name that its client would give it,
// and tells who wrote it.
func (s entireSession) write(ctx context.Context, dir string) (turn.Log, error) {
	op := "read session " + s.ID
	switch {
	case s.says(client.About{}).ID == "":
		return turn.Log{}, piton.Errorf(piton.Invalid, op, "", "%.80q is not a session's id", s.ID)
	case s.log.Size > maxEntireLog:
		return turn.Log{}, piton.Errorf(piton.Invalid, op, "", "its log has %d MiB, more than the %d that are read from a commit", s.log.Size>>20, maxEntireLog>>20)
	}
	texts, err := s.repo.Contents(ctx, []git.Blob{s.log})
	if err == nil && texts[0] == nil {
		err = errors.New("its log is not in this clone")
	}
	name := filepath.Join(dir, s.ID+".jsonl")
	if err == nil {
		err = os.WriteFile(name, texts[0], 0o600)
	}
	if err != nil {
		return turn.Log{}, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	l, err := turn.LogAt(name, nil)
	if err != nil {
		err = piton.Errorf(piton.Invalid, op, "", "its log is of a client that Piton does not know")
	}
	return l, err
}
