package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// What can be wrong with a repository, besides what git itself reports. Every error of this package's methods wraps at most one of these.
var (
	ErrNoRepo  = errors.New("not a git repository")
	ErrBare    = errors.New("a git repository without a work tree")
	ErrNoGit   = errors.New("the git program is missing")
	ErrOwner   = errors.New("git does not trust the repository's owner (safe.directory)")
	ErrTimeout = errors.New("git took too long")
	ErrDamaged = errors.New("the git repository is damaged")
)

// Find walks up from dir to the work tree it lies in, without starting git. root has no symbolic links in it; gitDir is the folder
// git keeps for this work tree (for worktrees and submodules another one than root/.git). A bare repository has no work tree: not ok.
func Find(dir string) (root, gitDir string, ok bool) {
	root, gitDir, err := find(dir)
	return root, gitDir, err == nil
}

func find(dir string) (root, gitDir string, err error) {
	dir, err = filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", "", ErrNoRepo
	}
	for {
		if gitDir, found := gitDirOf(dir); found {
			if gitDir == "" {
				return "", "", ErrNoRepo // it points nowhere; git stops here too
			}
			return dir, gitDir, nil
		}
		if isGitDir(dir) {
			return "", "", ErrBare
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", "", ErrNoRepo
		}
		dir = up
	}
}

// gitDirOf reads dir/.git, a folder or a file that names one.
func gitDirOf(dir string) (gitDir string, found bool) {
	at := filepath.Join(dir, ".git")
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		return at, isGitDir(at)
	}
	b, err := readSmall(at)
	to, named := strings.CutPrefix(string(b), "gitdir:")
	if err != nil || !named {
		return "", true
	}
	to = strings.TrimRight(strings.TrimLeft(to, " "), "\r\n")
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	if !isGitDir(to) {
		return "", true
	}
	return to, true
}

// isGitDir asks as git does: a HEAD, and objects and refs here or in the common folder. HEAD may be a link to a branch not born yet.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := commonDir(dir)
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// commonDir is where a worktree's git folder keeps what it shares with the others: configuration, objects, branches.
func commonDir(gitDir string) string {
	b, err := readSmall(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	common := strings.TrimRight(string(b), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return common
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
