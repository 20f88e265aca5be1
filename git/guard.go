package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
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

// namesPrograms says whether a configuration may name filters: it has such a section, or includes other files, or cannot be read.
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

// opensSubmodules says whether git may look into the submodules of the work tree at root: they are listed, and none has filter programs
// of its own, since git runs itself in each. Else only their commits are compared.
func opensSubmodules(root string, depth int) bool {
	paths := submodules(root)
	if len(paths) == 0 || depth == 0 {
		return false
	}
	for _, path := range paths {
		sub := filepath.Join(root, path)
		dir, found := gitDirOf(sub)
		if !found || dir == "" {
			continue // not checked out
		}
		if namesPrograms(filepath.Join(commonDir(dir), "config")) || namesPrograms(filepath.Join(dir, "config.worktree")) {
			return false
		}
		if _, err := os.Lstat(filepath.Join(sub, ".gitmodules")); err == nil && !opensSubmodules(sub, depth-1) {
			return false
		}
	}
	return true
}

// submodules lists the paths that .gitmodules names.
func submodules(root string) []string {
	b, err := readSmall(filepath.Join(root, ".gitmodules"))
	if err != nil {
		return nil
	}
	var paths []string
	for _, s := range settings(string(b)) {
		if s.Section == "submodule" && s.Key == "path" && filepath.IsLocal(s.Value) {
			paths = append(paths, s.Value)
		}
	}
	return paths
}
