package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
)

// driftShown bounds the files that are named as missing.
const driftShown = 20

// Drift compares the work tree we are in with what a checkpoint recorded: the
// commit, the branch, and whether the files it names are still there.
func Drift(ctx context.Context, c piton.Checkpoint, state []byte) []history.Drift {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	root, _, ok := git.Find(dir)
	var list []history.Drift
	if ok && c.Origin.GitHead != "" {
		st, err := (git.Repo{Dir: root, Folders: true}).Status(ctx)
		switch {
		case err != nil:
			list = append(list, history.Drift{What: "git", Was: c.Origin.GitHead, Is: "unknown: " + history.Cause(err)})
		default:
			if st.Head != c.Origin.GitHead {
				list = append(list, history.Drift{What: "git_head", Was: c.Origin.GitHead, Is: st.Head})
			}
			branch, _ := redact.Known(st.Branch) // as what is recorded was
			branch = piton.Printable(jsonName(branch))
			if branch != c.Origin.GitBranch && c.Origin.GitBranch != "" {
				list = append(list, history.Drift{What: "git_branch", Was: c.Origin.GitBranch, Is: branch})
			}
		}
	}
	if !ok {
		root = dir
		if c.Origin.GitHead != "" {
			list = append(list, history.Drift{What: "git_head", Was: c.Origin.GitHead, Is: "no git repository"})
		}
	}
	var s struct {
		Files   []string `json:"files_modified"`
		Deleted []string `json:"files_deleted"`
	}
	if json.Unmarshal(state, &s) != nil {
		return list
	}
	missing := 0
	for _, f := range s.Files {
		if slices.Contains(s.Deleted, f) {
			continue // so it was recorded
		}
		if _, err := os.Lstat(inTree(root, rawName(f))); !os.IsNotExist(err) {
			continue
		}
		if missing++; missing <= driftShown {
			list = append(list, history.Drift{What: "file " + f, Was: "modified", Is: "missing"})
		}
	}
	if missing > driftShown {
		list = append(list, history.Drift{What: "files", Was: "modified", Is: fmt.Sprintf("%d more are missing", missing-driftShown)})
	}
	return list
}

// inTree is where a file lies that a state names. Other programs begin the path of a
// project's file with a slash: it is the tree's where that is there and the other is not.
func inTree(root, name string) string {
	within := filepath.Join(root, filepath.FromSlash(name))
	if filepath.IsAbs(name) && (there(name) || !there(within)) {
		return name
	}
	return within
}
