package installation

import (
	"context"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
)

// settingsFile is the user's or the project's settings file, to change it. An agent
// changes no settings of the user's: they decide what holds it. In a project's file it
// can only ask for more until a person trusts it.
func (a Setup) settingsFile(ctx context.Context, op string, inProject bool) (config.File, error) {
	if inProject {
		root, err := a.Root()
		if err == nil && root == config.UserHome(a.Options.Getenv) {
			err = piton.Errorf(piton.Invalid, op, "go to a project's folder, or leave 'scope project' out", "the home folder is not a project")
		}
		return config.File{Path: config.ProjectPath(root), Within: root, Project: true, Getenv: a.Options.Getenv}, err
	}
	path := config.UserFile(a.Options.Getenv)
	within := config.UserHome(a.Options.Getenv)
	if rest, err := filepath.Rel(within, path); err != nil || !filepath.IsLocal(rest) {
		within = filepath.Dir(path) // XDG_CONFIG_HOME is elsewhere
	}
	return config.File{Path: path, Within: within, Getenv: a.Options.Getenv}, a.ByPerson(ctx, op, "an agent does not change what holds it")
}
