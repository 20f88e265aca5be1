package app

import (
	"strings"

	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/redact"
)

// TestCommands are the commands that run the tests of the work tree at root, in
// back-ticks, and where.
func TestCommands(root string) []string {
	var list []string
	for _, t := range project.AtRoot(root).Commands() {
		run, _ := redact.Text(t.Run)
		if run == "" {
			continue
		}
		run = "`" + run + "`"
		if t.Dir != "" {
			run += " in " + t.Dir
		}
		list = append(list, strings.Join(strings.Fields(run), " "))
	}
	return list
}

// NoTests reports whether no command is known that runs the tests of the caller's project.
func (a Setup) NoTests() bool {
	root, err := a.Root()
	if err != nil || root == config.UserHome(a.o.Getenv) {
		return false
	}
	return len(a.config(root).Debrief.Tests) == 0 && len(project.AtRoot(root).Commands()) == 0
}

// UnnamedTests are the commands that run the tests of the caller's project, as
// TestCommands has them, where nobody has said which they are; and the first of them that
// runs in the project's own folder, as it is, if there is one. A home is not a project.
func (a Setup) UnnamedTests() (shown []string, run string, err error) {
	root, err := a.Root()
	if err != nil || root == config.UserHome(a.o.Getenv) {
		return nil, "", err
	}
	set := a.config(root).Debrief
	if len(set.Tests) > 0 {
		return nil, "", nil
	}
	for _, t := range project.AtRoot(root).Commands() {
		if safe, _ := redact.Text(t.Run); run == "" && t.Dir == "" && safe == t.Run {
			run = t.Run
		}
	}
	return TestCommands(root), run, nil
}
