package turn

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// maxVotes bounds the paths that are asked where the work tree's root is.
const maxVotes = 200

// rootOf is the work tree's root as the session's paths have it. A log tells the
// folder that the client works in, which may lie below the root, or the root may
// be in another place altogether. Where the tree is here, the paths of the calls
// that end as a file of the tree does tell: what stands before is the root. Else
// it is the client's folder, or the first folder that a call ran in.
func rootOf(tree string, calls []agent.Call) string {
	votes, best, dir := map[string]int{}, "", ""
	n := 0
	for _, c := range calls {
		for _, p := range c.Paths {
			if n++; n > maxVotes || tree == "" {
				break
			}
			if root := above(tree, c.Dir, p); root != "" {
				if votes[root]++; votes[root] > votes[best] {
					best = root
				}
			}
		}
	}
	if best != "" {
		return best
	}
	for _, c := range calls {
		if dir == "" {
			dir = slashedDir(c.Dir)
		}
		if dir == "" && c.Kind == agent.CallEdit && len(c.Paths) > 0 && absolute(c.Paths[0]) {
			dir = path.Dir(slashedDir(c.Paths[0]))
		}
	}
	return slashedDir(dir)
}

// above is what stands before the part of a path that is a file of the tree; the
// longest such part counts. A name alone says too little.
func above(tree, dir, p string) string {
	p = slashedDir(p)
	if !absolute(p) {
		if p = path.Join(slashedDir(dir), p); !absolute(p) {
			return ""
		}
	}
	parts := strings.Split(path.Clean(p), "/")
	for i := 1; i < len(parts)-1; i++ {
		if info, err := os.Lstat(filepath.Join(tree, filepath.Join(parts[i:]...))); err == nil && info.Mode().IsRegular() {
			return strings.Join(parts[:i], "/")
		}
	}
	return ""
}

func slashedDir(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// absolute tells a whole path, also of Windows.
func absolute(p string) bool {
	return path.IsAbs(p) || len(p) > 2 && p[1] == ':' && p[2] == '/'
}

// touches tells whether a call ran in a work tree or names a file in it.
func touches(root string, c agent.Call) bool {
	in := func(p string) bool {
		p = slashedDir(p)
		return p == root || strings.HasPrefix(p, strings.TrimSuffix(root, "/")+"/")
	}
	if root == "" || in(c.Dir) {
		return root != ""
	}
	return slices.ContainsFunc(c.Paths, in)
}
