package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/store/localfs"
)

// guard takes away the filter programs (filter.*.clean and .process) that the repository's own configuration names: status would run
// them on files whose times changed. A driver the user has too (git-lfs, say) does what the user's own configuration says.
// The price: a file such a filter changes counts as modified once it is touched. It costs a run of git, only where there are any.
func (t *tree) guard(ctx context.Context, within time.Duration) error {
	config := t.configuration()
	if config.says("sparsecheckout") && !sparse(filepath.Join(t.dir, "index")) {
		// Status would make the full index a sparse one in memory, for which git writes tree objects into the repository. One that is
		// sparse already stays as it is: to expand it takes long in a large repository.
		t.own, t.env = []string{"index.sparse\x00false"}, nil
	}
	if !config.says("[filter", "[include") {
		return nil
	}
	out, err := t.run(ctx, within, "config", "--list", "-z", "--show-scope", "--includes")
	if err != nil {
		return err
	}
	t.own, t.env = append(t.own, withoutFilters(out)...), nil
	return nil
}

// configuration is what the repository's own configuration files say.
type configuration struct {
	text   []byte
	unread bool // one of them cannot be read
}

func (t *tree) configuration() (c configuration) {
	for _, name := range []string{filepath.Join(commonDir(t.dir), "config"), filepath.Join(t.dir, "config.worktree")} {
		b, err := readSmall(name)
		c.text = append(c.text, b...)
		c.unread = c.unread || err != nil && !errors.Is(err, fs.ErrNotExist)
	}
	return c
}

// says reports whether one of some words, in lower case, may stand in it in any case.
func (c configuration) says(words ...string) bool {
	text := bytes.ToLower(c.text)
	return c.unread || slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
}

// sparse reports whether an index has the extension that marks a sparse one: the last but the one that ends them.
func sparse(index string) bool {
	f, info, err := localfs.OpenPlain(index, true)
	if err != nil {
		return false
	}
	defer f.Close()
	end := make([]byte, min(info.Size(), 256))
	_, err = f.ReadAt(end, info.Size()-int64(len(end)))
	return err == nil && bytes.Contains(end, []byte("sdir"))
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
