package shell

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/piton-project/piton/internal/judge/tools"
)

// scope is one shell process: the line's own, a subshell's, that of bash -c.
type scope struct {
	dir, last string
	dirs      []string // of pushd
	options
	exits     bool // its failure is the failure of the line
	suspect   bool // a line that failed may have failed because it did
	gone      bool // it may have ended well before this place
	skips     bool // return, break or continue may have led around this place
	dead      bool // it has ended before this place
	muted     bool // what runs here prints to /dev/null
	funcs     map[string]function
	feed      string   // its standard input, where the line holds it
	rescued   bool     // a trap ends it well, whatever fails in it
	env, vars []string // NAME=value: exported, and not
	aliases   []string // names that alias or hash have given to something else
	away      *Away    // where it runs, if not here
}

// function is a body with the text that its positions point into.
type function struct {
	body *syntax.Stmt
	src  source
}

// fork is the subshell that runs at a place with fate f.
func (sc *scope) fork(f fate) *scope {
	sub := *sc
	sub.exits = f.counts || f.stops && sc.exits
	sub.suspect = sc.blames(f)
	sub.dirs, sub.env, sub.vars, sub.aliases = slices.Clip(sub.dirs), slices.Clip(sub.env), slices.Clip(sub.vars), slices.Clip(sub.aliases)
	sub.funcs = maps.Clone(sc.funcs)
	return &sub
}

// blames reports whether a line that failed may have failed at a place with fate f.
func (sc *scope) blames(f fate) bool {
	return f.counts || f.suspect || f.stops && sc.suspect
}

// failing is the fate of a place whose failure leads to one with the end e.
func (sc *scope) failing(place, f fate, e end) fate {
	switch e {
	case fails:
		place.counts, place.suspect = f.counts, sc.blames(f)
	case leaves:
		place.counts, place.suspect = sc.exits, sc.suspect
	}
	return place
}

// status is what is told of a command with fate f.
func (sc *scope) status(f fate) (s Status, suspect bool) {
	fails := f.counts || f.stops && sc.exits // the line, where the command does
	passedBy := sc.gone || sc.skips || sc.rescued
	switch {
	case f.background:
		return Background, false
	case f.runs && fails && !passedBy:
		s = Decides
	}
	return s, sc.blames(f)
}

// leave notes that the shell may end here well, or go on elsewhere. An exit
// that fails needs no note: then the line, or what hides it, fails too.
func (sc *scope) leave(argv []string) {
	switch argv[0] {
	case "exit":
		sc.dead = true
		sc.gone = sc.gone || len(argv) < 2 || !number(argv[1]) || zero(argv[1])
	case "exec":
		sc.gone = sc.gone || len(argv) > 1
		sc.dead = sc.dead || len(argv) > 1
	case "return", "break", "continue":
		sc.skips = true
	}
}

// builtin keeps up with the builtins that change what later commands start from.
func (sc *scope) builtin(words []string, f fate) {
	args := words[1:]
	switch words[0] {
	case "cd", "chdir", "pushd":
		for len(args) > 0 && tools.Among("-- -P -L -n", args[0]) {
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
		sc.dir = tools.Join(sc.dir, sc.known(args[0]))
	}
	sc.last = from
}

// known is a folder whose first part is a variable that the line has set.
func (sc *scope) known(dir string) string {
	variable, rest, _ := strings.Cut(dir, "/")
	name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(variable, "$"), "{"), "}")
	value, _ := lookup(slices.Concat(sc.env, sc.vars), name)
	if !strings.HasPrefix(dir, "$") || value == "" || strings.ContainsAny(value, "$`*?~ ") {
		return dir
	}
	return tools.Join(value, rest)
}

