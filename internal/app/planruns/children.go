package planruns

import (
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store/localfs"
)

// maxPlan bounds a plan's file.
const maxPlan = 8 << 20

// embed puts the plans that the steps of the plan run into it: what was checked is run,
// whatever becomes of the files.
func (j *job) embed() error {
	if j.plan == nil {
		return nil
	}
	file, dir, err := j.places()
	if err != nil {
		return err
	}
	if file == "" {
		file = filepath.Join(dir, "plan")
	}
	p, err := embedded(*j.plan, j.rootOf(file), file, j.actions)
	j.plan = &p
	return err
}

// rootOf is the project that a plan's file is in.
func (j *job) rootOf(file string) string { return j.a.StandingOf(filepath.Dir(file)).Root }

// embedded is a plan with the plans that its steps run, by paths relative to its file, in its
// project.
func embedded(p plan.Plan, root, file string, actions map[string]action.Action) (plan.Plan, error) {
	return plan.Embed(p, file, func(path string) (plan.Plan, error) {
		if rel, err := filepath.Rel(root, client.RealPath(path)); err != nil || !filepath.IsLocal(rel) {
			return plan.Plan{}, piton.Errorf(piton.Invalid, "read the plan "+path, "", "it is not in the project of the plan that runs it, %s", root)
		}
		text, err := localfs.ReadPlain(path, maxPlan)
		if err != nil {
			return plan.Plan{}, err
		}
		return plan.Parse(path, text, action.Known(actions))
	})
}
