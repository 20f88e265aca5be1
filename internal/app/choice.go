package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/nearest"
)

// newest chooses the newest checkpoint of a workflow in a project.
func newest(workflow, dir string) piton.Choice {
	return piton.Choice{Workflow: workflow, InProject: piton.InProject{Project: dir}}
}

// IsName tells a checkpoint's name from an id, also one of another program, and
// from a slip in a flag.
func IsName(ref string) bool {
	return !strings.HasPrefix(strings.ToLower(ref), piton.CheckpointPrefix) && !strings.HasPrefix(ref, "-")
}

// selector finds what a choice's names belong to.
func (a Checkpoints) selector(ctx context.Context, c piton.Choice) (history.Selector, error) {
	s := history.Selector{Workflow: c.Workflow, Session: c.Session, Name: c.Name, Own: c.Own}
	switch {
	case c.Ref != "" && IsName(c.Ref):
		s.Name = c.Ref
	case c.Ref != "" && c.Workflow+c.Session != "":
		return s, piton.Errorf(piton.Invalid, "", "give one of them", "the id %s and a workflow or a session exclude each other", c.Ref)
	case c.Ref != "":
		s.ID = c.Ref
	}
	p, err := a.Project(ctx, c.Project, false)
	if err != nil && !caller.Missing(err) && (s.ID == "" || c.Project != "") {
		return s, err // an id needs no project
	}
	s.Project = p.ID
	if s.Workflow == "" {
		return s, nil
	}
	_, err = (history.Keeper{Store: a.CheckpointStore()}).Workflow(ctx, s.Workflow, p.ID)
	if caller.Missing(err) && !strings.HasPrefix(s.Workflow, piton.WorkflowPrefix) {
		err = piton.Errorf(piton.NotFound, "find workflow "+s.Workflow, a.workflowHint(ctx, s.Workflow, p.ID), "no workflow of this project has the name")
	}
	return s, err
}

// maxElsewhere bounds the newest checkpoints among which a workflow's name is sought.
const maxElsewhere = 100

// workflowHint is what helps who has named a workflow that the project does not have.
func (a Checkpoints) workflowHint(ctx context.Context, name, project string) string {
	st := a.CheckpointStore()
	all, err := st.List(ctx, piton.Query{Limit: maxElsewhere})
	if err != nil || len(all.Checkpoints) == 0 {
		return "nothing has been saved yet: 'save workflow NAME' makes a first checkpoint"
	}
	for _, c := range all.Checkpoints {
		if strings.EqualFold(c.Workflow, name) {
			return "a name belongs to its project, and another project has this one: give 'project DIR', or its id " + c.WorkflowID
		}
	}
	page, err := st.List(ctx, piton.Query{Project: project, Limit: maxElsewhere})
	if project == "" || err == nil && len(page.Checkpoints) == 0 {
		return "nothing has been saved in this project yet: 'save workflow NAME' makes a first checkpoint, and 'list' shows those of other projects"
	}
	const hint = "'list project .' shows the workflows of the project"
	var names []string
	for _, c := range page.Checkpoints {
		names = append(names, c.Workflow)
	}
	if near := nearest.InHint(name, names); near != "" {
		return fmt.Sprintf("did you mean %q? ", near) + hint
	}
	return hint
}

// open opens the stores for a reader and finds what a choice names.
func (a Checkpoints) open(ctx context.Context, c piton.Choice) (history.Keeper, history.Selector, error) {
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return k, history.Selector{}, err
	}
	s, err := a.selector(ctx, c)
	return k, s, err
}

// id finds the checkpoint that ref names, by id or by its name in the caller's
// project.
func (a Checkpoints) id(ctx context.Context, k history.Keeper, ref, dir string) (string, error) {
	if ref == "" || !IsName(ref) {
		return ref, nil
	}
	p, err := a.Project(ctx, dir, false)
	if err != nil && !caller.Missing(err) {
		return "", err
	}
	x, err := k.Find(ctx, history.Selector{Name: ref, Project: p.ID})
	return x.ID, err
}
