package shell

import (
	"errors"
	"strings"
)

// ParsePowerShell is Parse for a line of PowerShell. The line is written anew as
// a shell of Unix would have it, and then read: cmdlets become the programs that
// do the same, and what only PowerShell could work out becomes a variable. A line
// that is not understood is an error.
func ParsePowerShell(line string) ([]Command, error) {
	unix, err := unixed(line)
	if err != nil {
		return nil, err
	}
	return Parse(unix)
}

// unixed writes a line anew.
func unixed(line string) (unix string, err error) {
	p := &posh{src: line, known: map[string]string{}, list: (*posh).statements, statement: (*posh).oneStatement}
	return p.whole()
}

// statements reads statements to one of the closing brackets, or to the end where there
// is none to come.
func (p *posh) statements(closing string) (unix string, err error) {
	if p.steps++; p.steps > maxSteps || p.depth > maxNest {
		return "", errComplex
	}
	p.depth++
	defer func() { p.depth-- }()
	var all []string
	for {
		p.between()
		if p.at == len(p.src) || strings.IndexByte(closing, p.src[p.at]) >= 0 {
			return strings.Join(all, "\n"), nil
		}
		if strings.IndexByte(")}", p.src[p.at]) >= 0 {
			return "", errPowerShell
		}
		if n := len(all); n > 0 && p.afterFailure() {
			body, err := p.block()
			if err != nil {
				return "", err
			}
			all[n-1] += " || {\n" + body + "\n}"
			continue
		}
		from := p.at
		s, err := p.oneStatement()
		if err != nil {
			return "", err
		}
		if p.at == from {
			return "", errPowerShell
		}
		all = append(all, s)
	}
}

// afterFailure steps over `if ($LASTEXITCODE -ne 0)` where nothing comes behind
// its block: the block runs if the statement before has failed.
func (p *posh) afterFailure() bool {
	from := p.at
	if p.word() == "if" {
		p.space()
		asked := strings.ToLower(strings.Join(strings.Fields(p.brackets()), " "))
		switch asked {
		case "($lastexitcode -ne 0)", "($lastexitcode)", "(!$?)", "(-not $?)", "($lastexitcode -gt 0)":
			p.space()
			block := p.at
			p.brackets()
			end := p.at
			p.between()
			if next := p.peek(); block < end && next != "else" && next != "elseif" {
				p.at = block
				return true
			}
		}
	}
	p.at = from
	return false
}

// oneStatement reads one statement.
func (p *posh) oneStatement() (unix string, err error) {
	switch word := p.peek(); word {
	case "if":
		return p.ifs()
	case "foreach", "for", "while", "switch", "do":
		return p.loop(word)
	case "try":
		return p.try()
	case "function", "filter":
		return p.function()
	case "exit", "return", "throw":
		p.word()
		return p.leave(word)
	case "param":
		p.word()
		p.space()
		p.brackets()
		return ":", nil
	case "class", "enum", "using", "workflow", "trap", "data", "begin", "process", "end":
		return "", errPowerShell
	}
	return p.chain()
}

func (p *posh) ifs() (unix string, err error) {
	var b strings.Builder
	for open := "if "; ; open = "\nelif " {
		p.word()
		cond, err := p.condition()
		if err != nil {
			return "", err
		}
		body, err := p.block()
		if err != nil {
			return "", err
		}
		b.WriteString(open + cond + "\nthen\n" + body)
		from := p.at
		p.between()
		switch p.peek() {
		case "elseif":
			continue
		case "else":
			p.word()
			if body, err = p.block(); err != nil {
				return "", err
			}
			b.WriteString("\nelse\n" + body)
		default:
			p.at = from
		}
		return b.String() + "\nfi", nil
	}
}

// loop reads a loop or a switch. Its body may run or not, but for that of do,
// which runs once.
func (p *posh) loop(word string) (unix string, err error) {
	p.word()
	rounds := `"$_"`
	if word == "do" {
		rounds = "x"
	} else {
		p.space()
		if p.brackets() == "" {
			return "", errPowerShell
		}
	}
	if word == "switch" {
		p.between()
		p.brackets()
		return unknownValue, nil
	}
	body, err := p.block()
	if err != nil {
		return "", err
	}
	if word == "do" {
		p.between()
		if end := p.word(); end != "while" && end != "until" {
			return "", errPowerShell
		}
		p.space()
		p.brackets()
	}
	return "for _ in " + rounds + "\ndo\n" + body + "\ndone", nil
}

// try reads a block whose errors are caught. A program that fails throws none.
func (p *posh) try() (unix string, err error) {
	p.word()
	p.tries++
	body, err := p.block()
	p.tries--
	if err != nil {
		return "", err
	}
	unix = "{\n" + body + "\n}"
	for {
		from := p.at
		p.between()
		word := p.peek()
		if word != "catch" && word != "finally" {
			p.at = from
			return unix, nil
		}
		p.word()
		for p.space(); p.at < len(p.src) && p.src[p.at] == '['; p.space() {
			p.brackets()
			p.took(",")
		}
		if body, err = p.block(); err != nil {
			return "", err
		}
		if word == "catch" {
			body = "if [ \"$_\" ]\nthen\n" + body + "\nfi"
		}
		unix += "\n" + body
	}
}

func (p *posh) function() (unix string, err error) {
	p.word()
	p.space()
	name := p.word()
	p.space()
	if p.at < len(p.src) && p.src[p.at] == '(' {
		p.brackets()
	}
	body, err := p.block()
	if name == "" || err != nil {
		return "", errors.Join(err, errUnless(err))
	}
	return name + "() {\n" + body + "\n}", nil
}

// leave reads what stands behind exit, return and throw.
func (p *posh) leave(word string) (unix string, err error) {
	from := p.at
	behind, err := p.chain()
	if err != nil {
		return "", err
	}
	given := strings.ToLower(strings.TrimSpace(p.src[from:p.at]))
	switch {
	case word == "throw" && p.tries > 0:
		return "false", nil
	case word == "throw":
		return "exit 1", nil
	case word == "return" && given == "":
		return "return", nil
	case word == "return":
		return behind + "\nreturn", nil
	case given == "":
		return "exit 0", nil
	case given == "$lastexitcode":
		return "exit $?", nil
	case strings.Trim(given, "0123456789") == "":
		return "exit " + given, nil
	}
	return "exit \"$_\"", nil
}
