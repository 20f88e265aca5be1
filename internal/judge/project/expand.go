package project

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// Expand tells what a command comes to in the end: a task, target or script of
// the project is read through to its own commands, with the words that the
// caller gave it, in the folder in which its tool runs it. Of these it returns
// the runs of tests; where there are none, what builds or checks. A command that
// calls nothing of the project is its own and only run. It is not read where a
// definition says more than is understood of it: then what it takes is unknown.
// Rule: docs/spec.md, "Evidence".
func (t *Tests) Expand(dir string, words []string) (runs []Run, read bool) {
	if len(words) == 0 {
		return nil, true
	}
	e := expansion{t: t, hops: maxHops, open: map[string]bool{}}
	f := t.top.at(dir)
	if f == nil || strings.ContainsAny(dir, "$`") {
		return []Run{{Words: words, Dir: dir, Scope: tools.NewCall(words).Scope().From(dir)}}, true
	}
	if !e.command(f, words) {
		return []Run{e.t.run(f, words)}, true
	}
	runs, read = e.found()
	plain := e.plain(f, words, runs)
	for i := range runs {
		runs[i].Plain = plain
	}
	return runs, read
}

// plainNames are those that projects give to the entry that runs all.
const plainNames = "test tests check ci verify"

// plain reports whether a command is the project's own plain entry, and is given
// no words that make it take less.
func (e *expansion) plain(f *folder, words []string, runs []Run) bool {
	h, ok := e.t.called(f, words)
	switch {
	case !ok:
		script := scriptOf(words)
		return tools.Among(plainNames+" run_tests run-tests runtests", strings.TrimSuffix(path.Base(script), ".sh")) && words[len(words)-1] == script
	case len(h.names) != 1 || !tools.Among(plainNames, h.names[0]) || len(h.members) > 0:
		return false
	case len(h.args) == 0 && len(h.vars) == 0:
		return true
	}
	bare := expansion{t: e.t, hops: maxHops, open: map[string]bool{}}
	h.args, h.vars = nil, nil
	bare.targets(h)
	without, _ := bare.found()
	return slices.EqualFunc(runs, without, func(a, b Run) bool { return a.Dir == b.Dir && a.Scope.Equal(b.Scope) })
}

// expansion collects what a command comes to.
type expansion struct {
	t      *Tests
	hops   int
	open   map[string]bool // targets and scripts that are being read
	runs   [runsOthers + 1][]Run
	unread bool // a definition says more than is understood of it
}

// What runs are, from those that say most.
const (
	runsTests = iota
	runsChecks
	runsOthers // nobody knows what they do
)

// found are the runs that say most.
func (e *expansion) found() (runs []Run, read bool) {
	for _, runs := range e.runs {
		if len(runs) > 0 {
			return runs, !e.unread
		}
	}
	return nil, false
}

func (e *expansion) keep(what int, r Run) { e.runs[what] = append(e.runs[what], r) }

// unreadRun is a run of which nobody knows what it takes.
func unreadRun(dir string, words []string) Run {
	return Run{Words: words, Dir: dir, Scope: tools.Scope{Unread: true, Words: dir + ": " + strings.Join(words, " ")}}
}

// command follows a command into the target or the script that it calls, and
// reports whether it calls one.
func (e *expansion) command(f *folder, words []string) bool {
	if h, ok := e.t.called(f, words); ok {
		e.targets(h)
		return true
	}
	return e.script(f, words)
}

// deeper runs a step unless it is too deep, or the same is being read.
func (e *expansion) deeper(key string, step func()) {
	if e.hops <= 0 || e.open[key] {
		e.unread = true
		return
	}
	e.hops--
	e.open[key] = true
	step()
	delete(e.open, key)
	e.hops++
}

// script follows a command into a shell script of the tree.
func (e *expansion) script(f *folder, words []string) bool {
	name := scriptOf(words)
	at, base, text, ok := f.script(name)
	if !ok || text == "" {
		return false
	}
	if tools.Among(tools.Find(base).Aliases, base) {
		return false // a tool that lies in the tree: gradlew, mvnw
	}
	if slices.ContainsFunc(words, func(w string) bool { return w == "-c" || w == "-n" }) {
		return false
	}
	args := words[slices.Index(words, name)+1:]
	e.deeper(path.Join(at.dir, base), func() {
		e.text(f, positional(text, args), at.dir)
	})
	return true
}

