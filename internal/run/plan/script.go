package plan

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variable is the name of the environment variable that has a hole's value.
func variable(i int) string { return fmt.Sprintf("PITON_VALUE_%d", i+1) }

// script parses a shell command with holes, and says how each is to be written:
// as "${NAME}" outside of quotes, as ${NAME} inside double quotes and
// here-documents. An error where the shell would not read it, or where the shell or
// a program would run the value as code. tainted are the variables that have a value
// already, "@" the script's own arguments.
func script(parts []part, tainted ...string) (text string, holes []hole, err error) {
	var b strings.Builder
	for _, p := range parts {
		if p.expr == "" && p.variable == "" {
			if strings.Contains(p.text, markBegin) {
				return "", nil, fmt.Errorf("the command may not contain %s", markBegin)
			}
			b.WriteString(p.text)
			continue
		}
		holes = append(holes, hole{part: p, at: b.Len()})
		if behind := strings.TrimRight(b.String(), `\`); (b.Len()-len(behind))%2 == 1 {
			holes[len(holes)-1].err = errBackslash
		}
		b.WriteString(mark(len(holes) - 1))
	}
	text = b.String()
	if len(holes) == 0 && len(tainted) == 0 {
		return text, nil, nil
	}
	if len(holes) > 999_999 {
		return "", nil, errors.New("the command has too many expressions")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil && len(holes) == 0 {
		return text, nil, nil // the shell will say so
	}
	if err != nil {
		return "", nil, fmt.Errorf("the command cannot be read as shell: %s", strings.ReplaceAll(shellError(err), mark(0), "${{ … }}"))
	}
	inner := func(text string, tainted ...string) error {
		if len(tainted) == 0 {
			return nil
		}
		_, _, err := script([]part{{text: text}}, tainted...)
		return err
	}
	w := shellWalk{text: text, holes: holes, tainted: map[string]bool{"_": true, "BASH_ARGV": true, "COPROC": true}, arrays: map[string]bool{}, functions: map[string][]syntax.Node{}, aliases: map[string]bool{}, exported: map[string]bool{}, reading: map[int]bool{}, entered: map[string]bool{}, inner: inner}
	for _, name := range tainted {
		w.tainted[name], w.exported[name] = true, name != "PWD" // the folder is not a variable that somebody made
	}
	w.given = maps.Clone(w.tainted)
	w.node(file, unquoted)
	w.flow(file)
	if w.err != nil {
		return "", nil, w.err
	}
	for i := range holes {
		if h := &w.holes[i]; h.err == nil && !h.seen {
			h.err = errors.New("a value cannot stand at this place of a command; put it in a variable first: x=${{ … }}")
		}
	}
	return text, w.holes, nil
}

func shellError(err error) string {
	var at syntax.ParseError
	if errors.As(err, &at) {
		return fmt.Sprintf("line %d of it: %s", at.Pos.Line(), at.Text)
	}
	return err.Error()
}

// quoting is where a word of a shell script stands.
type quoting int

const (
	unquoted quoting = iota
	inDouble
	inHeredoc
)

func (w *shellWalk) node(n syntax.Node, q quoting) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case nil:
			return false
		case *syntax.Comment:
			w.span(x.Pos(), x.End(), func(h *hole) { h.write = "${" }) // nobody reads it
			return false
		case *syntax.Lit:
			w.literal(x, q)
			return false
		case *syntax.SglQuoted:
			w.span(x.Pos(), x.End(), func(h *hole) { h.err = errSingle })
			return false
		case *syntax.DblQuoted:
			for _, p := range x.Parts {
				w.node(p, inDouble)
			}
			return false
		case *syntax.WordIter:
			w.span(x.Name.Pos(), x.Name.End(), func(h *hole) { h.err = errName })
		case *syntax.FuncDecl:
			if x.Name != nil {
				w.span(x.Name.Pos(), x.Name.End(), func(h *hole) { h.err = errName })
			}
		case *syntax.CmdSubst:
			if x.Backquotes {
				w.span(x.Pos(), x.End(), func(h *hole) { h.err = errOld })
				return false
			}
			if q != unquoted {
				for _, s := range x.Stmts {
					w.node(s, unquoted)
				}
				return false
			}
		case *syntax.ParamExp:
			w.expansion(x, q)
			return false
		case *syntax.Redirect:
			w.redirect(x, q)
			return false
		case *syntax.Assign:
			if x.Value != nil {
				w.node(x.Value, q)
			}
			if x.Array != nil {
				for _, e := range x.Array.Elems {
					if e.Value != nil {
						w.node(e.Value, q)
					}
				}
			}
			return false
		}
		return true
	})
}

// literal writes the holes of a word's text.
func (w *shellWalk) literal(x *syntax.Lit, q quoting) {
	w.span(x.Pos(), x.End(), func(h *hole) {
		h.write = "\""
		if q != unquoted {
			h.write = "${"
		}
	})
}

// expansion is ${name}: a value may stand in its default, not in its name or its
// numbers.
func (w *shellWalk) expansion(x *syntax.ParamExp, q quoting) {
	if x.Exp != nil && x.Exp.Word != nil {
		if q == inHeredoc {
			q = inDouble
		}
		w.node(x.Exp.Word, q)
	}
	w.span(x.Pos(), x.End(), func(h *hole) {
		if !h.seen {
			h.err = errSum
		}
	})
}

// redirect is a file, or a here-document.
func (w *shellWalk) redirect(x *syntax.Redirect, q quoting) {
	if x.Hdoc == nil {
		if x.Word != nil {
			w.node(x.Word, q)
		}
		return
	}
	w.span(x.Word.Pos(), x.Word.End(), func(h *hole) { h.err = errEnd })
	for _, p := range x.Word.Parts {
		lit, plain := p.(*syntax.Lit)
		if !plain || strings.Contains(lit.Value, `\`) {
			w.span(x.Hdoc.Pos(), x.Hdoc.End(), func(h *hole) { h.err = errHereDoc })
			return
		}
	}
	for _, p := range x.Hdoc.Parts {
		w.node(p, inHeredoc)
	}
}

// filled is a script with a reference at each hole.
func filled(text string, holes []hole, name func(i int) string) string {
	var b strings.Builder
	last := 0
	for i, h := range holes {
		b.WriteString(text[last:h.at])
		reference := "${" + name(i) + "}"
		if h.write == "\"" {
			reference = "\"" + reference + "\""
		}
		b.WriteString(reference)
		last = h.at + markLen
	}
	b.WriteString(text[last:])
	return b.String()
}
