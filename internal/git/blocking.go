package git

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// search is how long blocking looks. It looks only after git has used up its patience.
const search = 250 * time.Millisecond

// irregularError says that git would wait for what nobody writes.
func irregularError(root, name string) error {
	return fmt.Errorf("git in %s: %s is not a regular file; git could block on it", root, name)
}

// blocking looks below root for a file that git reads in each folder and that is a pipe, a device or the like; "" is none that
// was found in time.
func blocking(root string, within time.Duration) string {
	until := time.Now().Add(within)
	for folders := []string{root}; len(folders) > 0; {
		dir := folders[0]
		folders = folders[1:]
		more, name := lookInto(dir, until)
		if name != "" || time.Now().After(until) {
			return name
		}
		folders = append(folders, more...)
	}
	return ""
}

// lookInto reads a folder piece by piece, because one may hold a million files.
func lookInto(dir string, until time.Time) (folders []string, name string) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, ""
	}
	defer f.Close()
	for time.Now().Before(until) {
		list, err := f.ReadDir(512)
		for _, e := range list {
			path := filepath.Join(dir, e.Name())
			switch {
			case e.IsDir() && e.Name() != ".git":
				folders = append(folders, path)
			case e.Name() == ".gitignore" || e.Name() == ".gitattributes":
				if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
					return nil, path
				}
			}
		}
		if err != nil {
			break
		}
	}
	return folders, ""
}
