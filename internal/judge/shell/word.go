package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// source is the text of a node as it was written.
func (w *walker) source(node syntax.Node) string {
	from, to := int(node.Pos().Offset()), int(node.End().Offset())
	if from > to || to > len(w.src) {
		return ""
	}
	return w.src[from:to]
}

// text is a word after quote removal; expansions keep their source.
func (w *walker) text(word *syntax.Word) string {
	if len(word.Parts) == 1 {
		return w.part(word.Parts[0])
	}
	var b strings.Builder
	for _, p := range word.Parts {
		b.WriteString(w.part(p))
	}
	return b.String()
}

func (w *walker) part(p syntax.WordPart) string {
	switch p := p.(type) {
	case *syntax.Lit:
		return unescape(p.Value, anyByte)
	case *syntax.SglQuoted:
		if p.Dollar {
			return ansi(p.Value)
		}
		return p.Value
	case *syntax.DblQuoted:
		return w.quoted(p.Parts, "\"\\$`\n")
	}
	return w.source(p)
}

func (w *walker) quoted(parts []syntax.WordPart, escapes string) string {
	var b strings.Builder
	for _, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(unescape(lit.Value, escapes))
		} else {
			b.WriteString(w.source(p))
		}
	}
	return b.String()
}

// heredoc is the body that r hands to a command.
func (w *walker) heredoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	escapes := "\\$`\n"
	for _, p := range r.Word.Parts {
		if lit, ok := p.(*syntax.Lit); !ok || strings.Contains(lit.Value, `\`) {
			escapes = "" // a quoted delimiter: the body is literal
		}
	}
	return w.quoted(r.Hdoc.Parts, escapes)
}

// anyByte stands for every byte that a backslash can quote.
const anyByte = "\x00any"

// unescape takes off the backslashes before one of the given bytes.
func unescape(s, escapes string) string {
	if escapes == "" || !strings.Contains(s, `\`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (escapes == anyByte || strings.IndexByte(escapes, s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// ansi reads the common escapes of $'…'.
func ansi(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\'`, "'", `\"`, `"`).Replace(s)
}

// join is name seen from dir. A name that starts elsewhere (/, ~, $X) is its own.
func join(dir, name string) string {
	switch {
	case name == "":
		return dir
	case strings.ContainsAny(name, "$`"):
		if dir == "" || strings.ContainsRune("/~$`", rune(name[0])) {
			return name
		}
		return dir + "/" + name
	case name[0] == '/' || name[0] == '~' || len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\'):
		return name
	}
	if joined := path.Join(dir, name); joined != "." {
		return joined
	}
	return ""
}

func joinAll(dir string, names []string) []string {
	var all []string
	for _, n := range names {
		if p := join(dir, n); p != "" {
			all = append(all, p)
		}
	}
	return all
}
