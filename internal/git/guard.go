package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// guard takes away the filter programs (filter.*.clean and .process) that the repository's own configuration names: status would run
// them on files whose times changed. A driver the user has too (git-lfs, say) does what the user's own configuration says.
// The price: a file such a filter changes counts as modified once it is touched. It costs a run of git, only where there are any.
func (t *tree) guard(ctx context.Context) error {
	if !namesPrograms(filepath.Join(commonDir(t.dir), "config")) && !namesPrograms(filepath.Join(t.dir, "config.worktree")) {
		return nil
	}
	out, err := t.run(ctx, limit, "config", "--list", "-z", "--show-scope", "--includes")
	if err != nil {
		return err
	}
	t.own, t.env = withoutFilters(out), nil
	return nil
}

// namesPrograms reports whether a configuration may name filters: it has such a section, or includes other files, or cannot be read.
func namesPrograms(config string) bool {
	b, err := readSmall(config)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	b = bytes.ToLower(b)
	return bytes.Contains(b, []byte("[filter")) || bytes.Contains(b, []byte("[include"))
}

// withoutFilters reads scope NUL key LF value NUL … and gives "key NUL value" settings that undo what the repository adds.
// Only keys it sets are given: an empty process would keep git from the user's own clean.
func withoutFilters(list []byte) []string {
	users, repos := map[string]string{}, []string(nil)
	f := strings.Split(string(list), "\x00")
	for i := 0; i+1 < len(f); i += 2 {
		key, value, given := strings.Cut(f[i+1], "\n")
		switch {
		case !strings.HasPrefix(key, "filter."):
		case f[i] == "local" || f[i] == "worktree":
			repos = append(repos, key)
		case given:
			users[key] = value
		default:
			users[key] = "true"
		}
	}
	var own, optional []string
	for _, key := range repos {
		value, ok := users[key]
		own = append(own, key+"\x00"+value) // required: an empty one is false
		if !ok {
			driver := key[:strings.LastIndexByte(key, '.')]
			optional = append(optional, driver+".required\x00false") // nobody misses it
		}
	}
	return append(own, optional...)
}
