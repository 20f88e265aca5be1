package piton

// Project is a work tree: an id and its aliases, so that it is the same on
// another machine.
type Project struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Root string `json:"root"` // where it lies on this machine
	// Origin is the normalised URL of its origin, where it is known.
	Origin string `json:"origin,omitempty"`
}

// SharedID is the project's id in a store that several machines use: the same
// on all of them where there is an origin, else the id it has here.
func (p Project) SharedID() string {
	if p.Origin == "" {
		return p.ID
	}
	return DeriveID(ProjectPrefix, p.Origin)
}

// Alias is one thing a project is known by.
type Alias struct {
	Kind  AliasKind
	Value string `redact:"name"`
}

// AliasKind says what an alias is.
type AliasKind string

// A project is known by the paths of its work trees and by its origin's URL.
const (
	AliasPath   AliasKind = "path"
	AliasOrigin AliasKind = "origin"
)
