package shell

import (
	"errors"
	"strings"
	"unicode/utf8"
)

var errPowerShell = errors.New("shell: not understood as PowerShell")

// posh writes a text of PowerShell as a shell of Unix would have it.
type posh struct {
	src   string
	at    int
	depth int               // blocks, brackets and scripts around the place
	outer int               // of those, scripts
	tries int               // try blocks around it: what is thrown there is caught
	known map[string]string // variables that hold one text that is written out
	steps int

	list      func(p *posh, closing string) (string, error) // reads statements to a closing bracket
	statement func(p *posh) (string, error)                 // reads one
}

// whole reads the text to its end.
func (p *posh) whole() (unix string, err error) {
	if len(p.src) > maxLine {
		return "", errLong
	}
	if !shallow(p.src) || p.outer > maxDepth {
		return "", errNested
	}
	unix, err = p.list(p, "")
	if err == nil && p.at < len(p.src) {
		err = errPowerShell
	}
	return unix, err
}

// inside reads a script that stands inside this one.
func (p *posh) inside(text string) (unix string, err error) {
	sub := &posh{src: text, depth: p.outer + 1, outer: p.outer + 1, known: map[string]string{}, list: p.list, statement: p.statement}
	return sub.whole()
}

// unknownValue stands for a value that only PowerShell knows.
const unknownValue = `: "$_"`

// between steps over what separates statements.
func (p *posh) between() {
	for {
		p.space()
		if p.at == len(p.src) || strings.IndexByte("\r\n;", p.src[p.at]) < 0 {
			return
		}
		p.at++
	}
}

// space steps over blanks, comments and ends of lines behind a backtick.
func (p *posh) space() {
	for p.at < len(p.src) {
		rest := p.src[p.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			p.at++
		case strings.HasPrefix(rest, "`\n"):
			p.at += 2
		case strings.HasPrefix(rest, "`\r\n"):
			p.at += 3
		case rest[0] == '#' || strings.HasPrefix(rest, "<#"):
			p.comment()
		default:
			return
		}
	}
}

func (p *posh) comment() {
	mark := "\n"
	if p.src[p.at] == '<' {
		mark = "#>"
	}
	i := strings.Index(p.src[p.at:], mark)
	switch {
	case i < 0:
		p.at = len(p.src)
	case mark == "\n":
		p.at += i
	default:
		p.at += i + len(mark)
	}
}

func (p *posh) took(mark string) bool {
	if strings.HasPrefix(p.src[p.at:], mark) {
		p.at += len(mark)
		return true
	}
	return false
}

// peek is the word that begins here, in small letters, where it stands alone.
func (p *posh) peek() string {
	from := p.at
	word := p.word()
	p.at = from
	return word
}

// word steps over the name that begins here.
func (p *posh) word() string {
	from := p.at
	for p.at < len(p.src) && (p.src[p.at] == '-' || len(name(p.src[p.at:p.at+1])) > 0) {
		p.at++
	}
	if p.at < len(p.src) && strings.IndexByte(".\\/:=", p.src[p.at]) >= 0 {
		p.at = from // the beginning of a path
	}
	return strings.ToLower(p.src[from:p.at])
}

// name is the name that a text begins with.
func name(text string) string {
	n := 0
	for n < len(text) && (text[n] == '_' || '0' <= text[n] && text[n] <= '9' || 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z') {
		n++
	}
	return text[:n]
}

// brackets steps over brackets and all in them.
func (p *posh) brackets() string {
	from, depth := p.at, 0
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '\'' || c == '"' || c == '@' && p.at+1 < len(p.src) && strings.IndexByte(`'"`, p.src[p.at+1]) >= 0:
			if _, _, err := p.quoted(); err != nil {
				return ""
			}
			continue
		case c == '`':
			p.at++
		case c == '#' && p.at > 0 && strings.IndexByte(" \t\n", p.src[p.at-1]) >= 0, strings.HasPrefix(p.src[p.at:], "<#"):
			p.comment()
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		p.at = min(p.at+1, len(p.src))
		if depth == 0 {
			return p.src[from:p.at]
		}
	}
	return ""
}

