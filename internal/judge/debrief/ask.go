package debrief

import (
	"maps"
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

func (t *turn) absentPrograms() []string {
	gone := map[string]bool{}
	for _, c := range t.calls {
		if c.Kind != agent.CallShell {
			continue
		}
		missing := absentIn(c)
		for _, cmd := range c.commands {
			for _, word := range programs(cmd) {
				delete(gone, word)
			}
		}
		for _, word := range missing {
			gone[word] = true
		}
	}
	return slices.Sorted(maps.Keys(gone))
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
func absentIn(c *call) (found []string) {
	if !containsAny(c.Call.Output, "not found", "No module named ") {
		return nil // most outputs; to take the secrets out of them all is dear
	}
	for line := range strings.Lines(told(c.Output())) {
		if word := absentProgram(strings.TrimSpace(tools.Uncoloured(line))); word != "" {
			found = union(found, word)
		}
	}
	// A script that calls what is missing cannot run either.
	suspects := c.suspects()
	if len(found) > 0 && len(suspects) == 1 && c.ExitCode != nil && *c.ExitCode == 127 {
		found = append(found, suspects[0].name())
	}
	return found
}

// absentProgram is the program that a line says is not there; "" where it says
// nothing of that kind, or of a program that ran and lacks a library.
func absentProgram(line string) string {
	by := saysAbsent.by(line)
	if by == nil || strings.HasPrefix(line, "ModuleNotFoundError") {
		return ""
	}
	word := strings.Trim(strings.Join(by.FindStringSubmatch(line)[1:], ""), "'\"`.")
	if word == "" || strings.ContainsAny(word, " \t") {
		return ""
	}
	return path.Base(slashed(word))
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
		for _, c := range r.turn.calls {
			if c.Kind == agent.CallShell {
				if shells++; shells > seenCalls {
					continue
				}
			}
			paths = append(paths, r.turn.paths(c)...)
			for _, e := range c.edits {
				paths = append(paths, e.path)
			}
		}
	})
	return paths, whole && shells <= seenCalls
}

// paths are the files and folders that a call shows, as seen from the root.
func (t *turn) paths(c *call) (all []string) {
	for _, name := range c.shown() {
		rel, ok := t.relative(c.Dir, name)
		if !ok {
			continue
		}
		all = append(all, rel)
		if real, ok := t.real(rel); ok {
			all = append(all, real)
		}
	}
	return all
}

// shown are the files and folders that a call shows, as it names them.
func (c *call) shown() (paths []string) {
	if c.Kind == agent.CallRead {
		return c.Paths
	}
	for _, cmd := range c.commands {
		paths = append(paths, cmd.Reads()...)
	}
	return paths
}
