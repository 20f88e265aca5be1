package redact

import "strings"

// Where a value stands says how much it takes to be a secret.
type place int

const (
	inProse  place = iota // a sentence, an expression of a program
	inLine                // a line of settings
	inQuotes              // a literal
	inMember              // a member of a JSON document
	inData                // an environment, an element, a statement of SQL, a query
)

// fits tells whether a value is a secret, by what its name says and where it
// stands.
func (m meaning) fits(v string, p place) bool {
	data := p == inData && m.kind == "password" && m.level == sure
	switch {
	case harmlessData(v), !data && typeName(v), m.kind != "password" && (slug(v) || named(v)):
		return false
	}
	if m.level == unsure {
		if m.kind == "password" {
			return len(v) >= 6 && mixed(v) && (p > inProse || random(v))
		}
		return len(v) >= 16 && random(v) || basic(v) || len(v) >= 20 && mixed(v) && p >= inQuotes
	}
	if strings.IndexByte(v, ' ') >= 0 && !strings.Contains(v, "KEY-----") {
		n := strings.Count(v, " ")
		return p >= inQuotes && (mixed(v) || m.kind == "password" && (n >= 2 || p >= inMember)) || n >= 11 && n <= 23 // a mnemonic
	}
	if m.kind == "password" {
		switch p {
		case inProse:
			return len(v) >= 8 && mixed(v)
		case inLine:
			return len(v) >= 6 && (hasDigit(v) || hasSymbol(v))
		case inQuotes:
			return len(v) >= 8 || len(v) >= 6 && hasDigit(v)
		case inMember:
			return len(v) >= 3
		}
		return len(v) >= 4
	}
	switch p {
	case inProse:
		return len(v) >= 16 && random(v) || len(v) >= 20 && mixed(v)
	case inLine:
		return len(v) >= 8 && mixed(v)
	case inQuotes:
		return len(v) >= 8 && mixed(v) || len(v) >= 20
	case inMember:
		return len(v) >= 6 && mixed(v) || len(v) >= 16 || len(v) >= 8 && m.kind == "secret"
	}
	return len(v) >= 8 || len(v) >= 4 && mixed(v)
}

// kindOf is the vendor's kind where the value is a token, else the name's.
func kindOf(value, kind string) string {
	if t := table().tokenAt(value, 0, run(value, 0, len(value), wordy)); t.kind != "" && t.to == len(value) {
		return t.kind
	}
	return kind
}

// jwkKind is of the members of a JSON web key that are private.
const jwkKind = "private-key-part"

// cookieKind is of keys whose values are secrets where they look like cookies.
const cookieKind = "cookie"

// takes tells whether a string is a secret, by what its name says.
func (m meaning) takes(v string, p place) bool {
	if m.kind == cookieKind {
		return isCookie(v) || len(v) >= 16 && random(v) && !harmlessValue(v)
	}
	if m.kind == jwkKind {
		return len(v) >= 40 && all(v, wordy) && random(v) && !all(v, lowerHex)
	}
	if m.level == unsure && p == inMember && (m.kind == "secret" || m.kind == "credential") && len(v) >= 8 && mixed(v) && !dated(v) {
		return !harmlessValue(v)
	}
	return m.fits(v, p)
}

// dated tells whether a value begins like a date or a version.
func dated(v string) bool {
	return len(v) >= 8 && digit(v[0]) && (v[4] == '-' && digit(v[5]) || v[1] == '.' || v[2] == '.')
}

// isCookie tells whether a text is a list of cookies of which one may open a
// session.
func isCookie(s string) bool {
	for part := range strings.SplitSeq(s, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if ok && len(value) >= 12 && strings.IndexByte(value, ' ') < 0 && strings.IndexByte(name, ' ') < 0 && !placeholder(value) && hasDigit(value) {
			return true
		}
	}
	return false
}
