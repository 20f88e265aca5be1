package project

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// runners are the test runners that a target comes to.
func (t *Tests) runners(f *folder, tool, name string, hops int) []shell.Command {
	return once(t.ran, fmt.Sprint(f.dir, "\x00", tool, "\x00", name, "\x00", hops), func() (all []shell.Command) {
		r := f.define(tool).recipes[name]
		at := f.at(r.dir)
		if at == nil || hops <= 0 {
			return nil
		}
		for _, line := range r.lines {
			all = append(all, t.textRunners(at, line, hops)...)
		}
		for _, need := range r.needs {
			all = append(all, t.runners(f, tool, need, hops-1)...)
		}
		return all[:min(len(all), maxGathered)]
	})
}

func (t *Tests) runs(f *folder, tool, name string) bool {
	return len(t.runners(f, tool, name, maxHops)) > 0
}

// textRunners are the test runners that a shell's text comes to.
func (t *Tests) textRunners(f *folder, text string, hops int) (all []shell.Command) {
	if !strings.Contains(text, "/") && !speaks(text) {
		return nil // parsing is dear
	}
	for _, c := range t.commands(text) {
		switch {
		case len(c.Words) == 0 || !c.Demanded():
		case isRunner(c):
			all = append(all, c)
		default:
			all = append(all, t.calledRunners(f.at(c.Dir), c.Words, hops-1)...)
		}
	}
	return all[:min(len(all), maxGathered)]
}

// calledRunners are those that a command comes to through targets or a script.
func (t *Tests) calledRunners(f *folder, words []string, hops int) (all []shell.Command) {
	if f == nil || hops <= 0 {
		return nil
	}
	if h, ok := t.called(f, words); ok {
		h.each(func(at *folder, name string) { all = append(all, t.runners(at, h.tool, name, hops)...) })
		return all
	}
	return t.scriptRunners(f, scriptOf(words), hops)
}

// scriptRunners are those that a shell script of the work tree comes to.
func (t *Tests) scriptRunners(f *folder, file string, hops int) []shell.Command {
	at, base, text, isShell := f.script(file)
	if !isShell {
		return nil
	}
	script := path.Join(at.dir, base)
	return once(t.ran, fmt.Sprint(script, "\x00", hops), func() []shell.Command {
		if t.scripts[script] = t.hollowText(text); !speaks(text) {
			return nil
		}
		return t.textRunners(f, text, hops) // it is usually started at the root, wherever it lies
	})
}

// commands are what a shell's text runs, nothing where it cannot be parsed or
// too much was parsed before.
func (t *Tests) commands(text string) []shell.Command {
	return once(t.parsed, text, func() (found []shell.Command) {
		if t.left--; t.left >= 0 {
			found, _ = shell.Parse(text) // what cannot be parsed, make or the shell could not run
		}
		return found
	})
}

// speaks leaves out what can run no test, by its words. A script nearly always
// holds a path; other texts that hold one may run a script.
func speaks(text string) bool {
	return slices.ContainsFunc(testWords(), func(word string) bool { return strings.Contains(text, word) })
}

// testWords are words of which every text that runs tests holds one.
var testWords = sync.OnceValue(func() []string {
	words := []string{"test", "spec", "make", "MAKE", "run", "npm", "yarn", "bun", "just", "task", "check", ".sh"}
	for _, r := range tools.Patterns(tools.Runner) {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(r, word) }) {
			head, _, _ := strings.Cut(r, " ")
			words = append(words, head)
		}
	}
	return words
})

func isRunner(c shell.Command) bool {
	return c.Spellings().MatchAny(shell.Doing(tools.Runner))
}

// operands are the words that are not flags; a flag's value passes for one.
func operands(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" || w[0] == '-' })
}

// hollowTarget judges a target by its recipe and by those it needs.
func (t *Tests) hollowTarget(f *folder, tool, name string, hops int) hollow {
	return once(t.idle, fmt.Sprint(f.dir, "\x00", tool, "\x00", name, "\x00", hops), func() hollow {
		d := f.define(tool)
		r, ok := d.recipes[name]
		if !ok || hops <= 0 || d.vague {
			return solid
		}
		h := empty
		for _, line := range r.lines {
			h = min(h, t.hollowText(line))
		}
		for _, other := range slices.Concat(r.needs, r.beside) {
			h = min(h, t.hollowTarget(f, tool, other, hops-1))
		}
		return h
	})
}

// hollowText judges a shell's text.
func (t *Tests) hollowText(text string) hollow {
	found := t.commands(text)
	if len(found) == 0 {
		if comment(text) {
			return empty
		}
		return solid // it cannot be read
	}
	h := empty
	for _, c := range found {
		switch {
		case len(c.Words) == 0 || idle(c) && !isRunner(c) || c.DryRun(): // pdm run test is not a test of the shell's
		case !c.Demanded():
			h = min(h, forgiven)
		default:
			return solid
		}
	}
	return h
}

// hollowCall judges what a command calls: targets or a script.
func (t *Tests) hollowCall(f *folder, c shell.Command) hollow {
	is := solid
	if h, ok := t.called(f, c.Words); ok {
		is = empty
		h.each(func(at *folder, name string) { is = min(is, t.hollowTarget(at, h.tool, name, maxHops)) })
	} else if _, _, text, ok := f.script(scriptOf(c.Words)); ok && text != "" {
		is = t.hollowText(text)
	}
	return is
}

// comment tells a text that holds nothing else, or nothing.
func comment(text string) bool {
	return !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && line[0] != '#'
	})
}

// scriptOf is the path of the script that a command runs, if it runs one.
func scriptOf(words []string) string {
	if t := tools.Of(words[0]); t.Script != nil && t.Script.Files {
		return append(operands(words[1:]), "")[0]
	}
	return words[0]
}

// idle reports whether a command does nothing that a test would.
func idle(c shell.Command) bool { return tools.Find(c.Words[0]).Does&tools.Nothing != 0 }