// text follows a shell's text. script is the folder of the script that it is.
func (e *expansion) text(f *folder, text, script string) {
	found := e.t.commands(text)
	e.unread = e.unread || len(found) == 0 && !comment(text)
	for _, c := range found {
		if len(c.Words) == 0 || !c.Demanded() || c.DryRun() {
			continue
		}
		at, words := e.folder(f, c.Dir, script), c.Argv()
		switch {
		case at == nil && isRunner(c):
			e.keep(runsTests, unreadRun(c.Dir, words))
		case at != nil && !e.command(at, words):
			e.note(at, c, words)
		}
	}
}

// folder is where a command of a text runs; nil outside of the tree, and where
// only the shell knows.
func (e *expansion) folder(f *folder, dir, script string) *folder {
	if !strings.ContainsAny(dir, "$`") {
		return f.at(dir)
	}
	_, rest, _ := strings.Cut(dir[strings.LastIndexAny(dir, ")}\"`")+1:], "/")
	switch {
	case strings.Contains(dir, "show-toplevel"):
		return e.t.top.at(rest)
	case strings.Contains(dir, "dirname") || strings.Contains(dir, "%/*}"):
		return e.t.top.at(path.Join(script, rest))
	}
	return nil
}

// note keeps a command that calls nothing of the project, if it verifies
// something or nobody knows what it does.
func (e *expansion) note(f *folder, c shell.Command, words []string) {
	if len(slices.Concat(e.runs[:]...)) > maxGathered {
		e.unread = true
		return
	}
	switch does := tools.Find(tools.Name(c.Words[0])).Does; {
	case isRunner(c):
		e.keep(runsTests, e.t.run(f, words))
	case c.Spellings().MatchAny(shell.Doing(tools.Checks)):
		e.keep(runsChecks, e.t.run(f, words))
	case idle(c), does&(tools.Reads|tools.Trivial|tools.Loud|tools.Formats|tools.Testless) != 0, quiet(c):
	default:
		e.keep(runsOthers, unreadRun(f.dir, words))
	}
}

// quiet reports whether a command is known to test nothing.
func quiet(c shell.Command) bool {
	return c.Spellings().MatchAny(shell.Doing(tools.Testless|tools.Installs|tools.Formats|tools.Prints)) ||
		tools.Among("rm mkdir cp mv touch ln chmod install docker podman docker-compose git curl wget source .", tools.Name(c.Words[0]))
}

// targets follows the targets of a call.
func (e *expansion) targets(h handed) {
	if e.unread = e.unread || h.unread; h.unread && len(h.members) == 0 {
		return
	}
	h.each(func(at *folder, name string) {
		given := h
		if given.at = at; name != h.names[len(h.names)-1] {
			given.args = nil
		}
		e.target(given, name)
	})
}

// target follows one target: what runs before it, its own lines, what runs after.
func (e *expansion) target(h handed, name string) {
	d := h.at.define(h.tool)
	r, ok := d.recipes[name]
	if !ok {
		return // a file, or a script that this member does not have
	}
	key := h.at.dir + "\x00" + h.tool + "\x00" + name
	if e.open[key] && tools.Find(h.tool).Targets.Form == tools.Mixfile {
		e.keep(runsTests, e.t.run(h.at, append([]string{h.tool, name}, h.args...))) // an alias that stands for the task of its name
		return
	}
	e.deeper(key, func() {
		e.unread = e.unread || r.unsure
		bare := h
		bare.args = nil
		for _, need := range slices.Concat(r.needs, r.beside) {
			if need != name {
				e.target(bare, need)
			}
		}
		at := e.recipeFolder(h, r.dir)
		if at == nil {
			e.unread = true
			return
		}
		for _, text := range h.texts(tools.Find(h.tool).Targets.Form, d, r) {
			e.text(at, text, h.at.dir)
		}
	})
}

// recipeFolder is where a recipe runs: with its file, or where it says.
func (e *expansion) recipeFolder(h handed, dir string) *folder {
	if template, rest, ok := strings.Cut(dir, "}}"); ok {
		rest = strings.TrimPrefix(rest, "/")
		switch {
		case strings.Contains(template, "config_root") || strings.Contains(template, "TASKFILE_DIR") || strings.Contains(template, "ROOT_DIR"):
			return h.at.at(path.Join(rest, "."))
		case strings.Contains(template, "cwd") || strings.Contains(template, "USER_WORKING_DIR"):
			return h.from.at(path.Join(rest, "."))
		}
		return nil
	}
	if strings.ContainsAny(dir, "$`") {
		return nil
	}
	return h.at.at(path.Join(dir, "."))
}
