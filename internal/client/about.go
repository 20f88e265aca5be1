package client

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// About is what a log tells of its session besides its turns. All of it comes from
// outside: a folder need not exist, and an origin need not be a URL.
type About struct {
	Wrote    bool   // the client can have written it
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

var windowsPath = regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\[^\\])`)

// Checked is x without what cannot be an id, a folder, or a name.
func (x About) Checked() About {
	if !SafeID(x.ID) {
		x.ID = ""
	}
	const maxText = 4096
	dir := cmp.Or(x.Dir, x.Windows)
	for _, s := range []*string{&dir, &x.Origin, &x.Branch} {
		if len(*s) > maxText || strings.ContainsFunc(*s, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
			*s = ""
		}
	}
	x.Dir, x.Windows = "", ""
	switch {
	case filepath.IsAbs(dir):
		x.Dir = filepath.Clean(dir)
	case windowsPath.MatchString(dir):
		x.Windows = dir
	}
	return x
}
