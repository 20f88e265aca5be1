package caller

import (
	"path/filepath"

	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/git"
)

// Standing is the project that a folder belongs to, as runs name it: the same in each
// clone and on each machine (docs/spec.md, "Runs").
type Standing struct {
	Root      string // without links; folders of runs are relative to it
	Namespace string // "name:", "origin:" or "path:", and what tells it from other projects
}

// NamedProject begins the namespace of a project that its user has named.
const NamedProject = "name:"

// StandingOf is where a folder belongs: to its project by name, else by origin, else by the path of
// its repository or of the folder itself.
func (a *env) StandingOf(dir string) Standing {
	at := Standing{Root: client.RealPath(place.Root(dir))}
	if name := a.ConfigNow(at.Root).ProjectName; name != "" {
		at.Namespace = NamedProject + name
		return at
	}
	if origin := git.OriginOf(at.Root); origin != "" {
		at.Namespace = "origin:" + origin
		return at
	}
	at.Namespace = "path:" + at.Root
	if repo := git.RepositoryOf(at.Root); filepath.Base(repo) == ".git" {
		at.Namespace = "path:" + filepath.Dir(repo) // for all of its work trees
	}
	return at
}
