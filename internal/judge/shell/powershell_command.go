package shell

import (
	"slices"
	"strings"
)

// invocation is a command as it is read.
type invocation struct {
	words  []arg
	inner  []string // the commands of its blocks and brackets
	blocks int
	redirs []string
}

// command reads a command; fed says that a pipe comes before it.
func (p *posh) command(fed bool) (unix string, err error) {
	var v invocation
	called := p.took("&") || strings.HasPrefix(p.src[p.at:], ". ") && p.took(".")
	for p.space(); p.at < len(p.src); p.space() {
		rest := p.src[p.at:]
		c := rest[0]
		switch {
		case strings.IndexByte(";\n\r|)}&", c) >= 0:
			return v.unix(p, fed)
		case c == '{':
			sub, err := p.block()
			if err != nil {
				return "", err
			}
			if len(v.words) == 0 {
				return "{\n" + sub + "\n}", nil // & { … }
			}
			v.inner, v.blocks = append(v.inner, sub), v.blocks+1
		case redirects(rest) > 0:
			r := p.redirected(redirects(rest))
			if r == "" {
				return "", errPowerShell
			}
			v.redirs = append(v.redirs, r)
		case c == '<':
			return "", errPowerShell
		case c == ',':
			p.at++
		default:
			from := p.at
			if err = p.argument(&v); err != nil {
				return "", err
			}
			if p.at == from {
				return "", errPowerShell
			}
		}
	}
	if called && len(v.words)+v.blocks == 0 {
		return "", errPowerShell
	}
	return v.unix(p, fed)
}

// redirects is the length of the redirection's sign that a text begins with.
func redirects(text string) int {
	n := 0
	if strings.IndexByte("123456*", text[0]) >= 0 {
		n = 1
	}
	if n < len(text) && text[n] == '>' {
		return n + 1
	}
	return 0
}

// redirected reads a redirection whose sign has a length.
func (p *posh) redirected(n int) string {
	stream := strings.TrimSuffix(p.src[p.at:p.at+n], ">")
	p.at += n
	sign := ">"
	if p.took(">") {
		sign = ">>"
	}
	if p.took("&1") || p.took("&2") {
		if stream == "2" || stream == "*" {
			return "2>&1"
		}
		return "1>&1"
	}
	p.space()
	var v invocation
	if p.at == len(p.src) || p.argument(&v) != nil || len(v.words) != 1 {
		return ""
	}
	target := v.words[0].unix
	if strings.EqualFold(v.words[0].text, "$null") {
		target = "/dev/null"
	}
	switch stream {
	case "*":
		return "&" + sign + target
	case "", "1", "2":
		return stream + sign + target
	}
	return "1>&1" // messages that no program writes
}

// argument reads one word, which may have several parts.
func (p *posh) argument(v *invocation) error {
	a := arg{}
	open := true // the word may be written without quotes
	for p.at < len(p.src) {
		rest := p.src[p.at:]
		c := rest[0]
		switch {
		case strings.IndexByte(" \t\r\n;|&)}{", c) >= 0, c == '`' && len(rest) > 1 && (rest[1] == '\n' || rest[1] == '\r'), c == ',' && (len(rest) == 1 || strings.IndexByte(" \t\r\n", rest[1]) >= 0):
			p.added(v, a, open)
			return nil
		case c == '\'' || c == '"' || c == '@' && a.text == "" && len(rest) > 1 && (rest[1] == '\'' || rest[1] == '"'):
			text, known, err := p.quoted()
			if err != nil {
				return err
			}
			a.quoted, open = true, open && known
			a.text += text
			if a.unix += single(text); !known {
				a.unix = a.unix[:len(a.unix)-len(single(text))] + "\"" + doubled(text) + "\""
			}
		case c == '(' || strings.HasPrefix(rest, "$(") || strings.HasPrefix(rest, "@("):
			from := p.at
			p.at += strings.IndexByte(rest, '(') + 1
			sub, err := p.list(p, ")")
			if err != nil || !p.took(")") {
				return errPowerShell
			}
			v.inner, open = append(v.inner, sub), false
			a.text += p.src[from:p.at]
			a.unix += "\"$_\""
		case strings.HasPrefix(rest, "@{"):
			p.at++
			if p.brackets() == "" {
				return errPowerShell
			}
			a.text, a.unix, open = a.text+"$_", a.unix+"\"$_\"", false
		case c == '$' && strings.HasPrefix(rest, "$?"):
			p.at += 2
			a.text, a.unix, open = a.text+"$?", a.unix+"$?", false
		case c == '$':
			value, n, known := p.variable(rest)
			if n == 0 {
				value, n, known = "$", 1, true
			}
			p.at += n
			if strings.EqualFold(value, "$lastexitcode") {
				value = "$?"
			}
			a.text += value
			if known {
				a.unix += single(value)
			} else {
				a.unix += "\"" + value + "\""
			}
			open = open && known
		case c == '`' && len(rest) > 1:
			p.at += 2
			a.text += string([]byte{escaped(rest[1])})
			a.unix += single(string([]byte{escaped(rest[1])}))
		default:
			n := 1
			for n < len(rest) && strings.IndexByte(" \t\r\n;|&)}{'\"@($`,", rest[n]) < 0 {
				n++
			}
			p.at += n
			a.text += rest[:n]
			a.unix += single(rest[:n])
		}
	}
	p.added(v, a, open)
	return nil
}