// quoted reads a text in quotes. It is known where no variable stands in it.
func (p *posh) quoted() (text string, known bool, err error) {
	if p.src[p.at] == '@' {
		return p.here()
	}
	quote := p.src[p.at]
	var b strings.Builder
	known = true
	for p.at++; p.at < len(p.src); p.at++ {
		switch c := p.src[p.at]; {
		case c == quote && p.at+1 < len(p.src) && p.src[p.at+1] == quote:
			p.at++
			b.WriteByte(c)
		case c == quote:
			p.at++
			return b.String(), known, nil
		case quote == '"' && c == '`' && p.at+1 < len(p.src):
			p.at++
			b.WriteByte(escaped(p.src[p.at]))
		case quote == '"' && strings.HasPrefix(p.src[p.at:], "$("):
			known = false
			from := p.at
			p.at++
			if p.brackets() == "" {
				return "", false, errPowerShell
			}
			b.WriteString(p.src[from:p.at])
			p.at--
		case quote == '"' && c == '$':
			if value, n, ok := p.variable(p.src[p.at:]); n > 0 {
				known = known && ok
				b.WriteString(value)
				p.at += n - 1
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return "", false, errPowerShell
}

// here reads a text of lines between @' and '@.
func (p *posh) here() (text string, known bool, err error) {
	rest := p.src[p.at:]
	if len(rest) < 2 || rest[1] != '\'' && rest[1] != '"' {
		return "", false, errPowerShell
	}
	_, body, ok := strings.Cut(rest, "\n")
	head := rest[2 : len(rest)-len(body)]
	end := strings.Index("\n"+body, "\n"+rest[1:2]+"@")
	if !ok || strings.TrimSpace(head) != "" || end < 0 {
		return "", false, errPowerShell
	}
	p.at += len(rest) - len(body) + end + 2
	text = strings.ReplaceAll(body[:max(0, end-1)], "\r\n", "\n")
	return text, rest[1] == '\'' || !strings.Contains(text, "$"), nil
}

// variable reads the variable that a text begins with: what it holds, where that
// is known, and else how it is written.
func (p *posh) variable(text string) (value string, n int, known bool) {
	called := name(text[1:])
	switch {
	case strings.HasPrefix(text, "${"):
		end := strings.IndexByte(text, '}')
		if end < 0 {
			return "", 0, false
		}
		return text[:end+1], end + 1, false
	case called == "":
		return "", 0, false
	}
	n = 1 + len(called)
	if after := text[n:]; strings.HasPrefix(after, ":") && name(after[1:]) != "" {
		n += 1 + len(name(after[1:]))
		if strings.EqualFold(called, "env") {
			return "$" + name(after[1:]), n, false
		}
		return text[:n], n, false
	}
	if text, ok := p.known[strings.ToLower(called)]; ok {
		return text, n, true
	}
	return text[:n], n, false
}

func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case '0':
		return ' '
	}
	return c
}

// single is a text in quotes of a shell of Unix.
func single(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, string(utf8.RuneError)), "\x00", " ")
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// condition reads a question in brackets: the commands in it run, and what it
// comes to is known to PowerShell only.
func (p *posh) condition() (unix string, err error) {
	p.space()
	if !p.took("(") {
		return "", errPowerShell
	}
	if unix, err = p.list(p, ")"); err != nil || !p.took(")") {
		return "", errors.Join(err, errUnless(err))
	}
	if unix == unknownValue || unix == "" {
		return "[ \"$_\" ]", nil
	}
	return "{\n" + unix + "\n}; [ \"$_\" ]", nil
}

func errUnless(err error) error {
	if err != nil {
		return nil
	}
	return errPowerShell
}

// block reads statements in braces; a block without any is the one that does
// nothing. What is set in it may not be set behind it.
func (p *posh) block() (unix string, err error) {
	p.between()
	if !p.took("{") {
		return "", errPowerShell
	}
	if unix, err = p.list(p, "}"); err != nil || !p.took("}") {
		return "", errors.Join(err, errUnless(err))
	}
	if unix == "" {
		unix = ":"
	}
	return unix, nil
}
