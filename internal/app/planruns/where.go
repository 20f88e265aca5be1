package planruns

import (
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/git"
)

// stand finds where the caller stands: in its work tree, else in the folder that the
// steps are to work in, else where the plan lies, as from cron.
func (j *job) stand() error {
	here, err := j.a.Dir()
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
	j.at = j.a.StandingOf(here)
	return nil
}

// places are the plan's file, "" for none, and the folder to which the plan's own
// setting is relative: where the file is, else the caller's.
func (j *job) places() (file, dir string, err error) {
	if dir, err = j.a.Dir(); err != nil {
		return "", "", err
	}
	if j.r.File != "" && j.r.File != "-" && !j.r.FileLess {
		if file, err = j.a.Path(j.r.File); err != nil {
			return "", "", err
		}
		dir = filepath.Dir(file)
	}
	return file, dir, nil
}

// StandsAt is where a run of a plan would belong: its project, the plan's file, "" for none,
// and the folder that the caller names for its steps, whole.
func (a PlanRuns) StandsAt(r RunRequest) (at caller.Standing, file, dir string, err error) {
	j := job{a: a, r: r}
	if err = j.stand(); err == nil {
		file, _, err = j.places()
	}
	return j.at, file, j.r.Dir, err
}

// where is the folder in which the steps of a run work now, and the plan's file there:
// the one that the caller names, else the run's folder in the caller's clone, else the
// folder where it worked, while that still belongs to the run's project.
func (j *job) where(run piton.Run) (dir, file string, err error) {
	mine := run.Namespace != "" && run.Namespace == j.at.Namespace
	switch {
	case j.r.Dir != "":
		return j.r.Dir, run.PlanFile, nil
	case mine && run.Folder != "":
		dir = filepath.Join(j.at.Root, filepath.FromSlash(run.Folder))
		if file = run.PlanFile; run.PlanPath != "" {
			file = filepath.Join(j.at.Root, filepath.FromSlash(run.PlanPath))
		}
	case run.Dir == "" && j.a.Placed(): // a saved plan that has not run yet
		dir, err = j.a.Dir()
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
