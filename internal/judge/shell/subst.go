package shell

import "mvdan.cc/sh/v3/syntax"

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
