package git

import (
	"path/filepath"
	"strings"
)

// OriginOf is the normalised URL of the origin of the repository a folder lies in; "" is none.
func OriginOf(dir string) string {
	_, gitDir, ok := Find(dir)
	if !ok {
		return ""
	}
	return Normalise(Origin(gitDir))
}

// RepositoryOf is the folder that all work trees of dir's repository share; "" is none. A work tree may only say that it is one of a
// repository's if that repository knows it: anybody can write a file .git that names somebody else's.
func RepositoryOf(dir string) string {
	root, gitDir, ok := Find(dir)
	if !ok {
		return ""
	}
	dotGit := filepath.Join(root, ".git")
	if gitDir == dotGit {
		return gitDir
	}
	back, err := readSmall(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return ""
	}
	known, err := filepath.EvalSymlinks(strings.TrimRight(string(back), "\r\n"))
	if err != nil || known != dotGit {
		return ""
	}
	common, err := filepath.EvalSymlinks(commonDir(gitDir))
	if err != nil {
		return ""
	}
	own, err := filepath.EvalSymlinks(gitDir)
	if err != nil || filepath.Dir(own) != filepath.Join(common, "worktrees") {
		return "" // what it says of itself is not what that repository says
	}
	return common
}
