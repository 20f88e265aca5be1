package planruns

import (
	"os"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
)

// folder is a folder that the caller names, made whole.
func (a PlanRuns) folder(name string) (string, error) {
	path, err := a.Path(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", piton.Errorf(piton.Invalid, "find the folder of the steps", "give a folder that exists: 'dir DIR'", "%s is not a folder", path)
	}
	return path, nil
}

// NotThere says why no step can work in a folder of a project on this machine; "" where one
// can. A project that its user has named, or that is not known, is taken at that word.
func (a PlanRuns) NotThere(namespace, dir string) string {
	named := namespace == "" || strings.HasPrefix(namespace, caller.NamedProject)
	info, err := os.Stat(dir)
	switch {
	case err != nil || !info.IsDir():
		return "its folder " + dir + " is not on this machine"
	case !named && a.StandingOf(dir).Namespace != namespace:
		return "its folder " + dir + " belongs to another project now"
	}
	return ""
}

// notThere is NotThere for the steps of a run.
func (a PlanRuns) notThere(run piton.Run, dir string) string {
	if run.Folder == "" {
		run.Namespace = ""
	}
	return a.NotThere(run.Namespace, dir)
}
