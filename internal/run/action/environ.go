package action

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
)

// Environ is the environment of what a step starts: the caller's without the marks
// of the agent that has started the run, what the step adds, and who the step is. A
// later line for a name wins.
func (t Tools) Environ(c Call, add map[string]any) ([]string, error) {
	marks := map[string]bool{wordsEnv: true} // those of a step around this run
	for _, name := range t.Marks {
		marks[name] = true
	}
	var env []string
	for _, line := range c.Env {
		if name, _, _ := strings.Cut(line, "="); !marks[name] {
			env = append(env, line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(add)) {
		v, err := word(add[name])
		switch {
		case err != nil:
			return nil, final("the variable %s of env: %w", name, err)
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return nil, final("%q in env is not a name of a variable", name)
		}
		env = append(env, name+"="+v)
	}
	return append(env, c.variables()...), nil
}

// variables say to what a step starts who it is. The idempotency key is last: it is
// known by it (EndMarked).
func (c Call) variables() []string {
	list := []string{"PITON_RUN_ID=" + c.Run, "PITON_STEP_ID=" + c.Step, "PITON_ATTEMPT=" + strconv.Itoa(c.Attempt)}
	if c.Words != "" {
		list = append(list, wordsEnv+"="+c.Words)
	}
	return append(list, c.mark())
}

// wordsEnv has what a person said who sent the step back.
const wordsEnv = "PITON_WORDS"

// mark is in the environment of all that the step starts, in every attempt.
func (c Call) mark() string { return "PITON_IDEMPOTENCY_KEY=" + c.Key }

// word is a value as a word of a command line or of the environment.
func word(v any) (string, error) {
	t, err := text(v)
	if err == nil && strings.ContainsRune(t, 0) {
		return "", fmt.Errorf("it has a zero byte, which no program can be given")
	}
	return t, err
}

// text is a value as text: a text as it is, nothing for null, other values as JSON.
func text(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return "", nil
	}
	return compact(v)
}

// inProject is a folder that a value names, without links: it lies in the run's project.
func (c Call) inProject(dir string) (string, error) {
	if filepath.IsAbs(dir) || slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), "..") {
		return "", final("the parameter \"dir\" has a value, and is %s; with a value it must be a path in the project, without ..", piton.Printable(dir))
	}
	folder, in, err := c.within(filepath.Join(c.Dir, dir))
	if err != nil {
		return "", final("the parameter \"dir\": %w", err)
	}
	if !in {
		return "", final("the parameter \"dir\" has a value, and %s leads out of the project", piton.Printable(dir))
	}
	return folder, nil
}

// within is a folder without links, and whether it lies in the run's project.
func (c Call) within(dir string) (folder string, in bool, err error) {
	project, err := filepath.EvalSymlinks(projectOf(c.Dir))
	if err == nil {
		folder, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return dir, false, err
	}
	rel, err := filepath.Rel(project, folder)
	return folder, err == nil && filepath.IsLocal(rel), nil
}

// Folder is the folder that a parameter names, as seen from the run's.
func (c Call) Folder(name string) (string, error) {
	v, ok := c.Parameters[name]
	if !ok || v == nil {
		return c.Dir, nil
	}
	dir, ok := v.(string)
	if !ok {
		return "", final("the parameter %q is %s, and must be a text", name, described(v))
	}
	if c.DirValued {
		return c.inProject(dir)
	}
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir), nil
	}
	return filepath.Join(c.Dir, dir), nil
}

// projectOf is the folder of the repository that a folder is in; without one, itself.
func projectOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
