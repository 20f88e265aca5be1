package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxRounds bounds how often a value is followed from variable to variable.
const maxRounds = 20

// flow follows the values through a script: into variables, inputs and arguments,
// and refuses those that the shell or a program would run as code.
func (w *shellWalk) flow(file *syntax.File) {
	w.file = file
	syntax.Walk(file, func(n syntax.Node) bool { w.declare(n); return true })
	for rounds, n := 0, -1; n < len(w.tainted)+len(w.reading); rounds++ {
		n = len(w.tainted) + len(w.reading)
		if rounds == maxRounds {
			w.err = errUnread
			return
		}
		w.uses = slices.AppendSeq(w.uses[:0], maps.Keys(w.reading))
		syntax.Walk(file, func(n syntax.Node) bool {
			if x, ok := n.(*syntax.ParamExp); ok && w.isTainted(x) {
				w.uses = append(w.uses, int(x.Pos().Offset()))
			}
			return true
		})
		slices.Sort(w.uses)
		syntax.Walk(file, func(n syntax.Node) bool { w.taint(n); return true })
	}
	w.names = slices.DeleteFunc(slices.Sorted(maps.Keys(w.tainted)), func(name string) bool { return !isVariable(name) })
	for _, name := range w.names {
		if !w.given[name] && isCodeVariable(name) {
			w.err = fmt.Errorf("%s would have a value of ${{ … }}, and is run, or programs are found by it; %s", name, byName)
		}
	}
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
		name := nameOf(x.Name)
		if name != "" {
			w.functions[name] = append(w.functions[name], x.Body)
		}
		if name == "command_not_found_handle" {
			w.tainted["@"] = true
		}
	case *syntax.Assign:
		if x.Array != nil || x.Index != nil {
			w.arrays[nameOf(x.Name)] = true
		}
	case *syntax.DeclClause:
		isExport := x.Variant.Value == "export" || w.flagged(x, "x")
		for _, a := range x.Args {
			name := nameOf(a.Name)
			w.exported[name] = w.exported[name] || isExport
			w.arrays[name] = w.arrays[name] || w.flagged(x, "aA")
		}
		if isExport && w.flagged(x, "f") { // another shell calls it
			w.tainted["@"] = true
		}
	case *syntax.CallExpr:
		name, args := w.named(x)
		for i, a := range args {
			flag := w.flat(a)
			short := i == 0 && strings.HasPrefix(flag, "-") && strings.Contains(flag, "a")
			if name == "set" && (short || flag == "allexport") {
				w.exported["*"] = true
			}
			if has("alias hash", name) {
				alias, _, _ := strings.Cut(flag, "=")
				w.aliases[alias] = true
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
		if !ok {
			return true
		}
		if name, _ := w.named(call); !w.entered[name] {
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
			call, is := x.Cmd.(*syntax.CallExpr)
			isExec := is && len(call.Args) == 1 && call.Args[0].Lit() == "exec"
			switch given := reads && w.carries(from); {
			case given && isExec:
				m[from] = w.file
			case given && x.Cmd != nil:
				m[from] = x.Cmd
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
		name := nameOf(x.Name)
		if name == "" {
			break
		}
		if x.Value != nil && w.carries(x.Value) || x.Array != nil && w.carries(x.Array) {
			w.tainted[name] = true
		}
		if w.mentions(w.source(x)[len(name):]) { // a computation would follow the name
			w.tainted["&"+name] = true
			if strings.Contains(w.source(x), "[") { // as if it were computed: ${!x}
				w.tainted["["+name] = true
			}
		}
	case *syntax.BinaryTest:
		if x.Op == syntax.TsReMatch && w.carries(x) {
			w.tainted["BASH_REMATCH"] = true
		}
	case *syntax.ParamExp:
		if assigns(x) && x.Exp.Word != nil && w.carries(x.Exp.Word) {
			w.tainted[x.Param.Value] = true
		}
	case *syntax.WordIter:
		if slices.ContainsFunc(x.Items, func(i *syntax.Word) bool { return w.mentions(w.flat(i)) }) {
			w.tainted["&"+x.Name.Value] = true
		}
		if !x.InPos.IsValid() && w.tainted["@"] || slices.ContainsFunc(x.Items, func(i *syntax.Word) bool { return w.carries(i) }) {
			w.tainted[x.Name.Value] = true
		}
	case *syntax.CoprocClause:
		if x.Name != nil {
			w.tainted[w.flat(x.Name)] = true
		}
	case *syntax.CmdSubst, *syntax.ProcSubst:
		if w.prints(x) {
			w.reading[int(x.Pos().Offset())] = true
		}
	case *syntax.CallExpr:
		name, args := w.named(x)
		if has("cd pushd", name) && w.carries(x) {
			w.tainted["PWD"], w.tainted["OLDPWD"], w.tainted["DIRSTACK"] = true, true, true
		}
		if (w.functions[name] != nil || name == "set") && slices.ContainsFunc(args, func(a *syntax.Word) bool { return w.carries(a) || w.mentions(w.flat(a)) }) {
			w.tainted["@"] = true
		}
		for i, a := range args {
			isTarget := name == "printf" && i < 2 && strings.HasPrefix(w.flat(args[0]), "-v") || has("read mapfile readarray", name)
			if name == "getopts" && w.tainted["@"] || isTarget && w.carries(x) {
				w.gets(w.flat(a))
			}
		}
	}
	for _, to := range w.inputs(n) {
		w.reads(to, func(n syntax.Node) {
			switch x := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst: // v=$(cat)
				w.reading[int(x.Pos().Offset())] = true
			case *syntax.CallExpr:
				name, args := w.named(x)
				if has("read mapfile readarray", name) {
					w.gets("REPLY")
					for _, a := range args {
						w.gets(w.flat(a))
					}
				}
			}
		})
	}
}

// gets notes a variable that a builtin gives a value to, by the word that names it.
func (w *shellWalk) gets(word string) {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-a"), "-v"), "[")
	w.tainted["MAPFILE"], w.tainted["OPTARG"], w.tainted[name] = true, true, true
	if strings.Contains(name, "$") {
		w.err = errName
	}
}

// prints tells whether a part of the script calls what prints a value that stands
// elsewhere: one of its functions, or what names the folder that it went to.
func (w *shellWalk) prints(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			name, _ := w.named(call)
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
	for i, a := range x.Args {
		words[i] = argument{text: w.flat(a), valued: w.carries(a), open: w.isOpen(a)}
		words[i].leading = strings.HasPrefix(words[i].text, markBegin)
	}
	for _, word := range words {
		if name, _, is := strings.Cut(word.text, "="); is && word.valued && syntax.ValidName(name) { // env X=VALUE
			given = append(given, name)
		}
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
	before := ""
	for _, word := range words {
		isScript := shell && isScriptFlag(before)
		if isScript && word.open {
			return errUnread
		}
		if before = word.text; !word.valued && (isScript || shell && strings.Contains(word.text, "$")) {
			if err := w.inner(word.text, tainted...); err != nil {
				return err
			}
		}
		name, p := programNamed(word.text)
		shell = shell || p != nil && p.write == byArgument || has(shellers, name)
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
