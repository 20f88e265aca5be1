package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stdio is where a command's streams come from and go to.
type stdio struct {
	writes, inputs []string
	text           string // here-document or here-string
	muted          bool   // stdout and stderr end in /dev/null
}

// redirects reads redirections and walks what is substituted in them.
func (w *walker) redirects(redirs []*syntax.Redirect, sc *scope, f fate) (std stdio) {
	streams := [2]bool{sc.muted, sc.muted}
	for _, r := range redirs {
		mute(&streams, r, w.text(r.Word))
		w.substitutions(r.Word, sc, f.hidden(), f.hidden())
		if r.Hdoc != nil {
			w.substitutions(r.Hdoc, sc, f.hidden(), f.hidden())
		}
		target := w.text(r.Word)
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			std.text = w.heredoc(r)
		case syntax.WordHdoc:
			std.text = target
		case syntax.RdrIn:
			std.inputs = append(std.inputs, target)
		case syntax.DplIn:
		case syntax.DplOut:
			if strings.Trim(target, "0123456789-") != "" && !strings.HasPrefix(target, "$") {
				std.writes = append(std.writes, target)
			}
		default:
			std.writes = append(std.writes, target)
		}
	}
	noFile := func(name string) bool {
		return name == "" || strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, ">(") || strings.HasPrefix(name, "<(")
	}
	std.writes = slices.DeleteFunc(std.writes, noFile)
	std.inputs = slices.DeleteFunc(std.inputs, noFile)
	std.muted = streams[0] && streams[1]
	return std
}

// mute follows which of stdout and stderr end in /dev/null.
func mute(streams *[2]bool, r *syntax.Redirect, target string) {
	fd := 0
	if r.N != nil {
		switch r.N.Value {
		case "1":
		case "2":
			fd = 1
		default:
			return
		}
	}
	null := target == "/dev/null"
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
		streams[fd] = null
	case syntax.RdrAll, syntax.AppAll:
		*streams = [2]bool{null, null}
	case syntax.DplOut:
		switch target {
		case "1", "2":
			streams[fd] = streams[target[0]-'1']
		case "-":
			streams[fd] = true
		default:
			*streams = [2]bool{null, null} // >& file
		}
	}
}

// call walks a simple command: first what is substituted in it, then itself.
func (w *walker) call(s *syntax.Stmt, call *syntax.CallExpr, sc *scope, f fate) {
	status := f.hidden()
	if len(call.Args) == 0 {
		status = f // x=$(a): the status is that of the substitution
	}
	for i, assign := range call.Assigns {
		last := f.hidden()
		if i == len(call.Assigns)-1 {
			last = status
		}
		w.substitutions(assign, sc, f.hidden(), last)
	}
	assigned := w.assigns(call.Assigns)
	argv := make([]string, 0, len(call.Args))
	for _, arg := range call.Args {
		w.substitutions(arg, sc, f.hidden(), f.hidden())
		argv = append(argv, w.text(arg))
	}
	std := w.redirects(s.Redirs, sc, f)
	if len(argv) > 0 {
		w.run(argv, assigned, std, sc, f)
		return
	}
	sc.assign(assigned)
	if len(std.writes)+len(std.inputs) > 0 {
		w.emit(Command{Dir: sc.dir, Writes: std.writes, inputs: std.inputs}, sc, f)
	}
}

// run notes the command argv, or the commands that it runs in its place.
func (w *walker) run(argv, assigned []string, std stdio, sc *scope, f fate) {
	c := Command{Words: argv, Dir: sc.dir, Away: sc.away, Writes: std.writes, Stdin: std.text, argv: argv, inputs: std.inputs, muted: std.muted}
	if c.Stdin == "" && len(std.inputs) == 0 {
		c.Stdin = sc.feed
	}
	for range maxDepth {
		inner, dir := unwrap(c.Words)
		if inner == nil {
			break
		}
		if there := away(c.Words, inner); there != nil {
			c.Away = there
		}
		c.Words, c.Dir = inner, join(c.Dir, dir)
	}
	c.Env = w.environment(assigned, argv, c.Words, sc)
	if argv[0] == "exec" && len(c.Words) < len(argv) {
		f.counts, f.suspect = sc.exits, sc.suspect // its status is the shell's
	}
	if w.replaced(c, sc, f) {
		sc.leave(argv)
		if c.Words = nil; len(c.Writes)+len(c.inputs) > 0 {
			w.emit(c, sc, f)
		}
		return
	}
	sc.follow(c.Words, f)
	c.Dir = join(c.Dir, ownDir(c.Words))
	w.emit(c, sc, f)
	sc.leave(argv)
	if inner := executed(c.Words); len(inner) > 0 && w.depth < maxDepth {
		f = f.hidden()
		f.runs, f.maybe = false, true
		w.within(w.src, func() { w.run(inner, assigned, stdio{}, sc, f) })
	}
}

