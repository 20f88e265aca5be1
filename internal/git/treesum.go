package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// TreeSum is equal for equal work trees, ignored files aside: HEAD's commit and the content of all that is not as in it; of large
// files size and times. It is "" where that cannot be told cheaply: more files than are hashed, or other repositories inside, whose
// content git does not look at here.
func (r Repo) TreeSum(ctx context.Context) (string, error) {
	t, err := r.open()
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(filepath.Join(t.root, ".gitmodules")); err == nil {
		return "", nil
	}
	b, err := r.Baseline(ctx)
	if err != nil || b.Bounded || len(b.Files) > hashedFiles {
		return "", err
	}
	for path := range b.Files {
		if strings.HasSuffix(path, "/") {
			return "", nil
		}
	}
	return b.sum(), nil
}
