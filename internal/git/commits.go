package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// committed gives the files that commits of this turn changed, as they differ now from the baseline's commit: renames seen over
// all commits together, and what one commit did and another undid left out.
//
// A commit is of this turn if its committer date is not older than the baseline, and the baseline's commit does not have it
// already. So commits that were pulled are left out, and after a reset, a rebase, an amendment or a change of branch
// only what was written anew counts, and of that only what differs from before. A merge of this turn makes a tree that
// nobody had before, so all that it joined counts; a fast-forward makes none.
func (t *tree) committed(ctx context.Context, base *Baseline, head string) ([]File, error) {
	since := ""
	if !base.Taken.IsZero() {
		since = fmt.Sprintf("--max-age=%d", base.Taken.Add(-time.Second).Unix()) // git's clock has seconds, and may lag one behind ours
	}
	if base.Head == "" {
		return t.net(ctx, emptyTree(head), head, since)
	}
	if isID(base.Head) {
		files, err := t.net(ctx, base.Head, head, since)
		if err == nil || known(err) {
			return files, err
		}
	}
	// The baseline's commit is lost (pruned, or of another repository): the commits themselves have to do.
	files, _, err := t.log(ctx, since, head)
	return files, err
}

func known(err error) bool {
	kinds := []error{ErrNoRepo, ErrDamaged, ErrBare, ErrNoGit, ErrOwner, ErrTimeout, context.Canceled}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// net gives what differs between from, a commit or the empty tree, and head, in the files the commits between touched.
func (t *tree) net(ctx context.Context, from, head, since string) ([]File, error) {
	revisions, parent := []string{head}, ""
	if from != emptyTree(head) {
		revisions, parent = []string{head, "^" + from}, from
	}
	files, commits, err := t.log(ctx, since, revisions...)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	if len(commits) == 1 && commits[0] == head+" "+parent {
		return files, nil // one commit on top of the baseline's is the whole difference: another run of git saved
	}
	touched := make(map[string]bool, len(files))
	for _, f := range files {
		touched[f.Path] = true
		if f.OrigPath != "" {
			touched[f.OrigPath] = true
		}
	}
	args := []string{"diff-tree", "-r", "-z", "-M", "--name-status", from, head, "--"}
	const most = 500 // paths fit on a command line, and keep git from looking for renames in all that was pulled
	if len(touched) <= most {
		for path := range touched {
			args = append(args, path)
		}
	}
	out, err := t.run(ctx, limit, args...)
	if err != nil && !errors.Is(err, errCut) {
		return nil, err
	}
	files = nil
	net, _ := parseNames(out)
	for _, f := range net {
		if touched[f.Path] || touched[f.OrigPath] {
			files = append(files, f)
		}
	}
	return files, nil
}

// log gives what the commits changed, newest first, each path once, a merge against each of its parents, and the commits, each
// with its parents: "id id".
func (t *tree) log(ctx context.Context, since string, revisions ...string) (files []File, commits []string, err error) {
	args := []string{"log", "-m", "--format=%H %P", "--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv", "--no-color"}
	if since != "" {
		args = append(args, since)
	}
	out, err := t.run(ctx, limit, append(append(args, revisions...), "--")...)
	if err != nil && !errors.Is(err, errCut) {
		return nil, nil, err
	}
	all, commits := parseNames(out)
	seen := make(map[string]bool)
	for _, f := range all {
		if !seen[f.Path] {
			seen[f.Path] = true
			files = append(files, f)
		}
	}
	return files, commits, nil
}

// isID keeps anything but an object's id out of git's arguments.
func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// emptyTree is the tree without files, which git knows without having it; its id depends on the repository's hash.
func emptyTree(head string) string {
	if len(head) == 64 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}
