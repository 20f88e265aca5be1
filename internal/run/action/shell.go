package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/run/plan"
)

// Shell runs a command.
type Shell struct{ Tools }

// Doc says what the action takes.
func (Shell) Doc() Doc {
	return Doc{
		Name:    "shell",
		Summary: "Runs a command in a process group of its own.",
		Parameters: []Parameter{
			{Name: "command", Kinds: []Kind{Text, List}, Required: true, Others: []string{"cmd", "script", "run", "args", "argv"},
				Meaning: "a script, or a program and its arguments as a list"},
			{Name: "dir", Kinds: []Kind{Text}, Others: []string{"cwd", "workdir", "working_dir", "working_directory", "working-directory", "folder"},
				Meaning: "the folder, relative to the run's"},
			{Name: "env", Kinds: []Kind{Map}, Others: []string{"environment", "variables"}, Meaning: "a map of variables that are added to the environment"},
			{Name: "shell", Kinds: []Kind{Text, List}, Others: []string{"interpreter"},
				Meaning: "what reads the script: `sh`, or `bash -eo pipefail`; or a program and its arguments as a list"},
			{Name: "dotenv", Kinds: []Kind{Text, List}, Others: []string{"env_file", "env_files"}, Meaning: "a file of variables, `NAME=VALUE` a line, or a list of them; `env` goes before them. They are read when the step begins, and not saved"},
			{Name: "container", Kinds: []Kind{Text}, Others: []string{"image"}, Meaning: "the image of a container that it runs in, by docker or podman"},
			{Name: "host", Kinds: []Kind{Text}, Others: []string{"ssh"}, Meaning: "the host that it runs on, by ssh: `USER@HOST` or a name of your ssh settings. `dir` is a folder there"},
			{Name: "stdin", Others: []string{"input"}, Meaning: "what the command reads: a text as it is, any other value as JSON; nothing where it is left out"},
			outputParameter,
		},
		Output: "the JSON it prints on stdout, else the text without the last line feed",
	}
}

// Check reports what is wrong with the parameters.
func (a Shell) Check(s plan.Step) error {
	if err := a.Doc().Check(s); err != nil {
		return err
	}
	if list, ok := s.Parameters["command"].([]any); ok && s.Parameters["shell"] != nil {
		return wrong(`the parameter "shell" of the action shell reads a script; %q names a program itself`, fmt.Sprint(list...))
	}
	for _, name := range []string{"command", "shell"} {
		if list, ok := s.Parameters[name].([]any); ok {
			if _, err := words(list); err != nil {
				return wrong("the parameter %q of the action shell: %s", name, err)
			}
		}
	}
	env, _ := s.Parameters["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return wrong("%q in env is not a name of a variable", name)
		}
	}
	return nil
}

// Effect is once: nobody can tell what a command changes.
func (Shell) Effect(plan.Step) plan.Effect { return plan.Once }

// Do runs the command. Status 0 is success. All that it has started ends with it,
// unless it has left the process group; at a timeout and when the run is cancelled
// that too.
func (a Shell) Do(ctx context.Context, c Call) (Result, error) {
	in, err := a.command(c)
	if err != nil {
		return Result{}, err
	}
	if c.Attempt > 1 {
		in.clear(in.cmd.Env)
	}
	r, err := c.start(ctx, in.cmd, io.Discard)
	if err != nil {
		if ctx.Err() != nil {
			in.clear(in.cmd.Env)
		}
		return Result{}, err
	}
	if err := failure(r); err != nil {
		if f := (*Failed)(nil); in.lost != 0 && r.Code == in.lost && errors.As(err, &f) {
			f.Known = Unknown
		}
		return Result{}, err
	}
	out, err := readOutput(r.Stdout, r.Cut, c.Parameters["output"])
	return Result{Output: out}, err
}

// command is what the parameters say to run.
func (a Shell) command(c Call) (elsewhere, error) {
	var cmd proc.Command
	var err error
	if cmd.Argv, err = argv(c.Parameters["command"], c.Parameters["shell"]); err != nil {
		return elsewhere{}, err
	}
	if cmd.Dir, err = c.Folder("dir"); err != nil {
		return elsewhere{}, err
	}
	vars, _, err := Dotenv(c.Dir, c.Parameters["dotenv"])
	if err != nil {
		return elsewhere{}, err
	}
	env, _ := c.Parameters["env"].(map[string]any)
	for name, v := range env {
		if vars[name], err = word(v); err != nil {
			return elsewhere{}, final("the variable %s of env: %w", name, err)
		}
	}
	all := map[string]any{}
	for name, v := range vars {
		all[name] = v
	}
	if cmd.Env, err = a.Environ(c, all); err != nil {
		return elsewhere{}, err
	}
	in, err := text(c.Parameters["stdin"])
	if err != nil {
		return elsewhere{}, err
	}
	cmd.Stdin = []byte(in)
	return c.inside(cmd, vars)
}

// argv is the program to start: a list as it is, a script by its shell.
func argv(command, shell any) ([]string, error) {
	switch command := command.(type) {
	case string:
		if command == "" {
			return nil, final("the command is empty")
		}
		by, err := interpreter(shell)
		return append(by, command), err
	case []any:
		list, err := words(command)
		if err != nil {
			return nil, final("the command: %w", err)
		}
		return list, nil
	}
	return nil, final(`the parameter "command" is %s, and must be a text or a list`, described(command))
}

// interpreter is what reads a script.
func interpreter(shell any) ([]string, error) {
	switch shell := shell.(type) {
	case nil:
		return []string{"sh", "-c"}, nil
	case string:
		by := strings.Fields(shell) // "bash -eo pipefail"
		if len(by) == 0 {
			return nil, final("the shell is empty")
		}
		return append(by, "-c"), nil
	case []any:
		list, err := words(shell)
		if err != nil {
			return nil, final("the shell: %w", err)
		}
		return list, nil
	}
	return nil, final(`the parameter "shell" is %s, and must be a text or a list`, described(shell))
}

// words are a program and its arguments.
func words(list []any) ([]string, error) {
	if len(list) == 0 || list[0] == "" {
		return nil, errors.New("no program is named")
	}
	var argv []string
	for i, v := range list {
		switch v.(type) {
		case nil, []any, map[string]any:
			return nil, fmt.Errorf("word %d is %s, and must be a text or a number", i+1, described(v))
		}
		w, err := word(v)
		if err != nil {
			return nil, fmt.Errorf("word %d: %w", i+1, err)
		}
		argv = append(argv, w)
	}
	return argv, nil
}

// failure is the error of a program that did not end with status 0.
func failure(r proc.Result) error {
	if r.Code == 0 {
		return nil
	}
	said := ending(r.Stderr)
	if said == "" {
		said = ending(r.Stdout)
	}
	err := fmt.Errorf("exit status %d", r.Code)
	if said != "" {
		err = fmt.Errorf("exit status %d: %s", r.Code, said)
	}
	return &Failed{Err: err, Final: r.Code == 126 || r.Code == 127, Known: exitKnown(r.Code)} // a shell did not find it, or may not run it
}
