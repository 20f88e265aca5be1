package project

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// shellsOwn are commands that a shell runs without a program.
const shellsOwn = "cd : . source export set unset exec eval exit test [ command trap umask ulimit wait true false"

// Missing says which program, script or target of a command line is not here; "" where
// nothing is missed, or nobody can tell. path is the list of folders of programs.
func (t *Tests) Missing(line, path string) string {
	found, err := shell.Parse(line)
	if err != nil {
		return "it cannot be read"
	}
	for _, c := range found {
		if len(c.Words) == 0 || tools.Among(shellsOwn, c.Words[0]) {
			continue
		}
		if why := t.missingProgram(c, path); why != "" {
			return why
		}
		if why := t.missingTarget(c); why != "" {
			return why
		}
	}
	return ""
}

// missingProgram looks for the program of a command, and for the script that it runs.
func (t *Tests) missingProgram(c shell.Command, path string) string {
	here := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(t.root, c.Dir, name)
	}
	name := c.Program()
	unknown := func(s string) bool { return strings.ContainsAny(s+c.Dir, "$`~") } // the shell alone knows
	switch {
	case unknown(name):
		return ""
	case strings.Contains(name, "/"):
		if info, err := os.Stat(here(name)); err != nil {
			return fmt.Sprintf("there is no file %q here", name)
		} else if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			return fmt.Sprintf("%q is not a program", name)
		}
	case !slices.ContainsFunc(filepath.SplitList(path), func(dir string) bool {
		_, err := exec.LookPath(filepath.Join(dir, name))
		return filepath.IsAbs(dir) && err == nil
	}):
		return fmt.Sprintf("there is no program %q in PATH", name)
	}
	script := scriptOf(c.Words)
	runsFile := script != "" && script != c.Words[0] && !slices.Contains(c.Words, "-c")
	if runsFile && c.Away == nil && !unknown(script) {
		if _, err := os.Stat(here(script)); err != nil {
			return fmt.Sprintf("there is no file %q here", script)
		}
	}
	return ""
}

// missingTarget looks for the target that a command names: of make, just, npm run.
func (t *Tests) missingTarget(c shell.Command) string {
	at, head := t.top.at(c.Dir), tools.Of(c.Words[0])
	if at == nil || c.Away != nil {
		return ""
	}
	tool := tools.Name(c.Words[0])
	if head.TargetsOf != "" {
		tool = head.TargetsOf
	}
	targets, words := tools.Find(tool).Targets, append(slices.Clone(c.Words), "", "")
	switch {
	case targets == nil || slices.ContainsFunc(c.Words[1:], func(w string) bool { return strings.HasPrefix(w, "-") }):
		return "" // a flag may name another folder or file
	case targets.Verb != "":
		called := words[2] != "" && tools.Among(targets.Verb, words[1])
		if !called && (tool != "npm" || words[1] != "test") {
			return ""
		}
	}
	if h, ok := t.called(at, c.Words); ok || h.at.define(tool).vague {
		return ""
	}
	return fmt.Sprintf("nothing here defines %q", strings.Join(c.Words, " "))
}
