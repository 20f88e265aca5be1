package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxRounds bounds how often a value is followed from variable to variable; then all
// variables count as having one.
const maxRounds = 20

// flow follows the values through a script: into variables, inputs and arguments,
// and refuses those that the shell or a program would run as code.
func (w *shellWalk) flow(file *syntax.File) {
	w.file = file
	syntax.Walk(file, func(n syntax.Node) bool { w.declare(n); return true })
	for rounds, n := 0, -1; n < len(w.tainted)+len(w.reading); rounds++ {
		n = len(w.tainted) + len(w.reading)
		w.all = rounds >= maxRounds
		w.uses = slices.AppendSeq(w.uses[:0], maps.Keys(w.reading))
		syntax.Walk(file, func(n syntax.Node) bool {
			if x, ok := n.(*syntax.ParamExp); ok && w.isTainted(x) {
				w.uses = append(w.uses, int(x.Pos().Offset()))
			}
			return true
		})
		slices.Sort(w.uses)
		if w.all {
			syntax.Walk(file, func(n syntax.Node) bool {
				if x, ok := n.(*syntax.Assign); ok && x.Name != nil {
					w.tainted[x.Name.Value] = true
				}
				return true
			})
			break
		}
		syntax.Walk(file, func(n syntax.Node) bool { w.taint(n); return true })
	}
	w.names = slices.DeleteFunc(slices.Sorted(maps.Keys(w.tainted)), func(name string) bool { return !isVariable(name) })
	clear(w.entered)
	fed := map[*syntax.CallExpr]syntax.Node{} // with what has the value
	syntax.Walk(file, func(n syntax.Node) bool {
		for from, to := range w.inputs(n) {
			w.reads(to, func(n syntax.Node) {
				if call, ok := n.(*syntax.CallExpr); ok {
					fed[call] = from
				}
			})
		}
		return true
	})
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			w.call(call, fed[call])
		}
		w.place(n)
		return true
	})
}

// declare notes the names that the script itself gives to programs.
func (w *shellWalk) declare(n syntax.Node) {
	switch x := n.(type) {
	case *syntax.FuncDecl:
		if x.Name != nil {
			w.functions[x.Name.Value] = append(w.functions[x.Name.Value], x.Body)
		}
	case *syntax.DeclClause:
		isExport := x.Variant.Value == "export"
		for _, a := range x.Args {
			if a.Naked && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-") {
				isExport = isExport || strings.Contains(a.Value.Lit(), "x")
			}
			if a.Name != nil && isExport {
				w.exported[a.Name.Value] = true
			}
		}
	case *syntax.CallExpr:
		if len(x.Args) > 1 && x.Args[0].Lit() == "set" {
			flag := x.Args[1].Lit()
			short := strings.HasPrefix(flag, "-") && strings.Contains(flag, "a")
			if short || len(x.Args) > 2 && x.Args[2].Lit() == "allexport" {
				w.exported["*"] = true
			}
		}
		if len(x.Args) > 0 && has("alias hash", x.Args[0].Lit()) {
			for _, a := range x.Args[1:] {
				name, _, _ := strings.Cut(w.flat(a), "=")
				w.aliases[name] = true
			}
		}
	}
}

// reads calls f for what is in a part that has an input: also in the functions that
// it calls, each once in a pass.
func (w *shellWalk) reads(n syntax.Node, f func(syntax.Node)) {
	var walk func(syntax.Node) bool
	walk = func(n syntax.Node) bool {
		if n != nil {
			f(n)
		}
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		if name := call.Args[0].Lit(); !w.entered[name] {
			w.entered[name] = true
			for _, body := range w.functions[name] {
				syntax.Walk(body, walk)
			}
		}
		return true
	}
	syntax.Walk(n, walk)
}

// inputs are what has a value and becomes the input of a statement. What a script
// opens for good may be read, or written to, wherever it goes on.
func (w *shellWalk) inputs(n syntax.Node) map[syntax.Node]syntax.Node {
	m := map[syntax.Node]syntax.Node{}
	switch x := n.(type) {
	case *syntax.File:
		if w.tainted["<"] {
			m[x] = x
		}
	case *syntax.ProcSubst:
		if x.Op == syntax.CmdOut && w.carries(w.file) {
			m[x] = x
		}
	case *syntax.CoprocClause:
		if w.carries(w.file) {
			m[x] = x
		}
	case *syntax.BinaryCmd:
		if (x.Op == syntax.Pipe || x.Op == syntax.PipeAll) && (w.carries(x.X) || w.prints(x.X)) {
			m[x.X] = x.Y
		}
	case *syntax.Stmt:
		for _, r := range x.Redirs {
			from := syntax.Node(r.Word)
			if r.Hdoc != nil {
				from = r.Hdoc
			}
			reads := slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc}, r.Op)
			if reads && w.carries(from) && x.Cmd != nil {
				m[from] = x.Cmd
			}
			call, is := x.Cmd.(*syntax.CallExpr)
			isExec := is && len(call.Args) == 1 && call.Args[0].Lit() == "exec"
			if isExec && reads && w.carries(from) {
				m[from] = w.file
			}
			if isExec && r.Op == syntax.DplIn && r.Word.Lit() != "-" && w.carries(w.file) { // whatever that reads
				m[w.file] = w.file
			}
		}
	}
	return m
}

