package announce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/proc"
)

// maxOutput bounds what is read of what a listener's program writes.
const maxOutput = 64 << 10

// run starts the listener's command. One that ran out of time is not started again:
// part of it has been heard.
func (c Carrier) run(ctx context.Context, m message) courier.Outcome {
	r, err := c.start(ctx, m, m.listener.Command)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return courier.Outcome{What: courier.Parked, Why: "there is no program " + m.listener.Command[0]}
	case errors.Is(err, context.DeadlineExceeded):
		return courier.Outcome{What: courier.Parked, Why: fmt.Sprintf("%s did not end in %s", m.listener.Command[0], m.listener.Limit())}
	case err != nil:
		return courier.Outcome{What: courier.Failed, Why: err.Error()}
	case r.Code != 0:
		return courier.Outcome{What: courier.Failed, Why: fmt.Sprintf("%s ended with status %d: %s", m.listener.Command[0], r.Code, lastLine(r.Stderr))}
	}
	return courier.Outcome{What: courier.Delivered}
}

// summarised is the message with what the summary command makes of its text. Where
// that fails the text stays as it is.
func (c Carrier) summarised(ctx context.Context, m message) message {
	limited, cancel := context.WithTimeout(ctx, m.listener.Limit()*2/3) // the rest is for telling it
	defer cancel()
	r, err := c.start(limited, m, m.listener.Summary)
	if err != nil || r.Code != 0 {
		return m
	}
	if text := tidy(string(r.Stdout)); text != "" {
		m.news.Text, m.summary = text, true
	}
	return m
}

// start runs a program of the listener to its end: in a process group of its own,
// in the user's home, with the text on stdin and in the environment. What it starts
// in the background stays.
func (c Carrier) start(ctx context.Context, m message, argv []string) (proc.Result, error) {
	env := append(os.Environ(),
		agent.LetterEnv+"="+m.id, agent.ListenerEnv+"="+m.listener.Name, agent.EventEnv+"="+string(m.news.Event),
		agent.TextEnv+"="+m.news.Text, agent.TitleEnv+"="+m.title(),
		agent.SessionEnv+"="+m.session.ID, agent.AgentEnv+"="+m.session.Agent, agent.RootEnv+"="+m.session.Root,
		agent.RunEnv+"="+m.news.Run, // also where it is empty: Piton itself may have been started by a step of another run
	)
	return proc.Run(ctx, proc.Command{Argv: argv, Dir: c.UserHome, Env: env, Stdin: []byte(m.news.Text + "\n"), MaxOutput: maxOutput, Ends: true})
}

// lastLine is the line in which a program says what went wrong.
func lastLine(stderr []byte) string {
	end := stderr[max(len(stderr)-maxText/2, 0):] // a tidy text keeps its beginning
	lines := strings.Split(tidy(string(end)), "\n")
	return piton.Cut(lines[len(lines)-1], 300)
}
