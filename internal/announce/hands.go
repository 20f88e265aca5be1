package announce

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ownHands returns an error where a path leads over a link to what the user has
// not in hand: who owns the link or the file says what the key is.
func (c Carrier) ownHands(path string) error {
	mine := []int{os.Geteuid(), 0}
	if info, err := os.Stat(c.UserHome); err == nil {
		if uid, ok := owner(info); ok {
			mine = append(mine, uid)
		}
	}
	foreign := func(info fs.FileInfo) bool {
		uid, ok := owner(info)
		return ok && !slices.Contains(mine, uid)
	}
	linked := false
	for at := filepath.Clean(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if linked = true; foreign(info) {
			return errors.New("it leads over a link that is another user's")
		}
	}
	if info, err := os.Stat(path); linked && err == nil && foreign(info) {
		return errors.New("it is a link to a file that is another user's")
	}
	return nil
}
