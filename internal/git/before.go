package git

import (
	"context"
	"errors"
)

// MaxBefore bounds the files whose earlier text is asked for at once: each
// costs a run of git.
const MaxBefore = 8

// Before gives the texts that files had in a commit, "" for HEAD, by their
// paths; nil for a file that was not there, or is no text of a file's size. Of
// more than MaxBefore paths the others are left out.
func (r Repo) Before(ctx context.Context, commit string, paths []string) (map[string]*string, error) {
	t, err := r.open()
	if err != nil {
		return nil, err
	}
	if !isID(commit) {
		commit = "HEAD"
	}
	was := map[string]*string{}
	for _, path := range paths[:min(len(paths), MaxBefore)] {
		name, err := bytesOf(path)
		if err != nil {
			continue
		}
		out, err := t.run(ctx, limit, "cat-file", "blob", commit+":"+name)
		switch {
		case err == nil:
			text := string(out)
			was[path] = &text
		case errors.Is(err, ErrTimeout), errors.Is(err, ErrNoGit), ctx.Err() != nil:
			return nil, err
		default:
			was[path] = nil
		}
	}
	return was, nil
}
