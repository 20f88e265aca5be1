// Package tmux looks at panes of a tmux server, types into them and starts
// programs in them. What a pane shows and is called is written by whatever runs in
// it: it is data, and is handed to nothing that interprets it.
package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
)

// Server is a tmux server.
type Server struct {
	Socket string   // path of its socket; empty: tmux's own default
	Env    []string // tmux's own variables; inherited when nil
	// Run runs tmux; proc.Run when nil.
	Run func(context.Context, proc.Command) (proc.Result, error)
}

// patience bounds one call of tmux. Its server answers in milliseconds.
const patience = 10 * time.Second

// maxScreen bounds what is read of a pane.
const maxScreen = 1 << 20

const startServer = "start-server"

// call runs one command of tmux, or several with a ";" between them.
func (s Server) call(ctx context.Context, stdin string, args ...string) (string, error) {
	argv := []string{"tmux"}
	if s.Socket != "" {
		argv = append(argv, "-S", s.Socket)
	}
	if args[0] != startServer { // where there is no server, none is started
		argv = append(argv, "-N")
	}
	argv = append(argv, args...)
	run := s.Run
	if run == nil {
		run = proc.Run
	}
	r, err := run(ctx, proc.Command{Argv: argv, Env: s.Env, Stdin: []byte(stdin), MaxOutput: maxScreen, Timeout: patience})
	op := "ask tmux"
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", &piton.Error{Code: piton.Unavailable, Op: op, Hint: "install tmux, and see that it is in PATH", Err: err}
	case err != nil:
		return "", err
	case r.TimedOut:
		return "", piton.Errorf(piton.Unavailable, op, "", "it did not answer in %s", patience)
	case r.Code != 0:
		return "", &Refusal{said: piton.Printable(strings.TrimSpace(string(r.Stderr)))}
	}
	return string(r.Stdout), nil
}

// literal is an argument as tmux takes it for itself: a ";" at its end would
// begin another command.
func literal(s string) string {
	if rest, ok := strings.CutSuffix(s, ";"); ok {
		return rest + `\;`
	}
	return s
}

// IsPane reports whether a text is the id of a pane: % and a number.
func IsPane(id string) bool {
	number, ok := strings.CutPrefix(id, "%")
	return ok && number != "" && len(number) <= 9 && strings.Trim(number, "0123456789") == ""
}

// Around is the socket of the server that a program with these variables runs
// under, and its pane; empty where it runs under none.
func Around(getenv func(string) string) (socket, pane string) {
	socket, _, _ = strings.Cut(getenv("TMUX"), ",")
	return socket, getenv("TMUX_PANE")
}

// owned refuses a socket that another user could have put there: whoever serves
// it is told what to type.
func (s Server) owned() error {
	if s.Socket == "" {
		return nil
	}
	info, err := os.Lstat(s.Socket)
	if err != nil {
		return &Refusal{said: "no server at " + piton.Printable(s.Socket)}
	}
	if info.Mode().Type() != os.ModeSocket {
		return &Refusal{said: piton.Printable(s.Socket) + " is not a socket"}
	}
	return ownedByUs(s.Socket, info)
}

func number(s string) int {
	n := 0
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil {
		return 0
	}
	return n
}
