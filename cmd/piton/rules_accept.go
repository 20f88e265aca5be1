package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/redact"
)

func rulesAcceptCommand(a *app) *cobra.Command {
	var user bool
	c := &cobra.Command{
		Use:   "accept 'CMD'",
		Short: "Add a command that runs this project's tests",
		Long: `Add a command to debrief.tests in the project's .piton.yaml: a run of it that
succeeded proves that the tests pass, and agents are asked to run it. The rest
of the file stays as it is; adding it twice changes nothing. With --user it goes
into your own file and counts in all projects. In a project's file that is not
trusted ('piton trust') it is asked for besides what is found in the project.`,
		Example: "  piton rules accept 'make check'\n  piton rules accept --user 'just test'",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			hint := "piton rules accept 'make test'"
			if len(args) > 1 {
				hint = "put it in quotes: piton rules accept " + quote([]string{strings.Join(args, " ")})
			}
			return piton.Errorf(piton.Invalid, c.CommandPath(), hint, "give one command line, not %d arguments", len(args))
		},
		RunE: func(_ *cobra.Command, args []string) error {
			root, err := workTree()
			if err != nil {
				return err
			}
			return a.accept(root, strings.TrimSpace(args[0]), user)
		},
	}
	c.Flags().BoolVar(&user, "user", false, "add it to your own file, for all projects")
	return c
}

func (a *app) accept(root, command string, user bool) error {
	if err := proves(command); err != nil {
		command, _ = redact.Text(command)
		return piton.Errorf(piton.Invalid, "accept the command", "give the line that runs the tests, as an agent would run it: 'make test'", "%q %w", command, err)
	}
	read := project.AtRoot(root).Read(command)
	if read.Nothing {
		shown, _ := redact.Text(read.Said)
		return piton.Errorf(piton.Invalid, "accept the command", "give the line that runs the tests, as an agent would run it: 'make test'", "it would prove nothing: %s", clean(shown))
	}
	path, was := config.ProjectPath(root), a.config(root).Project
	if user {
		path = config.UserFile(a.getenv)
	}
	trusted := was.Trusted && !user
	changed, err := config.AddTest(path, command)
	if err != nil {
		return err
	}
	if a.json {
		out := map[string]any{"file": path, "command": command, "changed": changed, "needs_trust": changed && trusted}
		if read.Said != "" {
			out["warning"] = clean(read.Said)
		}
		return a.printJSON(out)
	}
	if read.Said != "" {
		fmt.Fprintf(a.err, "piton: warning: %s. Its success counts as passed tests: make sure that it fails when a test does.\n", clean(read.Said))
	}
	if !changed {
		fmt.Fprintf(a.out, "%s has it already.\n", line(path))
		return nil
	}
	fmt.Fprintf(a.out, "Added to debrief.tests in %s: %s\n", line(path), line(command))
	switch {
	case trusted:
		fmt.Fprintln(a.err, "The file was trusted and has changed: 'piton trust' asks again. Until then what needs trust in it does not count.")
	case !user:
		fmt.Fprintln(a.err, "The file is not trusted: agents are asked for the command besides what is found here. After 'piton trust' it counts for itself.")
	}
	return nil
}

// maxTestCommand bounds a command that debriefs ask for.
const maxTestCommand = 300

// proves tells what keeps a command line from ever being evidence; nil if
// nothing does.
func proves(line string) error {
	switch _, secrets := redact.Text(line); {
	case line == "":
		return errors.New("is empty")
	case len(line) > maxTestCommand:
		return fmt.Errorf("is longer than %d bytes; a script or a target of a Makefile can hold it", maxTestCommand)
	case strings.ContainsFunc(line, func(r rune) bool { return steers(r) || unicode.IsControl(r) }):
		return errors.New("holds characters that nobody can see")
	case secrets > 0:
		return errors.New("holds a secret, which would be kept and told")
	}
	found, err := shell.Parse(line)
	if err != nil {
		return fmt.Errorf("is no command line that can be read: %w", err)
	}
	known := slices.ContainsFunc(found, func(c shell.Command) bool { return c.Matches(line) && !talks(c) }) &&
		!slices.ContainsFunc(found, func(c shell.Command) bool { return c.Matches(line) && talks(c) })
	var names []string
	for _, c := range found {
		if len(c.Words) > 0 {
			names = append(names, c.Words[0])
		}
	}
	switch {
	case len(names) == 0:
		return errors.New("runs nothing")
	case slices.ContainsFunc(found, shell.Command.DryRun):
		return errors.New("proves nothing: its own flags keep it from running anything")
	case slices.ContainsFunc(found, func(c shell.Command) bool { return c.Status == shell.Background }):
		return errors.New("proves nothing: it is only started in the background")
	case !slices.ContainsFunc(found, func(c shell.Command) bool { return len(c.Words) > 0 && !talks(c) }):
		return errors.New("proves nothing: it succeeds whatever the tests do")
	case !known:
		return errors.New("would not be known again when an agent runs it; give the command that runs the tests alone")
	}
	return nil
}

func talks(c shell.Command) bool { return len(c.Words) > 0 && slices.Contains(talkers, c.Words[0]) }

// talkers are programs that test nothing.
var talkers = []string{"echo", "printf", "true", ":", "false", "cat", "ls", "cd", "pwd", "sleep", "exit", "export", "set", "date", "env", "test", "[", "touch", "mkdir", "head", "tail", "grep", "which", "type"}
