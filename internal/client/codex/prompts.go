package codex

import (
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/logfile"
)

// twiceWithin is how far apart the two forms of one message are written at most.
const twiceWithin = 500 * time.Millisecond

// Prompts lists what a person said. The client's turn begins before the person's
// words are written; a second message of the same turn was typed while the agent
// worked.
func (Client) Prompts(path string) (list []client.Prompt, whole bool, err error) {
	said := false // in the client's open turn
	open := ""
	whole, err = logfile.ReadLines(path, parseLine, func(off int64, l line) {
		switch {
		case l.what == "task_started" || l.what == "turn_started":
			said, open = false, l.turn
		case l.what == "task_complete" || l.what == "turn_complete" || l.what == "turn_aborted":
			said, open = false, ""
		case l.user():
			words := l.words()
			if agent.Injected(words) {
				return
			}
			p := client.Prompt{Offset: off, At: l.at, Text: client.CutPrompt(words), Within: said && open != ""}
			if n := len(list); n > 0 && list[n-1].Text == p.Text && p.At.Sub(list[n-1].At) < twiceWithin {
				return // some versions tell of a message in both forms
			}
			list = append(list, p)
			said = true
		}
	})
	return list, whole, err
}
