package app

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

// unreadList is what an import has left out.
type unreadList struct {
	file  string   // the one being read
	named []Unread // the first
	first error
	count int
}

func (l *unreadList) add(file, id string, err error) {
	if l.count++; l.count == 1 {
		l.first = err
	}
	if l.count <= maxNamed {
		l.named = append(l.named, Unread{file, id, Message(err)})
	}
}

// failure is the error of an import that has read nothing.
func (l *unreadList) failure() error {
	e := *AsError(l.first)
	if more := l.count - 1; more > 0 {
		e.Hint = strings.TrimPrefix(fmt.Sprintf("%s; %d more could not be read, and there is nothing else in it", e.Hint, more), "; ")
	}
	return &e
}
