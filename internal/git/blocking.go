package git

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// search is how long blocking looks. It looks only after git has used up its patience.
const search = 250 * time.Millisecond

// blocking looks for a pipe, a device or the like: where the configuration names a file, in the folders that git keeps for a
// work tree and in those of which it takes objects, and below the root among the files that git reads in each folder. "" is none that
// was found in time.
func (t *tree) blocking(within time.Duration) string {
	until := time.Now().Add(within)
	for _, s := range settings(string(t.configuration().text)) {
		if names := s.Key == "path" || strings.HasSuffix(s.Key, "file"); names && blocks(s.Value) {
			return s.Value
		}
	}
	common := commonDir(t.dir)
	others, _ := readSmall(filepath.Join(common, "objects", "info", "alternates"))
	folders := []folder{{t.dir, true}, {common, true}, {t.root, false}}
	for line := range strings.Lines(string(others)) {
		folders = append(folders, folder{strings.TrimSpace(line), true})
	}
	for len(folders) > 0 {
		more, name := folders[0].look(until)
		if name != "" || time.Now().After(until) {
			return name
		}
		folders = append(folders[1:], more...)
	}
	return ""
}

// folder is one to look into; own: git keeps it, and may read all that lies in it.
type folder struct {
	path string
	own  bool
}

// blocks reports whether git could wait at a file for ever, or read it without end.
func blocks(name string) bool {
	info, err := os.Stat(name)
	return err == nil && name != os.DevNull && info.Mode()&(os.ModeNamedPipe|os.ModeDevice) != 0
}

// look reads a folder piece by piece, because one may hold a million files.
func (in folder) look(until time.Time) (more []folder, name string) {
	f, err := os.Open(in.path)
	if err != nil {
		return nil, ""
	}
	defer f.Close()
	for time.Now().Before(until) {
		list, err := f.ReadDir(512)
		for _, e := range list {
			at := folder{filepath.Join(in.path, e.Name()), in.own || e.Name() == ".git"}
			read := in.own && !e.Type().IsRegular() || e.Name() == ".gitignore" || e.Name() == ".gitattributes"
			switch {
			case e.IsDir():
				more = append(more, at)
			case read && blocks(at.path):
				return nil, at.path
			}
		}
		if err != nil {
			break
		}
	}
	return more, ""
}
