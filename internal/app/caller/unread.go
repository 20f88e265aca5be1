package caller

import (
	"fmt"
	"strings"
)

// maxNamed bounds how many of those left out are named: a file can hold
// millions of values that are not checkpoints.
const maxNamed = 1000

// Unread is a file, or an entry of one, that was left out, and why.
type Unread struct {
	File string `json:"file"`
	ID   string `json:"id,omitempty"`
	Why  string `json:"why"`
}

// UnreadList is what was left out of files that a caller has named.
type UnreadList struct {
	File  string   // the one being read
	Named []Unread // the first 1000
	First error    // why the first was left out
	Count int
}

// Add notes what was left out, and why.
func (l *UnreadList) Add(file, id string, err error) {
	if l.Count++; l.Count == 1 {
		l.First = err
	}
	if l.Count <= maxNamed {
		l.Named = append(l.Named, Unread{file, id, Message(err)})
	}
}

// Failure is the error where nothing could be read.
func (l *UnreadList) Failure() error {
	e := *AsError(l.First)
	if more := l.Count - 1; more > 0 {
		e.Hint = strings.TrimPrefix(fmt.Sprintf("%s; %d more could not be read, and there is nothing else in it", e.Hint, more), "; ")
	}
	return &e
}
