package app

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// Choice names one checkpoint: by its id or its name, or as the newest of a
// workflow, of a session or of a name.
type Choice struct {
	Ref      string // an id, the beginning of one, or a name
	Workflow string // by id or name
	Session  string // by our id or the client's
	Name     string // as Ref, for a name that looks like an id
	Dir      string // a folder of the project; the caller's when empty
}

// IsName tells a checkpoint's name from an id, also one of another program, and
// from a slip in a flag.
func IsName(ref string) bool {
	return !strings.HasPrefix(strings.ToLower(ref), piton.CheckpointPrefix) && !strings.HasPrefix(ref, "-")
}

// selector finds what a choice's names belong to.
func (a *App) selector(ctx context.Context, c Choice) (history.Selector, error) {
	s := history.Selector{Workflow: c.Workflow, Session: c.Session, Name: c.Name}
	switch {
	case c.Ref != "" && IsName(c.Ref):
		s.Name = c.Ref
	case c.Ref != "":
		s.ID = c.Ref
	}
	p, err := a.Project(ctx, c.Dir, false)
	if err != nil && !missing(err) && (s.ID == "" || c.Dir != "") {
		return s, err // an id needs no project
	}
	s.Project = p.ID
	if s.Workflow == "" {
		return s, nil
	}
	_, err = (history.Keeper{Store: a.checkpoints()}).Workflow(ctx, s.Workflow, p.ID)
	if missing(err) && !strings.HasPrefix(s.Workflow, piton.WorkflowPrefix) {
		err = piton.Errorf(piton.NotFound, "find workflow "+s.Workflow, "a name belongs to its project: give 'project DIR', or the id that 'list' shows in JSON", "no workflow of this project has the name")
	}
	return s, err
}

// open opens the stores for a reader and finds what a choice names.
func (a *App) open(ctx context.Context, c Choice) (history.Keeper, history.Selector, error) {
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return k, history.Selector{}, err
	}
	s, err := a.selector(ctx, c)
	return k, s, err
}

// id finds the checkpoint that ref names, by id or by its name in the caller's
// project.
func (a *App) id(ctx context.Context, k history.Keeper, ref string) (string, error) {
	if ref == "" || !IsName(ref) {
		return ref, nil
	}
	p, err := a.Project(ctx, "", false)
	if err != nil && !missing(err) {
		return "", err
	}
	x, err := k.Find(ctx, history.Selector{Name: ref, Project: p.ID})
	return x.ID, err
}
