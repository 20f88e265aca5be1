package turn

import (
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/judge/tools"
)

// asCommitted are asItWas's texts in a commit, "" for HEAD.
func asCommitted(ctx context.Context, root, commit string, changed []git.File) (map[string]*string, error) {
	var paths []string
	for _, f := range changed {
		if f.Path == settingsFile || project.Defines(f.Path) {
			paths = append(paths, f.Path)
		}
	}
	for _, f := range changed { // last, because only so many are asked for
		if project.Compares(f.Path) && !isNew(f) {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	return (git.Repo{Dir: root}).Before(ctx, commit, paths)
}

// isNew tells a file that was not there when the turn began.
func isNew(c git.File) bool {
	madeAndDeleted := c.Deleted && c.Code == "" && !c.Committed
	return madeAndDeleted || c.Untracked || strings.HasPrefix(c.Code, "A")
}

// definitions are the texts of settings and definitions alone; nil for none.
func definitions(was map[string]*string) map[string]*string {
	all := map[string]*string{}
	for path, text := range was {
		if path == settingsFile || project.Defines(path) {
			all[path] = text
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// lostTests are the deleted test files among what the turn changed, with their
// texts, where code of their ecosystem was changed and is still there: how that is
// tested is not forgotten with them.
func lostTests(changed []git.File, was map[string]*string) map[string]*string {
	lost := map[string]*string{}
	for _, f := range changed {
		text := was[f.Path]
		if !f.Deleted || text == nil || !project.Compares(f.Path) {
			continue
		}
		if slices.ContainsFunc(changed, func(g git.File) bool {
			return !g.Deleted && tools.EcosystemOf(g.Path) == tools.EcosystemOf(f.Path)
		}) {
			lost[f.Path] = text
		}
	}
	return lost
}

// thinned tells how the changed test files show less than they did.
func thinned(root string, changed []git.File, was map[string]*string) map[string]project.Thin {
	if len(definitions(was)) == len(was) {
		return nil
	}
	paths := make([]string, len(changed))
	for i, f := range changed {
		paths[i] = f.Path
	}
	all := map[string]project.Thin{}
	for _, thin := range project.Thinned(root, was, paths) {
		all[thin.Path] = thin
	}
	return all
}
