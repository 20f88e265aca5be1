package turn

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// What work leaves open belongs to the work, not to the turn (docs/spec.md, "What
// work leaves open"): it is kept in the session and in its states, counts for who
// takes the work over, and is closed by a check that passes or by a person.

// open are the needs of the work as it stands at this stop.
func (x situation) open() []agent.Need { return openNeeds(x.result, x.session, x.at, x.trees...) }

// openNeeds are what the facts of a turn leave open, with what was known of each.
// What was open stays so where nobody has looked at it: where the rules failed, and
// in a work tree that is not among trees, the other ones that were judged.
func openNeeds(r debrief.Result, s agent.Session, at piton.Time, trees ...string) []agent.Need {
	var all []agent.Need
	for _, was := range s.Open {
		tree := treeOfNeed(s.Root, was)
		if r.Generic || tree != s.Root && there(tree) && !slices.Contains(trees, tree) {
			all = append(all, was)
		}
	}
	for _, f := range r.Facts {
		if !f.Open() {
			continue
		}
		n := needOf(f, at)
		if len(n.Files) == 0 {
			n.Files = ownedIn(r, s.Root, f.Tree)
		}
		for _, was := range s.Open {
			if was.Kind == n.Kind && was.Check == n.Check && slices.Equal(was.Files, n.Files) {
				n.Since, n.Asked = was.Since, n.Asked || was.Asked
			}
		}
		n.Asked = n.Asked || s.Holds > 0 && f.Holds
		n.Text, n.Line, n.Check = cleaned(n.Text), cleaned(n.Line), cleaned(n.Check)
		all = append(all, n)
	}
	return all[max(0, len(all)-agent.MaxNeeds):]
}

// needOf is what a fact leaves open. Its paths are seen from the session's work tree,
// also where it is about another one.
func needOf(f debrief.Fact, at piton.Time) agent.Need {
	n := f.Need(at)
	if f.Tree == "" {
		return n
	}
	n.Text = "in `" + inline(f.Tree) + "`: " + n.Text
	n.Dir = filepath.ToSlash(filepath.Join(f.Tree, n.Dir))
	n.Files = slices.Clone(n.Files)
	for i, file := range n.Files {
		n.Files[i] = filepath.ToSlash(filepath.Join(f.Tree, file))
	}
	return n
}

// ownedIn are the agent's files in one work tree: what a failed check is kept with that
// takes none of them.
func ownedIn(r debrief.Result, root, place string) (files []string) {
	tree := pathOf("", root, place)
	for _, path := range owned(r.Files) {
		if len(files) < maxListed && treeOfNeed(root, agent.Need{Files: []string{path}}) == tree {
			files = append(files, path)
		}
	}
	return files
}

// needsIn are the needs of a session that are about one work tree, with their paths
// as they are seen from there.
func needsIn(s agent.Session, tree string) (all []agent.Need) {
	for _, n := range s.Open {
		switch {
		case treeOfNeed(s.Root, n) != tree:
			continue
		case tree != s.Root:
			n.Files = slices.Clone(n.Files)
			for i, file := range n.Files {
				n.Files[i] = within(tree, pathOf("", s.Root, file))
			}
			n.Dir = strings.TrimPrefix(within(tree, pathOf("", s.Root, n.Dir)), ".")
		}
		all = append(all, n)
	}
	return all
}

// within is a path as it is seen from a folder above it.
func within(folder, path string) string {
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// treeOfNeed is the work tree that a need is about: root, or another one.
func treeOfNeed(root string, n agent.Need) string {
	if root == "" || len(n.Files) == 0 {
		return root
	}
	file := pathOf("", root, n.Files[0])
	tree := treeOf(file)
	below := func(path, folder string) bool { return strings.HasPrefix(path, folder+string(filepath.Separator)) }
	switch {
	case tree != "" && tree != root && !(below(file, root) && below(root, tree)):
		return tree
	case tree == "" && !below(file, root):
		return filepath.Dir(file) // a tree that is gone
	}
	return root
}

// treeOf is the work tree that a file lies in; "" where it is in none. Folders
// that are gone are passed over.
func treeOf(file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			if at, _, ok := git.Find(dir); ok {
				return at
			}
			return ""
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func pathOf(dir, root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	dir = cmp.Or(dir, root)
	return filepath.Join(dir, path)
}

// openWords say in a description that something is open.
func openWords(open []agent.Need) string {
	if len(open) == 0 {
		return ""
	}
	words := "open: " + open[0].Text
	if more := len(open) - 1; more > 0 {
		words += " and " + count(more, "more need")
	}
	return words
}
