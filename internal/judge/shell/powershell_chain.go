package shell

import "strings"

// chain reads pipelines that && and || join, to the statement's end.
func (p *posh) chain() (unix string, err error) {
	var b strings.Builder
	for {
		one, err := p.pipeline()
		if err != nil {
			return "", err
		}
		b.WriteString(one)
		p.space()
		switch {
		case p.took("&&"):
			b.WriteString(" &&\n")
		case p.took("||"):
			b.WriteString(" ||\n")
		case p.took("&"):
			return b.String() + " &", nil
		default:
			return b.String(), nil
		}
		p.between()
	}
}

// pipeline reads commands that | joins, or an assignment.
func (p *posh) pipeline() (unix string, err error) {
	var all []string
	for {
		if p.steps++; p.steps > maxSteps {
			return "", errComplex
		}
		p.space()
		var one string
		if p.expressive() {
			one, err = p.expression(len(all) == 0)
		} else {
			one, err = p.command(len(all) > 0)
		}
		if err != nil {
			return "", err
		}
		if one != "" {
			all = append(all, one)
		}
		p.space()
		if strings.HasPrefix(p.src[p.at:], "||") || !p.took("|") {
			break
		}
		p.between()
	}
	if len(all) == 0 {
		return ":", nil
	}
	return strings.Join(all, " | "), nil
}

// expressive reports whether a value stands here and no command.
func (p *posh) expressive() bool {
	if p.at == len(p.src) {
		return false
	}
	switch c := p.src[p.at]; {
	case strings.IndexByte("$\"'([@+!,", c) >= 0, '0' <= c && c <= '9':
		return true
	case c == '-':
		return true
	}
	return false
}

// expression reads a value to the end of the pipeline's part. Only the commands
// in it say something; a text that is written out is what a pipe is fed. begins
// says that it may be an assignment.
func (p *posh) expression(begins bool) (unix string, err error) {
	var inner []string
	from, text, parts := p.at, "", 0
	for p.space(); p.at < len(p.src); p.space() {
		rest := p.src[p.at:]
		switch c := rest[0]; {
		case strings.IndexByte(";\n|)}&", c) >= 0 || c == '\r':
			return valued(inner, text, parts), nil
		case c == '#' && parts > 0:
			p.comment()
		case c == '\'' || c == '"' || strings.HasPrefix(rest, "@'") || strings.HasPrefix(rest, `@"`):
			var plain bool
			if text, plain, err = p.quoted(); err != nil {
				return "", err
			}
			if parts++; !plain {
				parts++
			}
		case c == '(' || strings.HasPrefix(rest, "$(") || strings.HasPrefix(rest, "@("):
			p.at += strings.IndexByte(rest, '(') + 1
			sub, err := p.list(p, ")")
			if err != nil || !p.took(")") {
				return "", errPowerShell
			}
			inner, parts = append(inner, sub), parts+2
		case strings.HasPrefix(rest, "@{") || c == '[':
			if c == '@' {
				p.at++
			}
			if p.brackets() == "" {
				return "", errPowerShell
			}
			parts += 2
		case c == '{':
			sub, err := p.block()
			if err != nil {
				return "", err
			}
			inner, parts = append(inner, "if [ \"$_\" ]\nthen\n"+sub+"\nfi"), parts+2
		case c == '=' && begins && parts > 0:
			return p.assignment(strings.TrimSpace(p.src[from:p.at]))
		case c == '`':
			p.at += min(2, len(rest))
		case c == '<':
			return "", errPowerShell
		case c == '>':
			if p.redirected(1) == "" {
				return "", errPowerShell
			}
			parts += 2
		default:
			p.at++
			if c != ',' {
				p.at += len(name(p.src[p.at:]))
			}
			parts += 2
		}
	}
	return valued(inner, text, parts), nil
}

// valued is what becomes of a value: its commands run one after another, and a
// text is printed.
func valued(inner []string, text string, parts int) string {
	if parts == 1 {
		return "printf %s " + single(text)
	}
	var b strings.Builder
	b.WriteString(unknownValue)
	for _, sub := range inner {
		if sub != "" {
			b.WriteString(" \"$(" + sub + "\n)\"")
		}
	}
	return b.String()
}

// assignment reads what is assigned to the target that stands before it.
func (p *posh) assignment(target string) (unix string, err error) {
	p.at++
	p.space()
	plain := strings.HasSuffix(target, "+") || strings.HasSuffix(target, "-")
	variable, isVariable := strings.CutPrefix(strings.TrimRight(target, "+-*/ "), "$")
	variable = strings.ToLower(variable)
	text := ""
	isText := false
	if from := p.at; p.at < len(p.src) && strings.IndexByte("'\"@", p.src[p.at]) >= 0 {
		literal, known, err := p.quoted()
		p.space()
		if isText = err == nil && known && !plain && (p.at == len(p.src) || strings.IndexByte(";\n\r})", p.src[p.at]) >= 0); isText {
			text = literal
		} else {
			p.at = from
		}
	}
	delete(p.known, variable)
	if env, ok := strings.CutPrefix(variable, "env:"); ok && isVariable && name(env) == env {
		if !isText {
			if _, err = p.statement(p); err != nil {
				return "", err
			}
			return "export " + strings.ToUpper(env) + "=\"$_\"", nil
		}
		return "export " + strings.ToUpper(env) + "=" + single(text), nil
	}
	if isText {
		if isVariable && p.depth == p.outer+1 && name(variable) == variable {
			p.known[variable] = text
		}
		return "_=" + single(text), nil
	}
	if unix, err = p.statement(p); err != nil || unix == "" {
		return "", errPowerShell
	}
	return "_=$(" + unix + "\n)", nil
}
