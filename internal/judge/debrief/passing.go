package debrief

import (
	"path"
	"regexp"
	"slices"
	"sync"
)

// throwaway are the names that people give to a test which they only try
// something with.
var throwaway = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^a-z])(zz+|xx+|te?mp|scratch|debug|dbg|repro|probe|throwaway|sandbox)([^a-z]|$)`)
})

// triedOut reports whether what failed lies in a test file that the turn made to
// try something, and took away again. Any other test that failed and is gone stays
// open: it may be the one that was right.
func (t *turn) triedOut(f failure) bool {
	return f.file != "" && throwaway().MatchString(path.Base(f.file)) && t.passing(f.file)
}

// passing tells whether the turn made a file and took it away again, or gave it
// another name: it never was part of the work, and git does not name it.
func (t *turn) passing(file string) bool {
	if slices.ContainsFunc(t.Files, func(f File) bool { return f.Path == file && !(f.Created && f.Deleted) }) {
		return false
	}
	made, gone := false, false
	for _, c := range t.calls {
		for _, e := range c.edits {
			if e.path != file {
				continue
			}
			if gone = c.removes(e); !gone && !made {
				made = true
			}
		}
	}
	return made && gone
}
