package e2e

import (
	"os"
	"time"
)

// tool is a call of the model's, in no client's words: a client has its own
// name and arguments for each kind.
type tool struct {
	Kind       string // read, write, edit, shell, background, agent; else the client's own name
	File       string
	From, Text string         // an edit's; Text is also what is written, run or asked
	Input      map[string]any // of a tool that has its own name
}

func readTool(name string) tool        { return tool{Kind: "read", File: name} }
func writeTool(name, text string) tool { return tool{Kind: "write", File: name, Text: text} }
func editTool(name, from, to string) tool {
	return tool{Kind: "edit", File: name, From: from, Text: to}
}
func bash(command string) tool       { return tool{Kind: "shell", Text: command} }
func background(command string) tool { return tool{Kind: "background", Text: command} }
func agent(prompt string) tool       { return tool{Kind: "agent", Text: prompt} }

// swap is a change of calc.go that leaves it right, and slip one that does not.
func swap() []reply {
	return []reply{call(readTool("calc.go")), call(editTool("calc.go", "a + b", "b + a"))}
}

func slip() []reply {
	return []reply{call(readTool("calc.go")), call(editTool("calc.go", "a + b", "a - b"))}
}

func call(tools ...tool) reply { return reply{Tools: tools} }

func say(text string) reply { return reply{Text: text} }

// muse is say by a model that takes its time after a hold: so soon that another hook
// could still report the stop before, a client that has not written the words yet
// seems to have told of one stop twice.
func muse(text string) reply { return reply{Text: text, Delay: 2500 * time.Millisecond} }

// hang is a tool that does not end until the world does. It says that it runs
// by the file "hanging" beside the project.
const hang = `#!/bin/sh
touch '{root}/hanging'
while [ -e '{root}/alive' ]; do sleep 0.1; done
`

// release lets the tool end.
func (w *world) release() { check(w.t, os.Remove(w.root+"/alive")) }

// hanging waits until the agent's tool hangs.
func (x *terminal) hanging() {
	x.t.Helper()
	x.until("the tool that hangs", func() bool { return os.Remove(x.root+"/hanging") == nil })
}