// added adds a word. Backslashes stand in paths.
func (p *posh) added(v *invocation, a arg, plain bool) {
	path := strings.Contains(a.text, `\`) && !strings.ContainsAny(a.text, " \n\"'`()[]{}|^*+?") || !a.quoted
	switch {
	case plain && path:
		a.text = slashes(a.text)
		a.unix = bare(a.text)
	case plain:
		a.unix = bare(a.text)
	case path:
		a.text, a.unix = slashes(a.text), slashes(a.unix)
	}
	v.words = append(v.words, a)
}

func slashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// doubled is a text as it stands between double quotes: its variables are left,
// and nothing of it is run.
func doubled(text string) string {
	text = strings.ToValidUTF8(text, "?")
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$(", `\$(`, "${", `\${`, "\x00", " ").Replace(text)
}

// unix is the command as a shell of Unix would have it.
func (v *invocation) unix(p *posh, fed bool) (string, error) {
	if len(v.words) == 0 {
		return "", nil
	}
	line, err := v.rewritten(p, fed)
	if err != nil {
		return "", err
	}
	for _, r := range v.redirs {
		line += " " + r
	}
	if len(v.inner) == 0 {
		return line, nil
	}
	// What stands in brackets runs before, what stands in a block perhaps.
	body := strings.Join(slices.DeleteFunc(slices.Clone(v.inner), func(s string) bool { return s == "" }), "\n")
	if v.blocks > 0 && body != "" {
		body = "if [ \"$_\" ]\nthen\n" + body + "\nfi"
	}
	if body == "" {
		return line, nil
	}
	return "{\n" + body + "\n" + line + "\n}", nil
}

// rewritten is the program that does what a cmdlet does, with its words.
func (v *invocation) rewritten(p *posh, fed bool) (string, error) {
	name := strings.ToLower(v.words[0].text)
	switch name {
	case "cmd", "cmd.exe":
		if i := slices.IndexFunc(v.words, func(a arg) bool { return strings.EqualFold(a.text, "/c") }); i > 0 {
			return "bash -c " + single(slashes(texts(v.words[i+1:]))), nil
		}
	case "powershell", "powershell.exe", "pwsh", "pwsh.exe":
		i := slices.IndexFunc(v.words, func(a arg) bool { return strings.EqualFold(a.text, "-command") || strings.EqualFold(a.text, "-c") })
		if i > 0 {
			unix, err := p.inside(texts(v.words[i+1:]))
			if unix == "" {
				unix = ":"
			}
			return "(\n" + unix + "\n)", err
		}
	}
	if write, ok := cmdlets()[name]; ok {
		return joined(write(parametersOf(v.words[1:]), fed)), nil
	}
	words := slices.Clone(v.words)
	if canonical, ok := canonicals()[name]; ok {
		words[0] = literalArg(canonical)
	}
	return joined(words), nil
}
