package installation

import (
	"context"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/turn"
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
	if err != nil || root == config.UserHome(a.Options.Getenv) {
		return false
	}
	return len(a.Config(root).Debrief.Tests) == 0 && len(project.AtRoot(root).Commands()) == 0
}

// UnnamedTests are the commands that run the tests of the caller's project, as
// TestCommands has them, where nobody has said which they are; and the first of them that
// runs in the project's own folder, as it is, if there is one. A home is not a project.
func (a Setup) UnnamedTests() (shown []string, run string, err error) {
	root, err := a.Root()
	if err != nil || root == config.UserHome(a.Options.Getenv) {
		return nil, "", err
	}
	set := a.Config(root).Debrief
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

// TryTest runs a command once in the caller's work tree, as Piton would at a stop.
// limit 0: the usual one.
func (a Setup) TryTest(ctx context.Context, command string, limit time.Duration) (agent.Verified, error) {
	root, err := a.Root()
	if err != nil {
		return agent.Verified{}, err
	}
	tried, err := turn.RunTests(ctx, root, command, debrief.Verify{Timeout: limit}.Limit())
	if err != nil {
		return tried, piton.Errorf(piton.Internal, "try the command", "", "%w", err)
	}
	return tried, nil
}
