package tools

import (
	"path"
	"slices"
	"strings"
)

// gitWrites reads the git commands that touch the work tree.
func gitWrites(c Call) (named []string, others bool) {
	a := Read(c.Words, c.Tool.Takes+" -s --source -m -b -B -e --exclude")
	rest := a.From(1)
	switch a.Operand(0) {
	case "mv":
		return rest, false
	case "rm":
		if a.Has("--cached") {
			return nil, false
		}
		return files(rest)
	case "restore":
		if (a.letter("S") || a.Has("--staged")) && !a.letter("W") && !a.Has("--worktree") {
			return nil, false
		}
		return files(rest)
	case "checkout":
		if len(a.Rest) > 0 {
			return files(a.Rest)
		}
		return nil, !a.letter("bB") || len(rest) > 0
	case "apply":
		if a.Has("--check --stat --numstat --summary --cached") {
			return nil, false
		}
		return patched(c.Stdin), true
	case "reset":
		return nil, a.Has("--hard --merge --keep")
	case "clean":
		return nil, !a.letter("n")
	case "stash":
		return nil, !Among("list show drop clear", a.Operand(1))
	case "bisect", "submodule", "worktree", "sparse-checkout":
		return nil, !Among("log list status summary", a.Operand(1))
	}
	// The rest leaves the files as they are: status, diff, log, add, commit, push.
	return nil, Among("switch merge rebase pull cherry-pick revert am clone init subtree lfs filter-branch filter-repo mergetool checkout-index read-tree", a.Operand(0))
}

// files splits operands into files named and the rest, a folder or everything.
func files(operands []string) (named []string, others bool) {
	for _, f := range operands {
		if b := path.Base(f); b == "." || b == ".." || b == "..." || strings.HasSuffix(f, "/") || strings.HasPrefix(f, ":") {
			others = true
		} else {
			named = append(named, f)
		}
	}
	return named, others || len(operands) == 0
}

func gitRisk(c Call) string {
	rest := c.From(1)
	force := c.letter("f") || c.Has("--force")
	kind, risky := DiscardChanges, false
	switch c.Operand(0) {
	case "reset":
		risky = c.Has("--hard")
	case "clean":
		kind, risky = DeleteFiles, force && !c.letter("n")
	case "checkout":
		risky = len(c.Rest) > 0 || slices.Contains(rest, ".") || force
	case "restore":
		risky = !(c.letter("S") || c.Has("--staged")) || c.letter("W") || c.Has("--worktree")
	case "switch":
		risky = force || c.Has("--discard-changes")
	case "stash":
		risky = Among("drop clear", c.Operand(1))
	case "worktree":
		risky = c.Operand(1) == "remove" && force
	case "branch":
		kind, risky = RewriteHistory, c.letter("D") || (c.letter("d") || c.Has("--delete")) && force
	case "push":
		forced := func(ref string) bool { return strings.HasPrefix(ref, "+") || strings.HasPrefix(ref, ":") }
		kind, risky = RewriteHistory, c.letter("fd") || c.Has("--force --delete --mirror --prune") || slices.ContainsFunc(rest, forced)
	case "reflog":
		kind, risky = RewriteHistory, Among("expire delete", c.Operand(1))
	case "filter-branch", "filter-repo":
		kind, risky = RewriteHistory, true
	}
	if !risky {
		return ""
	}
	return kind
}

// StashesAll reports whether a git stash takes every change, not some of them.
func StashesAll(words []string) bool {
	args := words[slices.Index(words, "stash")+1:]
	for i, w := range args {
		switch {
		case w == "push" && i == 0:
		case w == "save" && i == 0:
			return true // what follows is its message
		case Among("-k --keep-index -S --staged -p --patch --", w) || strings.HasPrefix(w, "--pathspec"):
			return false
		case !strings.HasPrefix(w, "-") && (i == 0 || args[i-1] != "-m" && args[i-1] != "--message"):
			return false // a path
		}
	}
	return true
}

// patched lists the files that a patch in the line names: git's, diff's or the
// agents' own form (*** Update File: x).
func patched(text string) (named []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for _, mark := range [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/"} {
			if file, ok := strings.CutPrefix(line, mark); ok && file != "" && !slices.Contains(named, file) {
				named = append(named, file)
			}
		}
	}
	return named
}
