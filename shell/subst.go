package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// told is what a pipe's left side writes, where the line itself says so.
func told(left []Command) string {
	if len(left) != 1 || len(left[0].Words) == 0 || len(left[0].Writes) > 0 {
		return ""
	}
	c := left[0]
	switch args := c.Words[1:]; c.Words[0] {
	case "cat":
		if len(args) == 0 {
			return c.Stdin
		}
	case "echo":
		for len(args) > 0 && (args[0] == "-e" || args[0] == "-n") {
			args = args[1:]
		}
		return strings.Join(args, " ")
	case "printf":
		if len(args) > 1 && strings.Contains(args[0], "%") {
			args = args[1:]
		}
		return ansi(strings.Join(args, " "))
	}
	return ""
}

func (w *walker) define(cmd *syntax.FuncDecl, sc *scope) {
	names := cmd.Names
	if cmd.Name != nil {
		names = append(names, cmd.Name)
	}
	for _, name := range names {
		sc.funcs[name.Value] = function{cmd.Body, w.src}
	}
}

// substitutions walks the commands of $(…), `…`, <(…) and >(…) inside node;
// each has the fate each but the last command substitution, which has last.
func (w *walker) substitutions(node syntax.Node, sc *scope, each, last fate) {
	var found []syntax.Node
	end := -1
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst:
			end = len(found)
			found = append(found, n)
			return false
		case *syntax.ProcSubst:
			found = append(found, n)
			return false
		}
		return true
	})
	for i, n := range found {
		f := each
		if i == end {
			f = last
		}
		sub := *sc
		sub.errexit = false // bash does not hand it down to a substitution
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.subshell(n.Stmts, &sub, f)
		case *syntax.ProcSubst:
			w.subshell(n.Stmts, &sub, f)
		}
	}
}
