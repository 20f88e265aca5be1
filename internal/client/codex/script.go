package codex

import (
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// script is a program of the model's, in JavaScript, which calls the client's
// tools ("code mode"). Some versions tell of its commands one by one; of others
// this is all there is: the calls as they are written, and what the script has
// printed.
type script struct {
	calls  []string // the ids of its calls, in their order
	prints []string // what it has printed, one text for each call to text()
	status bool     // it looks at exit statuses, so that it may print them
}

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

// answers gives each call of the script what it has said. Where the script
// prints as many results as it made calls, they stand in the calls' order;
// else nobody can tell whose a line is, and each call gets all of them.
func (s *script) answers() []answer {
	var all []answer
	for _, text := range s.prints {
		all = append(all, printed(text, s.status)...)
	}
	if n := len(all); n > 0 && n < len(s.calls) && all[n-1].thrown {
		// Of those that ran at once, any may be the one that failed.
		all = append(all, slices.Repeat(all[n-1:], len(s.calls)-n)...)
	}
	if len(all) == len(s.calls) {
		return all
	}
	whole := answer{said: strings.Join(s.prints, "\n")}
	if len(s.calls) == 1 {
		for _, a := range all {
			if a.exit != nil || a.process != "" {
				whole.exit, whole.process = a.exit, a.process
			}
		}
	}
	out := make([]answer, len(s.calls))
	for i := range out {
		out[i] = whole
	}
	return out
}
