package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// checkRaises compares the limits with those of the last commit, and those of each
// commit of this landing with its parent's. note says what could not be compared.
func checkRaises(dir string, now limits) (wrong []string, note string) {
	wrong = raised(now.list, limitsAt(dir, "HEAD"))
	base, err := landingBase(dir)
	if err != nil {
		return wrong, fmt.Sprintf("the commits before this one are not here, so only changes without a commit were looked at for raises (%v)\n", err)
	}
	for _, c := range strings.Fields(got(git(dir, "rev-list", "--first-parent", base+"..HEAD", "--", fileName))) {
		for _, w := range raised(limitsAt(dir, c), limitsAt(dir, c+"^")) {
			wrong = append(wrong, "commit "+c[:min(len(c), 12)]+": "+w)
		}
	}
	return wrong, ""
}

// landingBase is the commit that a landing builds on: where this branch left main; on
// main itself the commit before the last.
func landingBase(dir string) (string, error) {
	head, err := git(dir, "rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	for _, main := range []string{"origin/main", "main"} {
		if base, err := git(dir, "merge-base", "HEAD", main); err == nil && base != head {
			return base, nil
		}
	}
	return git(dir, "rev-parse", "--verify", "HEAD^")
}

// limitsAt are the limits of a commit; none where it has no file or cannot be read.
func limitsAt(dir, commit string) []limit {
	text, _ := git(dir, "show", commit+":./"+fileName)
	x, _ := parseLimits(text)
	return x.list
}

func git(dir string, args ...string) (string, error) {
	x := exec.Command("git", append([]string{"-C", dir}, args...)...)
	out, err := x.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
