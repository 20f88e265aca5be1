package redact

import "strings"

// looked bounds how far a rule looks around the place that woke it, in bytes.
const looked = 512

// value is a place in the text.
type value struct {
	from, to int
	quoted   bool
	spaced   bool // white space stands before it
}

// stops are the characters at which an unquoted value ends.
var stops = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, '"': true, '\'': true, '`': true, ',': true, ';': true, '&': true, '<': true, '>': true, '|': true, '(': true, ')': true, '{': true, '}': true, '\x1b': true}

// valueAfter is what follows a sign on the same line.
func valueAfter(s string, i int) value {
	at := i + 1
	if at < len(s) && s[at] == '=' {
		at++ // :=
	}
	v := value{from: at}
	for v.from < len(s) && (s[v.from] == ' ' || s[v.from] == '\t') {
		v.from++
	}
	v.spaced = v.from > at
	v.from = skipColour(s, v.from)
	if n := literalPrefix(s, v.from); n > 0 {
		v.from += n
	}
	quote := ""
	for _, q := range []string{`\"`, `\'`, `"`, `'`, "`"} {
		if strings.HasPrefix(s[v.from:], q) {
			quote = q
			break
		}
	}
	most := min(len(s), v.from+8*looked)
	if quote != "" {
		v.quoted = true
		v.from += len(quote)
		n := strings.Index(s[min(v.from, most):most], quote)
		if n < 0 {
			v.to = v.from
			return v
		}
		v.to = v.from + n
		if inner := s[v.from:v.to]; strings.IndexByte(inner, '\n') >= 0 || inner != "" && strings.IndexByte(")+;,", inner[0]) >= 0 && (inner[0] != '+' || !hasDigit(inner)) || closes(s, i, quote[len(quote)-1]) {
			v.to = v.from
		}
		return v
	}
	v.to = v.from
	for most = min(most, v.from+2*looked); v.to < most && !stops[s[v.to]]; v.to++ {
		if s[v.to] == '\\' && (strings.HasPrefix(s[v.to:], `\n`) || strings.HasPrefix(s[v.to:], `\u00`) || strings.HasPrefix(s[v.to:], `\"`) || strings.HasPrefix(s[v.to:], `\x1b`)) {
			break
		}
	}
	return v
}

// closes tells whether the quote right behind a sign ends a literal that began
// with the name: "PWD=" + dir.
func closes(s string, i int, quote byte) bool {
	at := i
	for at > 0 && i-at < 64 && (wordy(s[at-1]) || s[at-1] == '.' || s[at-1] == ' ' || s[at-1] == '/') {
		at--
	}
	if at == i || at == 0 || s[at-1] != quote || s[i-1] == quote {
		return false
	}
	// "a" "b=": whether the quote before the name opens a literal.
	line := s[max(0, at-looked):at]
	if nl := strings.LastIndexByte(line, '\n'); nl >= 0 {
		line = line[nl:]
	}
	return strings.Count(line, string(quote))%2 == 1
}

// skipColour goes over a terminal's colour.
func skipColour(s string, at int) int {
	if at+2 < len(s) && s[at] == '\x1b' && s[at+1] == '[' {
		for i := at + 2; i < len(s) && i < at+16; i++ {
			if s[i] == 'm' {
				return i + 1
			}
			if !digit(s[i]) && s[i] != ';' {
				break
			}
		}
	}
	return at
}

// literalPrefix is the length of what may stand before a literal's quote:
// b"...", string = "...", String::from("...").
func literalPrefix(s string, at int) int {
	if at+1 < len(s) && (s[at] == 'b' || s[at] == 'r' || s[at] == 'f' || s[at] == '@' || s[at] == 'L' || s[at] == 'N') && (s[at+1] == '"' || s[at+1] == '\'') {
		return 1
	}
	const from = "String::from("
	if strings.HasPrefix(s[at:], from) {
		return len(from)
	}
	if strings.HasPrefix(s[at:], "string = ") {
		return len("string = ")
	}
	return 0
}

// lineEnd tells whether nothing but a comment stands behind a place on its
// line.
func lineEnd(s string, at int) bool {
	at = skipColour(s, at)
	rest := strings.TrimLeft(s[at:min(len(s), at+8)], " \t\r")
	return rest == "" || rest[0] == '\n' || rest[0] == '#' || strings.HasPrefix(rest, `\n`)
}

// headerStart tells whether a name begins the value of curl's -H.
func headerStart(s string, at int) bool {
	for at > 0 && (s[at-1] == '"' || s[at-1] == '\'' || s[at-1] == '\\') {
		at--
	}
	before := strings.TrimRight(s[max(0, at-16):at], " =")
	return strings.HasSuffix(before, "-H") || strings.HasSuffix(before, "--header")
}

// lineStart tells whether only white space, a list's dash, a sign of a
// difference or a quote stands before a place on its line.
func lineStart(s string, at int) bool {
	for at > 0 && strings.IndexByte(" \t-+\"'", s[at-1]) >= 0 {
		at--
	}
	return at == 0 || s[at-1] == '\n' || at > 1 && s[at-2:at] == `\n`
}

// nameBefore is the name before a sign, without quotes, brackets, colours and
// spaces; left is where it begins, not before from, where a secret has ended.
func nameBefore(s string, i, from int) (name string, left int) {
	end := i
	least := max(from, i-looked)
	if end > least && s[end-1] == ':' {
		end-- // Pascal's and Go's :=
	}
	for end > least {
		c := s[end-1]
		if c == 'm' && end-least > 3 { // the end of a colour
			at := end - 1
			for at > least && (digit(s[at-1]) || s[at-1] == ';') {
				at--
			}
			if at > least+1 && s[at-1] == '[' && s[at-2] == '\x1b' {
				end = at - 2
				continue
			}
		}
		if !closing[c] {
			break
		}
		end--
	}
	left = end
	for left > least && inNames[s[left-1]] {
		left--
	}
	if left > least && s[left-1] == '\\' && end-left > 5 && s[left] == 'u' && s[left+1] == '0' {
		left += 5 // an escape that nobody decoded
	}
	return s[left:end], left
}

// wholeLine is a value of several words that ends its line; an empty one where
// it is a sentence or goes on as a program.
func wholeLine(s string, v value, name string) value {
	to := v.to
	for to < len(s) && s[to] != '\n' && s[to] != '\r' && !strings.HasPrefix(s[to:], `\n`) && to-v.from < looked {
		to++
	}
	line := strings.TrimRight(s[v.from:to], " \t")
	if c := strings.Index(line, " #"); c >= 0 {
		line = strings.TrimRight(line[:c], " \t")
	}
	v.to = v.from + len(line)
	if strings.ContainsAny(line, "\"'`,;(){}[]<>|") || strings.HasSuffix(line, ".") {
		v.to = v.from
	}
	if !strings.HasSuffix(strings.ToLower(name), "phrase") && !(mixed(line) && line == strings.ToLower(line)) {
		v.to = v.from
	}
	v.quoted = v.to > v.from
	return v
}