// taint notes the variables that get a value.
func (w *shellWalk) taint(n syntax.Node) {
	switch x := n.(type) {
	case *syntax.Assign:
		if x.Name != nil && (x.Value != nil && w.carries(x.Value) || x.Array != nil && w.carries(x.Array)) {
			w.tainted[x.Name.Value] = true
		}
	case *syntax.ParamExp:
		assigns := x.Exp != nil && (x.Exp.Op == syntax.AssignUnset || x.Exp.Op == syntax.AssignUnsetOrNull)
		if assigns && x.Exp.Word != nil && w.carries(x.Exp.Word) {
			w.tainted[x.Param.Value] = true
		}
	case *syntax.WordIter:
		if slices.ContainsFunc(x.Items, func(i *syntax.Word) bool { return w.carries(i) }) {
			w.tainted[x.Name.Value] = true
		}
	case *syntax.CmdSubst, *syntax.ProcSubst:
		if w.prints(x) {
			w.reading[int(x.Pos().Offset())] = true
		}
	case *syntax.DeclClause: // declare -n name=other: both are one
		for _, a := range x.Args {
			if a.Name == nil || a.Value == nil || !flagged(x, "n") {
				continue
			}
			if other := a.Value.Lit(); w.tainted[other] || w.tainted[a.Name.Value] {
				w.tainted[other], w.tainted[a.Name.Value] = true, true
			}
		}
	case *syntax.CallExpr:
		if len(x.Args) == 0 {
			return
		}
		name := x.Args[0].Lit()
		if has("cd pushd", name) && w.carries(x) {
			w.tainted["PWD"], w.tainted["OLDPWD"], w.tainted["DIRSTACK"] = true, true, true
		}
		if (w.functions[name] != nil || name == "set") && slices.ContainsFunc(x.Args[1:], func(a *syntax.Word) bool { return w.carries(a) }) {
			w.tainted["@"] = true
		}
		if name == "printf" && len(x.Args) > 3 && x.Args[1].Lit() == "-v" && w.carries(x) {
			w.tainted[x.Args[2].Lit()] = true
		}
	}
	for _, to := range w.inputs(n) {
		w.reads(to, func(n syntax.Node) {
			switch x := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst: // v=$(cat)
				w.reading[int(x.Pos().Offset())] = true
			}
			call, ok := n.(*syntax.CallExpr)
			if ok && len(call.Args) > 0 && slices.Contains([]string{"read", "mapfile", "readarray"}, call.Args[0].Lit()) {
				w.tainted["REPLY"], w.tainted["MAPFILE"] = true, true
				for _, a := range call.Args[1:] {
					w.tainted[a.Lit()] = true
				}
			}
		})
	}
}

// prints tells whether a part of the script calls what prints a value that stands
// elsewhere: one of its functions, or what names the folder that it went to.
func (w *shellWalk) prints(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			name := call.Args[0].Lit()
			found = found || w.tainted["PWD"] && has("pwd dirs realpath readlink", name) || slices.ContainsFunc(w.functions[name], w.carries)
		}
		return true
	})
	return found
}

// call weighs a command.
func (w *shellWalk) call(x *syntax.CallExpr, from syntax.Node) {
	words := make([]argument, len(x.Args))
	given := w.environ(x)
	any := from != nil || len(given) > 0 || len(w.names) > 0
	for i, a := range x.Args {
		words[i] = argument{text: w.flat(a), valued: w.carries(a)}
		words[i].leading = strings.HasPrefix(words[i].text, markBegin)
		any = any || words[i].valued
	}
	for _, word := range words {
		if name, _, is := strings.Cut(word.text, "="); is && word.valued && syntax.ValidName(name) { // env X=VALUE
			given = append(given, name)
		}
	}
	if !any {
		return
	}
	if w.aliases[words[0].text] {
		words[0].text = "$"
	}
	out, input, environ := weigh(words, from != nil)
	if environ != nil && len(given) > 0 {
		w.err = environ
	}
	for i, v := range out {
		if v.err != nil {
			w.refuse(x.Args[i], v.err)
		}
		if v.lead {
			w.span(x.Args[i].Pos(), x.Args[i].End(), func(h *hole) { h.lead = h.at == w.first(x.Args[i]) })
		}
	}
	if input != nil {
		w.refuse(from, input)
		_, isFile := from.(*syntax.File)
		if isFile || !w.carries(from) { // the value stands elsewhere
			w.err = cmp.Or(w.err, fmt.Errorf("the input may have a value of ${{ … }}: %w", input))
		}
	}
	tainted := append(given, w.names...)
	if from != nil {
		tainted = append(tainted, "<")
	}
	if err := w.nested(words, tainted); err != nil && w.err == nil {
		w.err = err
	}
}

// nested reads the scripts among the words of a command that has values: they may be
// its arguments.
func (w *shellWalk) nested(words []argument, tainted []string) error {
	shell := false
	if slices.ContainsFunc(words, func(a argument) bool { return a.valued }) {
		tainted = append(tainted, "@")
	}
	for i, word := range words {
		isScript := i > 0 && isScriptFlag(words[i-1].text)
		if isScript && shell && word.text == "$" && slices.ContainsFunc(tainted, func(name string) bool { return !isVariable(name) }) {
			return errUnread
		}
		if shell && !word.valued && (isScript || strings.Contains(word.text, "$")) {
			if err := w.inner(word.text, tainted...); err != nil {
				return err
			}
		}
		_, p := programNamed(word.text)
		shell = shell || p != nil && p.write == byArgument
	}
	return nil
}

// environ are the variables with a value that a command is given by its environment.
func (w *shellWalk) environ(x *syntax.CallExpr) (names []string) {
	for _, a := range x.Assigns {
		if a.Name != nil && a.Value != nil && w.carries(a.Value) {
			names = append(names, a.Name.Value)
		}
	}
	for _, name := range w.names {
		if w.exported[name] || w.exported["*"] {
			names = append(names, name)
		}
	}
	return names
}