func (w *walker) emit(c Command, sc *scope, f fate) {
	if w.steps++; w.steps <= maxSteps {
		c.Status, c.suspect = sc.status(f)
		c.dropped, c.unsure = f.dropped, f.unsure
		c.doubts(sc, f)
		w.found = append(w.found, c)
	}
}

// replaced walks the commands behind a call of a function of this line, eval,
// trap and a shell with its script on the line, and reports whether there are
// any that can be read.
func (w *walker) replaced(c Command, sc *scope, f fate) bool {
	if fn, ok := sc.funcs[c.Words[0]]; ok && len(c.Words) == len(c.argv) && w.depth < maxDepth && w.bytes < maxText {
		w.bytes += int(fn.body.End().Offset() - fn.body.Pos().Offset())
		skips := sc.skips
		w.within(fn.src, func() { w.stmt(fn.body, sc, f) })
		sc.skips = skips
		return true
	}
	switch c.Words[0] {
	case "eval":
		return len(c.Words) > 1 && w.script(strings.Join(c.Words[1:], " "), sc, f) == nil
	case "trap":
		hidden := f.hidden()
		sc.rescued = sc.rescued || rescues(c.Words)
		return len(c.Words) > 2 && c.Words[1] != "-" && w.script(c.Words[1], sc.fork(hidden), hidden) == nil
	}
	inline, ok := inlineScript(c.Words, c.Stdin)
	if !ok {
		return false
	}
	sub := sc.fork(f)
	sub.dir, sub.dirs = c.Dir, nil
	sub.errexit, sub.pipefail = inline.errexit, inline.pipefail
	sub.muted, sub.env, sub.vars, sub.away = c.muted, c.Env, nil, c.Away
	sub.aliases = nil
	sub.funcs = map[string]function{}
	f.counts, f.stops, f.ignored = sub.exits, false, false
	return w.script(inline.text, sub, f) == nil
}

// leave notes that the shell may end here well, or go on elsewhere. An exit
// that fails needs no note: then the line, or what hides it, fails too.
func (sc *scope) leave(argv []string) {
	switch argv[0] {
	case "exit":
		sc.dead = true
		if len(argv) < 2 || strings.Trim(argv[1], "0123456789") != "" || strings.Trim(argv[1], "0") == "" {
			sc.gone = true
		}
	case "exec":
		sc.gone = sc.gone || len(argv) > 1
		sc.dead = sc.dead || len(argv) > 1
	case "return", "break", "continue":
		sc.skips = true
	}
}

// follow keeps up with the builtins that change what later commands start from.
func (sc *scope) follow(words []string, f fate) {
	args := words[1:]
	switch words[0] {
	case "cd", "chdir", "pushd":
		for len(args) > 0 && (args[0] == "--" || args[0] == "-P" || args[0] == "-L" || args[0] == "-n") {
			args = args[1:]
		}
		if words[0] == "pushd" {
			sc.dirs = append(sc.dirs, sc.dir)
		}
		sc.move(args)
	case "popd":
		if n := len(sc.dirs); n > 0 {
			sc.last, sc.dir, sc.dirs = sc.dir, sc.dirs[n-1], slices.Clip(sc.dirs[:n-1])
		}
	case "set":
		sc.set(args, f.runs)
	case "alias", "hash":
		for _, arg := range args {
			if name, _, ok := strings.Cut(arg, "="); ok || words[0] == "hash" {
				sc.aliases = append(sc.aliases, name)
			}
		}
	}
}

func (sc *scope) move(args []string) {
	from := sc.dir
	switch {
	case len(args) == 0:
		sc.dir = "~"
	case args[0] == "-":
		sc.dir = sc.last
	default:
		sc.dir = join(sc.dir, args[0])
	}
	sc.last = from
}

// set follows set -e and set -o pipefail, in any of their spellings. One that
// may not have run turns nothing on.
func (sc *scope) set(args []string, runs bool) {
	for i, arg := range args {
		if arg == "--" {
			return
		}
		if len(arg) < 2 || arg[0] != '-' && arg[0] != '+' {
			continue
		}
		on := arg[0] == '-'
		if on && !runs {
			continue
		}
		if strings.Contains(arg, "e") {
			sc.errexit = on
		}
		if strings.Contains(arg, "n") && on {
			sc.dead = true // what follows is read only
		}
		if strings.HasSuffix(arg, "o") && i+1 < len(args) {
			switch args[i+1] {
			case "pipefail":
				sc.pipefail = on
			case "errexit":
				sc.errexit = on
			case "noexec":
				sc.dead = sc.dead || on
			}
		}
	}
}
