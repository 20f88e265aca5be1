package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// source is a text that the positions of nodes point into.
type source string

// of is the text of a node as it was written.
func (src source) of(node syntax.Node) string {
	from, to := int(node.Pos().Offset()), int(node.End().Offset())
	if from > to || to > len(src) {
		return ""
	}
	return string(src[from:to])
}

// text is a word after quote removal; expansions keep their source.
func (src source) text(word *syntax.Word) string {
	if len(word.Parts) == 1 {
		return src.part(word.Parts[0])
	}
	var b strings.Builder
	for _, p := range word.Parts {
		b.WriteString(src.part(p))
	}
	return b.String()
}

func (src source) part(p syntax.WordPart) string {
	switch p := p.(type) {
	case *syntax.Lit:
		return unescape(p.Value, anyByte)
	case *syntax.SglQuoted:
		if p.Dollar {
			return ansi(p.Value)
		}
		return p.Value
	case *syntax.DblQuoted:
		return src.quoted(p.Parts, "\"\\$`\n")
	}
	return src.of(p)
}

func (src source) quoted(parts []syntax.WordPart, escapes string) string {
	var b strings.Builder
	for _, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(unescape(lit.Value, escapes))
		} else {
			b.WriteString(src.of(p))
		}
	}
	return b.String()
}

// heredoc is the body that r hands to a command.
func (src source) heredoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	escapes := "\\$`\n"
	for _, p := range r.Word.Parts {
		if lit, ok := p.(*syntax.Lit); !ok || strings.Contains(lit.Value, `\`) {
			escapes = "" // a quoted delimiter: the body is literal
		}
	}
	return src.quoted(r.Hdoc.Parts, escapes)
}

// assigns are NAME=value as the line has them; what only the shell could expand
// stays as written.
func (src source) assigns(list []*syntax.Assign) (all []string) {
	for _, a := range list {
		plain := a.Name != nil && a.Index == nil && a.Array == nil
		if !plain || a.Naked || a.Append {
			continue
		}
		value := ""
		if a.Value != nil {
			value = src.text(a.Value)
		}
		all = append(all, a.Name.Value+"="+value)
	}
	return all
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

// stdio is where a command's streams come from and go to.
type stdio struct {
	writes, inputs []string
	text           string // here-document or here-string
	muted          bool   // stdout and stderr end in /dev/null
}

// redirects reads redirections; muted tells that both streams go to /dev/null
// before them.
func (src source) redirects(redirs []*syntax.Redirect, muted bool) (std stdio) {
	streams := [2]bool{muted, muted}
	for _, r := range redirs {
		target := src.text(r.Word)
		mute(&streams, r, target)
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			std.text = src.heredoc(r)
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
	std.writes, std.inputs = onlyFiles(std.writes), onlyFiles(std.inputs)
	std.muted = streams[0] && streams[1]
	return std
}

// onlyFiles leaves devices and process substitutions out.
func onlyFiles(names []string) (files []string) {
	for _, name := range names {
		substituted := strings.HasPrefix(name, ">(") || strings.HasPrefix(name, "<(")
		if name != "" && !isDevice(name) && !substituted {
			files = append(files, name)
		}
	}
	return files
}

// isDevice reports whether a name is that of a device. /dev/shm holds files.
func isDevice(name string) bool {
	return strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/dev/shm/")
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
