package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Left gives the files of the commits that were made since a moment on branches of this repository and that are not in HEAD: on a
// branch that was left, or of another work tree. base is the commit to count from, where it is known. It costs a run of git.
func (r Repo) Left(ctx context.Context, since time.Time, base, head string) ([]File, error) {
	t, err := r.open()
	if err != nil {
		return nil, err
	}
	if since.IsZero() {
		return nil, nil
	}
	revisions := []string{"--branches"}
	for _, id := range []string{base, head} {
		if isID(id) {
			revisions = append(revisions, "^"+id)
		}
	}
	files, _, err := t.log(ctx, fmt.Sprintf("--max-age=%d", since.Add(-time.Second).Unix()), revisions...)
	return files, err
}

// maxTrees bounds the work trees of a repository that are listed.
const maxTrees = 200

// Trees are the roots of the repository's other work trees that are there, without starting git: the main one, and those that
// "git worktree add" made. Each is checked to be known to the repository (see RepositoryOf).
func (r Repo) Trees() []string {
	root, gitDir, ok := Find(r.Dir)
	if !ok {
		return nil
	}
	common := commonDir(gitDir)
	var candidates []string
	if gitDir != filepath.Join(root, ".git") && filepath.Base(common) == ".git" {
		candidates = append(candidates, filepath.Dir(common))
	}
	var names []string
	at := filepath.Join(common, "worktrees")
	if info, err := os.Stat(at); err == nil && info.IsDir() { // most repositories have none
		if dir, err := os.Open(at); err == nil {
			names, _ = dir.Readdirnames(maxTrees)
			dir.Close()
		}
	}
	for _, name := range names {
		b, err := readSmall(filepath.Join(common, "worktrees", name, "gitdir"))
		if err != nil {
			continue
		}
		candidates = append(candidates, filepath.Dir(strings.TrimRight(string(b), "\r\n")))
	}
	if len(candidates) == 0 {
		return nil
	}
	repo := RepositoryOf(root)
	if repo == "" {
		return nil
	}
	var trees []string
	for _, c := range candidates {
		at, _, ok := Find(c)
		if ok && at != root && !slices.Contains(trees, at) && RepositoryOf(at) == repo {
			trees = append(trees, at)
		}
	}
	slices.Sort(trees)
	return trees
}

// HeadAt is the commit that was the newest of the branch at a moment, by the times that
// commits bear; "" where there was none. It costs a run of git.
func (r Repo) HeadAt(ctx context.Context, at time.Time) (string, error) {
	t, err := r.open()
	if err != nil {
		return "", err
	}
	out, err := t.run(ctx, limit, "rev-list", "-1", fmt.Sprintf("--before=%d", at.Unix()), "HEAD")
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !isID(id) {
		return "", nil
	}
	return id, nil
}
