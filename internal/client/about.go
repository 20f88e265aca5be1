package client

import (
	"cmp"
	"path/filepath"
	"regexp"
)

// About is what a log tells of its session besides its turns. All of it comes from
// outside: a folder need not exist, and an origin need not be a URL.
type About struct {
	ID       string // the client's own id; "" where the log names none that can be one
	Dir      string // the folder that the client worked in, as a whole path; "" where it is not told
	Windows  string // that folder, where the client worked on Windows
	Origin   string // the URL of the repository's origin, as the client saw it
	Branch   string
	Version  string
	Subagent bool // it is a subagent's log, and its session has another one
}

// AboutBytes is how much of a log's beginning is read for About.
const AboutBytes = 1 << 20

var windowsPath = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_.-]{0,127}$`)

// Checked is x without what cannot be an id or a folder.
func (x About) Checked() About {
	if !sessionID.MatchString(x.ID) {
		x.ID = ""
	}
	const maxPath = 4096
	dir := cmp.Or(x.Dir, x.Windows)
	x.Dir, x.Windows = "", ""
	switch {
	case len(dir) > maxPath, hasControl(dir):
	case filepath.IsAbs(dir):
		x.Dir = filepath.Clean(dir)
	case windowsPath.MatchString(dir):
		x.Windows = dir
	}
	if len(x.Origin) > maxPath || hasControl(x.Origin) {
		x.Origin = ""
	}
	if len(x.Branch) > maxPath || hasControl(x.Branch) {
		x.Branch = ""
	}
	return x
}

func hasControl(s string) bool {
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == '�' {
			return true
		}
	}
	return false
}
