package turn

import (
	"os"
	"path/filepath"
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
