package app

import (
	"path/filepath"

	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/git"
)

// standing is the project that a folder belongs to, as runs name it: the same in each
// clone and on each machine (docs/spec.md, "Runs").
type standing struct {
	root      string // without links; folders of runs are relative to it
	namespace string
}

// named begins the namespace of a project that its user has named.
const named = "name:"

// standing is that of a folder: its project by name, else by origin, else by the path of
// its repository or of the folder itself.
func (a *caller) standing(dir string) standing {
	at := standing{root: client.RealPath(place.Root(dir))}
	if name := a.present(at.root).ProjectName; name != "" {
		at.namespace = named + name
		return at
	}
	if origin := git.OriginOf(at.root); origin != "" {
		at.namespace = "origin:" + origin
		return at
	}
	at.namespace = "path:" + at.root
	if repo := git.RepositoryOf(at.root); filepath.Base(repo) == ".git" {
		at.namespace = "path:" + filepath.Dir(repo) // for all of its work trees
	}
	return at
}
