package e2e

import "os"

// The tools a model calls.
func (w *world) readTool(name string) tool {
	return tool{"Read", map[string]any{"file_path": w.path(name)}}
}

func (w *world) writeTool(name, text string) tool {
	return tool{"Write", map[string]any{"file_path": w.path(name), "content": text}}
}

func (w *world) editTool(name, from, to string) tool {
	return tool{"Edit", map[string]any{"file_path": w.path(name), "old_string": from, "new_string": to}}
}

func bash(command string) tool {
	return tool{"Bash", map[string]any{"command": command, "description": "Run it"}}
}

func agent(prompt string) tool {
	return tool{"Agent", map[string]any{"description": "A part of it", "prompt": prompt, "subagent_type": "general-purpose"}}
}

// swap is a change of calc.go that leaves it right, and slip one that does not.
func (w *world) swap() []reply {
	return []reply{call(w.readTool("calc.go")), call(w.editTool("calc.go", "a + b", "b + a"))}
}

func (w *world) slip() []reply {
	return []reply{call(w.readTool("calc.go")), call(w.editTool("calc.go", "a + b", "a - b"))}
}

func call(tools ...tool) reply { return reply{Tools: tools} }

func say(text string) reply { return reply{Text: text} }

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
