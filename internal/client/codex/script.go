package codex

import (
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// scriptBegan begins the commands that a script runs. Its patches are left out:
// every version tells of those.
func (f *fold) scriptBegan(l line, id, source string) {
	s := &script{status: strings.Contains(source, "exit_code")}
	for i, made := range readScript(source) {
		c := agent.Call{ID: id + "#" + strconv.Itoa(i), Tool: "Bash", Kind: agent.CallShell, Command: made.command, Dir: f.dir, Subagent: f.subagent, StartedAt: l.at}
		if made.dir != "" {
			c.Dir = f.absolute(made.dir, "")
		}
		if made.process != "" {
			c.Tool, c.Kind, c.Command = "write_stdin", agent.CallOther, ""
			f.polls[c.ID] = made.process
		}
		f.begin(c)
		f.scripted[c.ID] = true
		s.calls = append(s.calls, c.ID)
	}
	f.scripts[id] = s
}

// scriptSaid takes what the model was told of a script: that it has ended, or
// that it goes on as a cell, for whose end another call waits.
func (f *fold) scriptSaid(l line, s *script, output []byte) {
	head, prints := scriptOutput(output)
	whole := strings.HasPrefix(head, "Script completed")
	s.prints = append(s.prints, prints...)
	if cell, ok := strings.CutPrefix(head, "Script running with cell ID "); ok {
		f.cells[strings.TrimSpace(cell)] = s
		for _, id := range s.calls {
			if i, ok := f.calls[id]; ok {
				f.t.Calls[i].Background = f.t.Calls[i].Kind == agent.CallShell
			}
		}
		return
	}
	answers := s.answers()
	for i, id := range s.calls {
		at, ok := f.calls[id]
		if !ok || f.items[id] || !f.t.Calls[at].EndedAt.IsZero() {
			continue
		}
		f.scriptCallEnded(l, &f.t.Calls[at], answers[i])
		if c := &f.t.Calls[at]; c.Unstated && !whole {
			c.Interrupted = true // the script broke off, before this command or after it
		}
	}
}

// scriptCallEnded ends one command of a script.
func (f *fold) scriptCallEnded(l line, c *agent.Call, a answer) {
	poll := f.polls[c.ID]
	if poll != "" && (a.exit != nil || a.process != "") {
		f.polled(l, poll, a)
	}
	client.Said(c, a.said)
	if a.process != "" && a.exit == nil && poll == "" {
		f.running[a.process] = c.ID
		c.Background, c.Task = true, a.process
		return
	}
	c.Background, c.EndedAt = false, l.at
	if c.Kind == agent.CallShell {
		c.ExitCode, c.Failed, c.Unstated = a.exit, a.exit != nil && *a.exit != 0, a.exit == nil
	}
}
