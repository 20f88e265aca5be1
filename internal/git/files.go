package git

import (
	"context"
	"strings"
)

// Files are the paths of the work tree's files, relative to its root: those that git knows and those that it does not ignore.
func (r Repo) Files(ctx context.Context) ([]string, error) {
	t, err := r.open()
	if err != nil {
		return nil, err
	}
	out, err := t.run(ctx, limit, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 }), nil
}
