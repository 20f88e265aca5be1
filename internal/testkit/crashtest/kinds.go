package crashtest

import "strings"

// Kind is a kind of work.
type Kind string

// The kinds.
const (
	Save     Kind = "save"
	Complete Kind = "complete"
	Delete   Kind = "delete"
	Import   Kind = "import"
	Archive  Kind = "archive"
	Prune    Kind = "prune"
)

// Mode is the kinds of work a child does; a kind that stands there twice is
// done twice as often.
type Mode []Kind

// All is every kind of work, and mostly saves.
var All = Mode{Save, Save, Save, Save, Complete, Delete, Import, Archive, Prune, Prune}

// ParseMode reads kinds between commas.
func ParseMode(s string) Mode {
	var m Mode
	for k := range strings.SplitSeq(s, ",") {
		m = append(m, Kind(k))
	}
	return m
}

// String writes the kinds between commas.
func (m Mode) String() string {
	s := make([]string, len(m))
	for i, k := range m {
		s[i] = string(k)
	}
	return strings.Join(s, ",")
}

// importedName begins the names of the workflows that are imported.
const importedName = "imported "

// The projects of the work: only one child saves to the first, and prunes it,
// so that nothing moves between its look and its deed; all save to the second.
const (
	own    = "prj_0000000000000001"
	shared = "prj_0000000000000002"
)

// noFile begins the names of the archive's files that are none.
const noFile = "piton-19700101-"
