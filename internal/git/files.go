package git

import (
	"context"
	"strings"
)

// Files are the paths of the work tree's files, relative to its root: those that git knows and those that it does not ignore.
func (r Repo) Files(ctx context.Context) ([]string, error) {
	return r.list(ctx, "--cached", "--others", "--exclude-standard")
}

// Ignored are the paths that git ignores, a folder in which all is ignored as one, with a slash.
func (r Repo) Ignored(ctx context.Context) ([]string, error) {
	return r.list(ctx, "--others", "--ignored", "--exclude-standard", "--directory")
}

func (r Repo) list(ctx context.Context, flags ...string) ([]string, error) {
	t, err := r.open()
	if err != nil {
		return nil, err
	}
	out, err := t.run(ctx, limit, append([]string{"ls-files", "-z"}, flags...)...)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 }), nil
}
