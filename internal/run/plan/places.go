package plan

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// place refuses the values that the shell itself would run, wherever it finds them.
func (w *shellWalk) place(n syntax.Node) {
	switch x := n.(type) {
	case *syntax.Stmt:
		for _, r := range x.Redirs {
			from := r.Hdoc
			if r.Op == syntax.WordHdoc {
				from = r.Word
			}
			if r.N != nil {
				w.index(r.N)
			}
			if from != nil && !w.carries(from) && x.Cmd != nil && shellNamed().MatchString(w.source(x.Cmd)) {
				text := w.flat(from)
				if r.Hdoc != nil && strings.ContainsAny(w.source(r.Word), `'"\`) {
					text = w.source(from)
				}
				w.err = cmp.Or(w.err, w.inner(text, w.names...))
			}
		}
	case *syntax.CallExpr:
		name, args := w.named(x)
		if has("eval fc compgen complete bind declare typeset local export readonly let", name) && !w.isPrinted(w.source(x)) {
			w.err = cmp.Or(w.err, errReread)
		}
		for i, a := range args {
			text := w.flat(a)
			if has("read mapfile readarray unset getopts wait", name) || i > 0 && has("printf test [", name) && has("-v -R", w.flat(args[i-1])) {
				w.index(a)
			}
			unread := false
			switch {
			case has(". source", name):
				unread = i == 0 && !isKnown(text)
			case has("mapfile readarray", name):
				unread = strings.HasPrefix(text, "-C")
			case has("trap alias", name):
				unread = w.isOpen(a)
				w.later(text)
			}
			if unread {
				w.err = cmp.Or(w.err, errUnread)
			}
		}
	case *syntax.Assign:
		name := nameOf(x.Name)
		if name == "" && x.Value != nil {
			w.refuse(x.Value, errName)
		}
		if has("BASH_ALIASES BASH_CMDS", name) {
			w.err = errName
		}
		if x.Value != nil && has(expanded, name) {
			w.later(w.flat(x.Value))
		}
		w.sum(x.Index)
	case *syntax.ArrayElem:
		w.sum(x.Index)
	case *syntax.DeclClause:
		for _, a := range x.Args {
			isText := a.Name != nil && a.Value != nil && w.arrays[a.Name.Value] // of an array
			if w.flagged(x, "in$") || isText && w.carries(a.Value) {
				w.err = errDeclare
			}
			if a.Name == nil && a.Value != nil {
				w.index(a.Value)
			}
		}
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		w.sum(x)
	case *syntax.BinaryTest:
		if syntax.TsEql <= x.Op && x.Op <= syntax.TsGtr {
			w.sum(x)
		}
	case *syntax.WordIter:
		w.index(x.Name)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			w.refuse(x.X, errName)
			w.index(x.X)
		}
	case *syntax.ParamExp:
		if assigns(x) {
			w.index(x.Param)
		}
		if isIndirect(x) && (w.holds(x.Param.Value) || w.tainted["["+x.Param.Value]) || asPrompt(x.Exp) {
			w.err = cmp.Or(w.err, errName)
		}
		w.sum(x.Index)
		if x.Slice != nil {
			w.sum(x.Slice.Offset)
			w.sum(x.Slice.Length)
		}
	}
}

// nameOf is a variable's name, "" where there is none.
func nameOf(name *syntax.Lit) string {
	if name == nil {
		return ""
	}
	return name.Value
}

// assigns tells whether an expansion gives its variable a value: ${x:=y}.
func assigns(x *syntax.ParamExp) bool {
	return x.Exp != nil && (x.Exp.Op == syntax.AssignUnset || x.Exp.Op == syntax.AssignUnsetOrNull)
}

// flagged tells whether a declaration has one of some letters among its options.
func (w *shellWalk) flagged(x *syntax.DeclClause, letters string) bool {
	return slices.ContainsFunc(x.Args, func(a *syntax.Assign) bool {
		text := "" // of an option, or of a word that may become one
		if a.Naked && a.Value != nil {
			text = w.flat(a.Value)
		}
		return (strings.HasPrefix(text, "-") || text == "$") && strings.ContainsAny(text, letters)
	})
}

// later reads a text that this shell runs later: it may not name a variable with a value.
func (w *shellWalk) later(text string) {
	if slices.ContainsFunc(wordsOf(text), func(name string) bool { return w.tainted[name] }) || isDevice(text) || w.inner(text, append(w.names, "@")...) != nil {
		w.err = cmp.Or(w.err, errUnread)
	}
}

// source is a part of the script as it is written.
func (w *shellWalk) source(n syntax.Node) string { return w.text[n.Pos().Offset():n.End().Offset()] }

var shellNamed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s/;(&|"'\\])(?:` + strings.Join(shells, "|") + `)(?:[\s;)&|"']|$)`)
})

var printed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^eval "?\$\(([\w.-]+)(?: [\w.,=/-]+)*\)"?$`)
})

// isPrinted tells whether a command is eval of what a program prints that is told no value
// and hands on no file or variable: eval "$(ssh-agent -s)".
func (w *shellWalk) isPrinted(command string) bool {
	m := printed().FindStringSubmatch(command)
	if m == nil || w.functions[m[1]] != nil {
		return false
	}
	_, p := programNamed(m[1])
	return p == nil && !has("set printenv cat ls grep egrep fgrep rg head tail tac tee type which echo expr", m[1])
}

// expanded are variables whose texts the shell expands as code.
const expanded = "PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND ENV BASH_ENV"

// index refuses an array's index in a name that a builtin reads: it is computed.
func (w *shellWalk) index(n syntax.Node) {
	name, at, is := strings.Cut(w.flat(n), "[")
	if at, _, _ = strings.Cut(at, "]"); is && strings.Trim(at, "0123456789@*") != "" && name+at != "" || has(expanded, name) {
		w.err = cmp.Or(w.err, errSum)
	}
	if strings.Contains(name, "$") {
		w.sum(n)
	}
}

// sum refuses the values of a computation, where a variable stands by its name too.
func (w *shellWalk) sum(n syntax.Node) {
	if n == nil {
		return
	}
	w.refuse(n, errSum)
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ParamExp:
			if text := w.source(n); w.mentions(text) && w.err == nil {
				w.err = fmt.Errorf("%s has a value of ${{ … }}: %w", text, errSum)
			}
		}
		return true
	})
}

// refuse reports the values in a part of the script.
func (w *shellWalk) refuse(n syntax.Node, err error) {
	w.span(n.Pos(), n.End(), func(h *hole) { h.err = err })
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.ParamExp:
			if w.isTainted(x) && w.err == nil {
				w.err = fmt.Errorf("$%s has a value of ${{ … }}: %w", x.Param.Value, err)
			}
		case *syntax.CmdSubst, *syntax.ProcSubst:
			if w.reading[int(x.Pos().Offset())] && w.err == nil {
				w.err = fmt.Errorf("a command in $( ) reads an input with a value of ${{ … }}: %w", err)
			}
		}
		return true
	})
}

// carries tells whether a value is in a part of the script, itself or in a variable.
func (w *shellWalk) carries(n syntax.Node) bool {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	at, _ := slices.BinarySearch(w.uses, from)
	return w.first(n) < to || at < len(w.uses) && w.uses[at] < to
}

func (w *shellWalk) isTainted(x *syntax.ParamExp) bool {
	return x.Param != nil && !x.Length && (isIndirect(x) || w.holds(x.Param.Value))
}

// holds tells whether a parameter has a value.
func (w *shellWalk) holds(name string) bool {
	return w.tainted[name] || w.tainted["@"] && strings.Contains("0123456789@*", name[:1])
}

// isIndirect tells whether what is named by a variable is expanded: ${!x}.
func isIndirect(x *syntax.ParamExp) bool {
	index, _ := x.Index.(*syntax.Word)
	return x.Excl && x.Names == 0 && (index == nil || !has("@ *", index.Lit()))
}

// isOpen tells whether the shell may replace something in a word, unless it is in single quotes.
func (w *shellWalk) isOpen(a *syntax.Word) bool {
	single, is := a.Parts[0].(*syntax.SglQuoted)
	return strings.Contains(w.flat(a), "$") && (len(a.Parts) > 1 || !is || single.Dollar)
}

// flat is a word's text without its quotes. What only the shell knows is "$".
func (w *shellWalk) flat(n syntax.Node) string {
	var b strings.Builder
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(x.Value, `\`, ""))
		case *syntax.SglQuoted:
			if x.Dollar && strings.ContainsRune(x.Value, 0x5c) {
				b.WriteString("$")
				return false
			}
			b.WriteString(x.Value)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			b.WriteString("$")
			return false
		}
		return true
	})
	return b.String()
}

// first is where the first value stands that does not stand before a part.
func (w *shellWalk) first(n syntax.Node) int {
	at := w.from(n.Pos())
	if at == len(w.holes) {
		return math.MaxInt
	}
	return w.holes[at].at
}

// asPrompt tells whether a value is expanded as a prompt, which runs commands: ${x@P}.
func asPrompt(x *syntax.Expansion) bool {
	return x != nil && x.Op == syntax.OtherParamOps && x.Word != nil && x.Word.Lit() == "P"
}

// mentions tells whether a text has the name of a variable that has a value, or the name
// of one. What a command in it prints is not known.
func (w *shellWalk) mentions(text string) bool {
	return !strings.Contains(text, "$(") && slices.ContainsFunc(wordsOf(text), func(name string) bool { return w.tainted[name] || w.tainted["&"+name] })
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// named is the name of a command without what says that it is the shell's own, and its words.
func (w *shellWalk) named(x *syntax.CallExpr) (string, []*syntax.Word) {
	for i, a := range x.Args {
		if text := w.flat(a); !has("command builtin", text) && (i == 0 || !strings.HasPrefix(text, "-")) {
			return text, x.Args[i+1:]
		}
	}
	return "", nil
}
