package tmux

import (
	"context"
	"os"
	"slices"
	"strings"
)

// Respawn starts a program in a pane in the place of the one there, which is
// killed. It is looked up in path, the PATH of a program; where that is empty in the
// server's own. (tmux takes the PATH of whoever asks it: for a service that is not a
// person's.) env are variables that it gets beside the server's.
func (s Server) Respawn(ctx context.Context, id, dir, path string, env, argv []string) error {
	if path == "" {
		said, err := s.call(ctx, "", "show-environment", "-g", "PATH")
		if err != nil {
			return err
		}
		_, path, _ = strings.Cut(strings.TrimSpace(said), "=")
	}
	s.Env = append(os.Environ(), "PATH="+path)
	_, err := s.run(ctx, []string{"respawn-pane", "-k", "-t", id}, dir, env, argv)
	return err
}

// Open starts a program in a pane of its own, and returns the pane's id: in a new window
// of the server's current session, or in a new session where no socket is named. env are
// variables that it gets beside the server's.
func (s Server) Open(ctx context.Context, dir string, env, argv []string) (id string, err error) {
	args := []string{"new-window", "-P", "-F", "#{pane_id}"}
	if s.Socket == "" {
		args = []string{"new-session", "-d", "-P", "-F", "#{pane_id}"}
	}
	id, err = s.run(ctx, args, dir, env, argv)
	return strings.TrimSpace(id), err
}

// ofPane are the variables that tell a program of the pane and the shell around it:
// those of another pane would be wrong.
var ofPane = []string{"TMUX", "TMUX_PANE", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LINES", "COLUMNS", "PWD", "OLDPWD", "SHLVL", "_"}

// run has a command of tmux start a program. tmux reads it from standard input: other
// users see the words of a command line, and variables hold keys; and there is no bound
// on their length.
func (s Server) run(ctx context.Context, args []string, dir string, env, argv []string) (string, error) {
	if dir != "" {
		args = append(args, "-c", strings.ReplaceAll(dir, "#", "##")) // it is read as a format
	}
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(ofPane, name) {
			args = append(args, "-e", v)
		}
	}
	args = append(append(args, "--"), argv...)
	for i, a := range args {
		args[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	read := []string{"source-file", "-"}
	if args[0] == "'new-session'" {
		read = []string{startServer, ";", "source-file", "-"}
	}
	return s.call(ctx, strings.Join(args, " ")+"\n", read...)
}

// KeepOpen lets a pane stay when its program ends. It returns what was set before,
// for StopKeeping.
func (s Server) KeepOpen(ctx context.Context, id string) (before string, err error) {
	if before, err = s.call(ctx, "", "show-options", "-p", "-v", "-q", "-t", id, "remain-on-exit"); err != nil {
		return "", err
	}
	_, err = s.call(ctx, "", "set-option", "-p", "-t", id, "remain-on-exit", "on")
	return strings.TrimSpace(before), err
}

// StopKeeping sets that again.
func (s Server) StopKeeping(ctx context.Context, id, before string) error {
	args := []string{"set-option", "-p", "-t", id, "remain-on-exit", before}
	if before == "" {
		args = []string{"set-option", "-p", "-u", "-t", id, "remain-on-exit"}
	}
	_, err := s.call(ctx, "", args...)
	return err
}
