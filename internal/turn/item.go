package turn

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton/internal/store/localfs"
)

// Bounds of looking for a work item.
const (
	maxItems = 200
	maxPlan  = 64 << 10
)

const planFile = "implementation-plan.md"

// item finds the active work item and the files its plan names: the one the
// settings name by its slug or path, else the one named like the branch, else
// the only one there is (docs/spec.md, "Rules").
func item(root, named, branch string) (name string, files []string) {
	if root == "" {
		return "", nil
	}
	tree, err := os.OpenRoot(root) // a project's own words must not lead out of it
	if err != nil {
		return "", nil
	}
	defer tree.Close()
	plan := planOf(tree, named, branch)
	if plan == "" {
		return "", nil
	}
	text, ok := readPlan(tree, plan)
	if !ok {
		return "", nil
	}
	name = path.Base(path.Dir(plan))
	if path.Base(plan) != planFile {
		name = strings.TrimSuffix(path.Base(plan), path.Ext(plan))
	}
	return name, planned(text)
}

// planOf is the path of the item's plan, as seen from the work tree.
func planOf(tree *os.Root, named, branch string) string {
	if named != "" {
		if filepath.IsAbs(named) {
			named = relative(tree.Name(), named)
		}
		switch named = path.Clean(filepath.ToSlash(named)); {
		case !filepath.IsLocal(named):
			return ""
		case strings.HasSuffix(named, ".md"):
			return named
		case strings.Contains(named, "/"):
			return path.Join(named, planFile)
		}
		return path.Join("todos", named, planFile)
	}
	items := plans(tree)
	for _, p := range items {
		if branch != "" && path.Base(path.Dir(p)) == path.Base(branch) {
			return p
		}
	}
	if len(items) == 1 {
		return items[0]
	}
	return ""
}

// plans lists the plans under todos.
func plans(tree *os.Root) (list []string) {
	dir, err := tree.Open("todos")
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(maxItems)
	for _, e := range entries {
		if p := path.Join("todos", e.Name(), planFile); e.IsDir() && regular(tree, p) {
			list = append(list, p)
		}
	}
	return list
}

// regular reports whether there is a regular file: reading a pipe could last for
// ever.
func regular(tree *os.Root, name string) bool {
	info, err := tree.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func readPlan(tree *os.Root, name string) (string, bool) {
	if !regular(tree, name) {
		return "", false
	}
	f, _, err := localfs.OpenFound(tree, name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxPlan))
	return string(b), err == nil
}
