package turn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// links follows the symbolic links in the paths of calls: git names files
// without any. It is asked only for paths that fit no file as they are, opens no
// file, and looks at each folder once.
type links struct {
	folders map[string]string
	found   map[string]string // paths that were others
	asked   int
}

// Bounds of what is followed: paths of one turn, and links of one path.
const (
	maxFollowed = 5000
	maxLinks    = 40
)

func newLinks() *links {
	return &links{folders: map[string]string{}, found: map[string]string{}}
}

// resolve is an absolute path without symbolic links. What is not there is
// resolved as far as it is.
func (l *links) resolve(path string) string {
	if l.asked++; l.asked > maxFollowed || !filepath.IsAbs(path) {
		return path
	}
	real := l.file(filepath.Clean(path), maxLinks)
	if real != path {
		l.found[path] = real
	}
	return real
}

// file follows the path's last part too, also where it leads to what is not
// there any more.
func (l *links) file(path string, left int) string {
	path = filepath.Join(l.folder(filepath.Dir(path), left), filepath.Base(path))
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || left == 0 {
		return path
	}
	to, err := os.Readlink(path)
	if err != nil {
		return path
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return l.file(filepath.Clean(to), left-1)
}

func (l *links) folder(dir string, left int) string {
	if real, known := l.folders[dir]; known {
		return real
	}
	up := filepath.Dir(dir)
	if up == dir {
		return dir
	}
	real := l.file(dir, left)
	l.folders[dir] = real
	return real
}

// edited are the files that the calls name as edited, each once, relative to the
// work tree.
func (l *links) edited(root string, calls []agent.Call) []string {
	var paths []string
	for _, c := range calls {
		if c.Kind != agent.CallEdit || c.Failed || c.Interrupted {
			continue
		}
		for _, p := range c.Paths {
			rel := relative(root, p)
			if rel == p {
				rel = relative(root, l.resolve(p)) // outside, or seen through a link
			}
			if !slices.Contains(paths, rel) {
				paths = append(paths, rel)
			}
		}
	}
	return paths
}

// relative is a path relative to the work tree; one outside of it as it is.
func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(rel)
	}
	return path
}
