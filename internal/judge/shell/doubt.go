package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// loud reports whether a statement hardly ever fails and, where it does, says
// so in words that are known: `cd x && go test; true` tells a missing folder.
func loud(s *syntax.Stmt) bool {
	if value, known := constant(s); known {
		return value
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.DeclClause:
		return true
	case *syntax.CallExpr:
		return len(s.Redirs) == 0 && (len(cmd.Args) == 0 || among("cd pushd popd source . echo printf set unset mkdir umask ulimit date pwd sleep", cmd.Args[0].Lit()))
	case *syntax.BinaryCmd:
		return cmd.Op == syntax.AndStmt && loud(cmd.X) && loud(cmd.Y)
	}
	return false
}

// endsWell reports whether a statement succeeds whatever came before it: true,
// `exit 0`.
func endsWell(s *syntax.Stmt) bool {
	if value, known := constant(s); known {
		return value
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		return len(cmd.Args) == 2 && among("exit return", cmd.Args[0].Lit()) && strings.Trim(cmd.Args[1].Lit(), "0") == "" && cmd.Args[1].Lit() != ""
	case *syntax.Block:
		return len(cmd.Stmts) > 0 && endsWell(cmd.Stmts[len(cmd.Stmts)-1])
	}
	return false
}

// rescues reports whether a trap for the shell's end lets it end well.
func rescues(words []string) bool {
	if len(words) < 3 || !slices.ContainsFunc(words[2:], func(w string) bool { return among("EXIT 0 ERR exit err", w) }) {
		return false
	}
	file, err := parse(words[1])
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) == 2 && call.Args[0].Lit() == "exit" && strings.Trim(call.Args[1].Lit()+"x", "0") == "x" {
			found = call.Args[1].Lit() != "" || found
		}
		return !found
	})
	return found
}

// doubts fills in what speaks against taking the command for what it says.
func (c *Command) doubts(sc *scope, f fate) {
	c.maybe = f.maybe && !f.runs || sc.gone || sc.skips
	c.forced = f.forced || sc.rescued
	c.masked = c.mask(sc)
	for words := c.argv; len(words) > 0; {
		inner, _ := unwrap(words)
		if inner == nil {
			break
		}
		if program(words[0]) == "timeout" {
			c.limited = f.dropped || instant(words[1:len(words)-len(inner)])
		}
		words = inner
	}
}

// instant reports whether a time limit leaves no program the time to start.
func instant(args []string) bool {
	if len(args) == 0 {
		return false
	}
	limit := args[len(args)-1]
	return strings.HasPrefix(limit, "0.") || strings.HasPrefix(limit, ".") || strings.HasSuffix(limit, "ms")
}

// mask tells why the command's first word may stand for another program.
func (c *Command) mask(sc *scope) string {
	if len(c.Words) == 0 {
		return ""
	}
	switch name := c.Words[0]; {
	case slices.Contains(sc.aliases, name):
		return "stands behind an alias of its name"
	case strings.ContainsAny(name, "/$\\"):
		return ""
	}
	if value, ok := c.variable("PATH"); ok {
		for dir := range strings.SplitSeq(value, ":") {
			if foreignBin(dir) {
				return "may be a program of another folder, which the line puts into PATH"
			}
		}
	}
	return ""
}

// foreignBin reports whether programs of a folder in PATH are none that were
// installed: it is a temporary one, or one of the work tree that is no place
// for programs.
func foreignBin(dir string) bool {
	dir = strings.Trim(dir, `"'`)
	for _, temporary := range []string{"/tmp/", "/var/tmp/", "/dev/shm/", "$TMPDIR", "${TMPDIR", "$(mktemp"} {
		if strings.HasPrefix(dir+"/", temporary) {
			return true
		}
	}
	here := dir == "." || strings.HasPrefix(dir, "./") || strings.HasPrefix(dir, "../") || strings.HasPrefix(dir, "$PWD") || strings.HasPrefix(dir, "${PWD}") || strings.HasPrefix(dir, "$(pwd)") ||
		dir != "" && !strings.ContainsAny(dir[:1], "/~$`\\") && !strings.Contains(dir, ":")
	return here && !among("bin .bin Scripts sbin shims", path.Base(dir))
}

// variable is the last value that the line gives a variable for the command.
func (c *Command) variable(name string) (value string, ok bool) {
	for _, set := range slices.Backward(c.Env) {
		if value, ok = strings.CutPrefix(set, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// environment are the variables that the line sets for a command: those that
// were exported before, those that stand before it, and those of env.
func (w *walker) environment(assigned, argv, words []string, sc *scope) []string {
	env := slices.Concat(sc.env, assigned)
	for _, word := range argv[:max(len(argv)-len(words), 0)] {
		if assignment(word) {
			env = append(env, word)
		}
	}
	return env
}

// assigns are NAME=value as the line has them; what only the shell could expand
// stays as written.
func (w *walker) assigns(list []*syntax.Assign) (all []string) {
	for _, a := range list {
		if a.Name == nil || a.Naked || a.Append || a.Index != nil || a.Array != nil {
			continue
		}
		value := ""
		if a.Value != nil {
			value = w.text(a.Value)
		}
		all = append(all, a.Name.Value+"="+value)
	}
	return all
}

// declare follows export and declare -x.
func (w *walker) declare(cmd *syntax.DeclClause, sc *scope) {
	exports := cmd.Variant.Value == "export"
	for _, a := range cmd.Args {
		if a.Name == nil && a.Value != nil && strings.HasPrefix(w.text(a.Value), "-") {
			exports = exports && !strings.Contains(w.text(a.Value), "n") || strings.Contains(w.text(a.Value), "x")
		}
	}
	if !exports {
		sc.vars = append(sc.vars, w.assigns(cmd.Args)...)
		return
	}
	for _, a := range cmd.Args {
		if a.Name == nil || !a.Naked {
			continue
		}
		for _, set := range sc.vars {
			if strings.HasPrefix(set, a.Name.Value+"=") {
				sc.env = append(sc.env, set)
			}
		}
	}
	sc.env = append(sc.env, w.assigns(cmd.Args)...)
}

// assign follows assignments that stand alone. PATH is exported already.
func (sc *scope) assign(list []string) {
	for _, set := range list {
		name, _, _ := strings.Cut(set, "=")
		known := slices.ContainsFunc(sc.env, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		if name == "PATH" || known {
			sc.env = append(sc.env, set)
		} else {
			sc.vars = append(sc.vars, set)
		}
	}
}
