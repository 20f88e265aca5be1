package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
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
func (a *App) standing(dir string) standing {
	at := standing{root: withoutLinks(place.Root(dir))}
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

func withoutLinks(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// stand finds where the caller stands: in its work tree, else in the folder that the
// steps are to work in, else where the plan lies, as from cron.
func (j *job) stand() error {
	here, err := j.a.dir()
	if err != nil {
		if j.r.Ref != "" && !j.a.Placed() {
			return nil // a run that is named by its id knows its folder
		}
		return err
	}
	if j.r.Dir != "" {
		if j.r.Dir, err = j.a.folder(j.r.Dir); err != nil {
			return err
		}
	}
	if _, _, tree := git.Find(here); !tree {
		file, dir, err := j.places()
		switch {
		case err != nil:
			return err
		case j.r.Dir != "":
			here = j.r.Dir
		case file != "":
			here = dir
		}
	}
	j.at = j.a.standing(here)
	return nil
}

// folder is a folder that the caller names, made whole.
func (a *App) folder(name string) (string, error) {
	path, err := a.path(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", piton.Errorf(piton.Invalid, "find the folder of the steps", "give a folder that exists: 'dir DIR'", "%s is no folder", path)
	}
	return path, nil
}

// where is the folder in which the steps of a run work now, and the plan's file there:
// the one that the caller names, else the run's folder in the caller's clone, else the
// folder where it worked, while that still belongs to the run's project.
func (j *job) where(run piton.Run) (dir, file string, err error) {
	run = j.a.olderPlace(run)
	mine := run.Namespace != "" && run.Namespace == j.at.namespace
	switch {
	case j.r.Dir != "":
		return j.r.Dir, run.PlanFile, nil
	case mine && run.Folder != "":
		dir = filepath.Join(j.at.root, filepath.FromSlash(run.Folder))
		if file = run.PlanFile; run.PlanPath != "" {
			file = filepath.Join(j.at.root, filepath.FromSlash(run.PlanPath))
		}
	case run.Dir == "" && j.a.Placed(): // a saved plan that has not run yet
		dir, err = j.a.dir()
		return dir, run.PlanFile, err
	case run.Dir == "":
		return "", run.PlanFile, nil
	default:
		dir, file = run.Dir, run.PlanFile
	}
	if why := j.a.notThere(run, dir); why != "" {
		return "", "", piton.Errorf(piton.Conflict, "resume "+run.ID, "'run resume "+run.ID+" dir DIR' names the folder where its steps work now", "%s", why)
	}
	return dir, file, nil
}

// olderPlace gives a run of an older version, which has its folder's whole path alone,
// what that folder says, while it is there.
func (a *App) olderPlace(run piton.Run) piton.Run {
	if run.Namespace != "" || run.Dir == "" {
		return run
	}
	if _, err := os.Stat(run.Dir); err != nil {
		return run
	}
	at := a.standing(run.Dir)
	run.Namespace = at.namespace
	if rel, err := filepath.Rel(at.root, withoutLinks(run.Dir)); err == nil && filepath.IsLocal(rel) {
		run.Folder = filepath.ToSlash(rel)
	}
	if rel, err := filepath.Rel(at.root, withoutLinks(run.PlanFile)); err == nil && run.PlanFile != "" && filepath.IsLocal(rel) {
		run.PlanPath = filepath.ToSlash(rel)
	}
	return run
}

// notThere says why the steps of a run cannot work in a folder of this machine; "" where
// they can. A project that its user has named is taken at that word.
func (a *App) notThere(run piton.Run, dir string) string {
	info, err := os.Stat(dir)
	switch {
	case err != nil || !info.IsDir():
		return "its folder " + dir + " is not on this machine"
	case run.Namespace == "" || run.Folder == "" || strings.HasPrefix(run.Namespace, named):
		return ""
	case a.standing(dir).namespace != run.Namespace:
		return "its folder " + dir + " belongs to another project now"
	}
	return ""
}

// openOf are the unfinished runs of a workflow's name in the caller's project, whatever
// home has begun them.
func (j *job) openOf(ctx context.Context, name string) ([]piton.Run, error) {
	if j.at.namespace != "" {
		list, err := j.runs.Runs(ctx, piton.RunQuery{Namespace: j.at.namespace, Name: name, Open: true, Limit: 1})
		if err != nil || len(list) > 0 {
			return list, err
		}
	}
	w, err := j.k.Workflow(ctx, name, j.project)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return j.runs.Runs(ctx, piton.RunQuery{Workflow: w.ID, Open: true, Limit: 1})
}
