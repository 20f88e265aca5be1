package tmux

import (
	"context"
	"os"
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
	args := []string{"respawn-pane", "-k", "-t", id}
	if dir != "" {
		args = append(args, "-c", literal(strings.ReplaceAll(dir, "#", "##"))) // it is read as a format
	}
	for _, v := range env {
		args = append(args, "-e", literal(v))
	}
	for _, a := range argv {
		args = append(args, literal(a))
	}
	s.Env = append(os.Environ(), "PATH="+path)
	_, err := s.call(ctx, "", args...)
	return err
}

// Open starts a program in a pane of its own, and returns the pane's id: in a new window
// of the server's current session, or in a new session where no socket is named.
func (s Server) Open(ctx context.Context, dir string, env, argv []string) (id string, err error) {
	args := []string{"new-window"}
	if s.Socket == "" {
		args = []string{"new-session", "-d"}
	}
	args = append(args, "-P", "-F", "#{pane_id}", "-c", literal(strings.ReplaceAll(dir, "#", "##")))
	for _, v := range env {
		args = append(args, "-e", literal(v))
	}
	args = append(args, "--")
	for _, a := range argv {
		args = append(args, literal(a))
	}
	id, err = s.call(ctx, "", args...)
	return strings.TrimSpace(id), err
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