// lookup is the last value of a variable in a list of NAME=value.
func lookup(list []string, name string) (value string, ok bool) {
	for _, set := range slices.Backward(list) {
		if value, ok = strings.CutPrefix(set, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// set follows set -e and set -o pipefail, in any of their spellings.
func (sc *scope) set(args []string, runs bool) {
	for at := 0; at < len(args) && args[at] != "--"; at++ {
		if isFlag(args[at]) {
			at += sc.follow(args[at:], runs) - 1
		}
	}
	sc.dead = sc.dead || sc.noexec // what follows is read only
}

// command is the command that argv starts, without its wrappers.
func (sc *scope) command(argv []string, std stdio, f fate) Command {
	c := Command{Words: argv, Dir: sc.dir, Away: sc.away, Writes: std.writes, Stdin: std.text, argv: argv, inputs: std.inputs, muted: std.muted}
	if c.Stdin == "" && len(std.inputs) == 0 {
		c.Stdin = sc.feed
	}
	for range maxDepth {
		w := tools.Unwrap(c.Words)
		if w.Words == nil {
			break
		}
		if there := away(w); there != nil {
			c.Away = there
		}
		if w.Tool.Limits {
			c.limited = f.dropped || instant(w.Own)
		}
		c.fed = c.fed || w.Tool.Feeds
		c.Words, c.Dir = w.Words, tools.Join(c.Dir, w.Dir)
	}
	return c
}

// inner is the shell that runs a script which c has on its line.
func (sc *scope) inner(c Command, in inline, f fate) *scope {
	sub := sc.fork(f)
	sub.dir, sub.dirs = c.Dir, nil
	sub.options = in.options
	sub.muted, sub.env, sub.vars, sub.away = c.muted, c.Env, nil, c.Away
	sub.aliases = nil
	sub.funcs = map[string]function{}
	return sub
}

// judged is the command with what its place in the line says of its end.
func (sc *scope) judged(c Command, f fate) Command {
	c.fate, c.masked = f, sc.mask(c)
	c.Status, c.suspect = sc.status(f)
	c.maybe = f.maybe && !f.runs || sc.gone || sc.skips
	c.forced = f.forced || sc.rescued
	return c
}

// mask tells why the command's first word may stand for another program.
func (sc *scope) mask(c Command) string {
	if len(c.Words) == 0 {
		return ""
	}
	switch name := c.Words[0]; {
	case slices.Contains(sc.aliases, name):
		return "stands behind an alias of its name"
	case strings.ContainsAny(name, "/$\\"):
		return ""
	}
	if path, ok := lookup(c.Env, "PATH"); ok && slices.ContainsFunc(strings.Split(path, ":"), foreignBin) {
		return "may be a program of another folder, which the line puts into PATH"
	}
	return ""
}

// foreignBin reports whether programs of a folder in PATH are none that were
// installed: it is a temporary one, or one of the work tree that is not a place
// for programs.
func foreignBin(dir string) bool {
	dir = strings.Trim(dir, `"'`)
	for _, here := range []string{"$PWD", "${PWD}", "$(pwd)"} {
		if rest, ok := strings.CutPrefix(dir, here); ok {
			dir = "." + rest
		}
	}
	switch {
	case tools.TemporaryFolder(dir), slices.ContainsFunc([]string{"$TMPDIR", "${TMPDIR", "$(mktemp"}, func(t string) bool { return strings.HasPrefix(dir, t) }):
		return true
	case dir == "", strings.ContainsAny(dir[:1], "/~$`\\"), strings.Contains(dir, ":"): // elsewhere
		return false
	}
	return !tools.ProgramFolder(path.Base(dir))
}

// environment are the variables that the line sets for a command: those that
// were exported before, those that stand before it, and those of env.
func (sc *scope) environment(assigned, argv, words []string) []string {
	env := slices.Concat(sc.env, assigned)
	for _, word := range argv[:max(len(argv)-len(words), 0)] {
		if tools.Assignment(word) {
			env = append(env, word)
		}
	}
	return env
}

// declare follows export and declare -x. What export names without a value is exported
// with the one that it has.
func (sc *scope) declare(src source, cmd *syntax.DeclClause) {
	exports, set := cmd.Variant.Value == "export", src.assigns(cmd.Args)
	for _, a := range cmd.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			if letters, isFlag := strings.CutPrefix(src.text(a.Value), "-"); isFlag {
				exports = strings.Contains(letters, "x") || exports && !strings.Contains(letters, "n")
			}
		case a.Name != nil && a.Naked:
			if value, known := lookup(sc.vars, a.Name.Value); known {
				set = append([]string{a.Name.Value + "=" + value}, set...)
			}
		}
	}
	if exports {
		sc.env = append(sc.env, set...)
	} else {
		sc.vars = append(sc.vars, src.assigns(cmd.Args)...)
	}
}

// assign follows assignments that stand alone. PATH is exported already.
func (sc *scope) assign(list []string) {
	for _, set := range list {
		name, _, _ := strings.Cut(set, "=")
		if _, exported := lookup(sc.env, name); exported || name == "PATH" {
			sc.env = append(sc.env, set)
		} else {
			sc.vars = append(sc.vars, set)
		}
	}
}
