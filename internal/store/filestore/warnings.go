package filestore

import (
	"path"
	"slices"
	"strings"
)

// damagedPrefix begins the names of journals that were set aside.
const damagedPrefix = "journal-damaged-"

// damagedJournals are the names of journals that were set aside.
func (s *Store) damagedJournals() ([]string, error) {
	names, err := s.disk.names(".")
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, damagedPrefix) }), err
}

// Warnings says what was found in the folder that the store cannot have
// written, and was set aside. It stays until somebody has looked at it and
// moved it away. Check finds more.
func (s *Store) Warnings() []string {
	var list []string
	kept, _ := s.damagedJournals()
	for _, name := range kept {
		list = append(list, name+" is a transaction that does not fit the store; nothing of it was done: look at it, then move it away")
	}
	return append(list, s.asides(".")...)
}

// asides lists what was found where files of one folder belong, and set aside.
func (s *Store) asides(dir string) []string {
	var list []string
	names, _ := s.disk.names(dir)
	for _, name := range names {
		if file, _, aside := strings.Cut(name, asideMark); aside {
			list = append(list, path.Join(dir, name)+" was found in the place of "+path.Join(dir, file)+": look at it, then move it away")
		}
	}
	return list
}
