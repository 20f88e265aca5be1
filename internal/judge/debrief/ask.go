package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/tools"
)

// Awaited reports whether a command line ends by itself with something that the
// agent waits for: a check (tests, a build, a linter), or packages that it fetches.
func (in Input) Awaited(line string) (is bool) {
	contained(func() {
		t := newTurn(Input{Root: in.Root, Tests: in.Tests, CallsSeen: true})
		is = slices.ContainsFunc(t.commands(line), func(c *command) bool { return c.look().checks || c.does(tools.Installs) })
	})
	return is
}

// Absent are the programs that calls have shown not to be on this machine, as
// the newest call of each has it. Nobody can be asked to run them.
func Absent(calls []agent.Call) (gone []string) {
	contained(func() { gone = newTurn(Input{Calls: calls, CallsSeen: true}).absentPrograms() })
	return gone
}

func (t *turn) absentPrograms() (list []string) {
	gone := map[string]bool{}
	for _, c := range t.calls {
		if c.Kind != agent.CallShell {
			continue
		}
		missing := absentIn(c)
		for _, cmd := range c.commands {
			for _, word := range programs(cmd) {
				gone[word] = slices.Contains(missing, word)
			}
		}
		for _, word := range missing {
			gone[word] = true
		}
	}
	for word, is := range gone {
		if is {
			list = append(list, word)
		}
	}
	slices.Sort(list)
	return list
}

// programs are what a command runs: itself and, where it hands on to another
// program ("python -m pytest", "npx jest"), that one.
func programs(cmd *command) []string {
	words := []string{cmd.name()}
	for _, word := range cmd.Words[min(1, len(cmd.Words)):] {
		if !strings.HasPrefix(word, "-") {
			return append(words, path.Base(word))
		}
	}
	return words
}

// absentIn are the programs that a call's output says are not there.
func absentIn(c *call) []string {
	if !strings.Contains(c.Call.Output, "not found") && !strings.Contains(c.Call.Output, "No module named ") {
		return nil // most outputs; to take the secrets out of them all is dear
	}
	var found []string
	for line := range strings.Lines(told(c.Output())) {
		line = strings.TrimSpace(tools.Uncoloured(line))
		if word := absentProgram(line); word != "" && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	if len(found) == 0 {
		return nil
	}
	// A script that calls what is missing cannot run either.
	for _, cmd := range c.commands {
		if name := cmd.name(); c.ExitCode != nil && *c.ExitCode == 127 && cmd.suspect() && tools.Find(name).Does&tools.Trivial == 0 && len(c.suspects()) == 1 {
			found = append(found, name)
		}
	}
	return found
}

// absentProgram is the program that a line says is not there, as shells, Go,
// Python and Node say it; "" where it says nothing of that kind.
func absentProgram(line string) string {
	word := ""
	switch {
	case strings.HasSuffix(line, ": command not found"): // bash: line 1: go: command not found
		line = strings.TrimSuffix(line, ": command not found")
		word = line[strings.LastIndex(line, " ")+1:]
	case strings.Contains(line, "command not found: "): // zsh
		_, word, _ = strings.Cut(line, "command not found: ")
	case strings.HasSuffix(line, ": not found") && strings.Contains(line, "sh: "): // sh: 1: vitest: not found
		line = strings.TrimSuffix(line, ": not found")
		word = line[strings.LastIndex(line, " ")+1:]
	case strings.Contains(line, "executable file not found"): // exec: "go": executable file not found in $PATH
		_, word, _ = strings.Cut(line, `"`)
		word, _, _ = strings.Cut(word, `"`)
	case strings.Contains(line, "No module named "): // /usr/bin/python3: No module named pytest
		_, word, _ = strings.Cut(line, "No module named ")
		if strings.HasPrefix(line, "ModuleNotFoundError") {
			return "" // the program ran, and lacks a library
		}
	}
	word = strings.Trim(word, "'\"`.")
	if strings.ContainsAny(word, " \t") {
		return ""
	}
	if word == "" {
		return ""
	}
	return path.Base(strings.ReplaceAll(word, `\`, "/"))
}

// seenCalls bounds the shell calls whose files are listed: what a command reads
// is dear to tell.
const seenCalls = 300

// Seen are the files and folders that the calls have shown or edited, relative
// to the root. It reports whether all calls were looked at.
func (r *Reading) Seen() (paths []string, all bool) {
	if r == nil {
		return nil, false
	}
	shells := 0
	whole := contained(func() {
		t := r.turn
		add := func(dir, name string) {
			if rel, ok := t.relative(dir, name); ok {
				paths = append(paths, rel)
			}
		}
		for _, c := range t.calls {
			switch c.Kind {
			case agent.CallRead:
				for _, p := range c.Paths {
					add(c.Dir, p)
				}
			case agent.CallShell:
				if shells++; shells > seenCalls {
					continue
				}
				for _, cmd := range c.commands {
					for _, p := range cmd.Reads() {
						add(c.Dir, p)
					}
				}
			}
			for _, e := range c.edits {
				paths = append(paths, e.path)
			}
		}
	})
	return paths, whole && shells <= seenCalls
}
