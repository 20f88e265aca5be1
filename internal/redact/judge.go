package redact

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Where a value stands says how much it takes to be a secret.
type place int

const (
	nowhere  place = iota // a part of a program
	inProse               // a sentence, an expression of a program
	inLine                // a line of settings
	inQuotes              // a literal
	inMember              // a member of a JSON document
	inData                // an environment, an element, a statement of SQL, a query
)

// candidate is a value that may be a secret, and what is known of it.
type candidate struct {
	text string
	meaning
	place place
	value // where it stands in s
	s     string
	name  string
	left  int // where the name begins
	sign  int // where the sign stands
}

// fact is what may hold of a candidate.
type fact func(c *candidate) bool

//go:embed checks.txt
var checkTable string

// checkLine is a line of checks.txt.
type checkLine struct {
	says        string
	least, most int
	needs       []need
}

// need is a fact that must hold, or must not.
type need struct {
	fact
	not bool
}

var (
	checkLines map[string][]checkLine
	readChecks sync.Once
)

// checks are the lines of checks.txt, read when a candidate is first looked at. One check
// may ask another.
func checks() map[string][]checkLine {
	readChecks.Do(func() {
		checkLines = map[string][]checkLine{}
		known := facts()
		for line := range strings.Lines(checkTable) {
			name, _ := cutWord(line)
			if known[name] != nil {
				continue
			}
			known[name] = func(c *candidate) bool { return c.is(name) }
		}
		for line := range strings.Lines(checkTable) {
			name, needs := cutWord(strings.TrimSuffix(line, "\n"))
			checkLines[name] = append(checkLines[name], newCheckLine(needs, known))
		}
	})
	return checkLines
}

func newCheckLine(needs string, known map[string]fact) checkLine {
	l := checkLine{says: "yes", most: anyNumber * anyNumber}
	for word := range strings.FieldsSeq(needs) {
		name, not := strings.CutPrefix(word, "!")
		last := word[len(word)-1]
		switch {
		case last == ':':
			l.says = word[:len(word)-1]
		case last == '+' && digit.has(word[0]):
			l.least, _ = strconv.Atoi(word[:len(word)-1])
		case last == '-' && digit.has(word[0]):
			l.most, _ = strconv.Atoi(word[:len(word)-1])
		case known[name] != nil:
			l.needs = append(l.needs, need{known[name], not})
		default:
			l.needs = append(l.needs, need{func(c *candidate) bool { return like(name, c.text) }, not})
		}
	}
	return l
}

// holds tells whether all that a line needs holds.
func (l *checkLine) holds(c *candidate) bool {
	if len(c.text) < l.least || len(c.text) > l.most {
		return false
	}
	for _, n := range l.needs {
		if n.fact(c) == n.not {
			return false
		}
	}
	return true
}

// says is what a check says of a candidate: "yes", "no", or where it stands.
func (c *candidate) says(check string) string {
	lines := checks()[check]
	for i := range lines {
		if lines[i].holds(c) {
			return lines[i].says
		}
	}
	return "no"
}

func (c *candidate) is(check string) bool { return c.says(check) == "yes" }

const (
	// jwkKind is of the members of a JSON web key that are private.
	jwkKind = "private-key-part"
	// cookieKind is of keys whose values are secrets where they look like cookies.
	cookieKind = "cookie"
)

// spot is a place beside a candidate.
type spot int

const (
	behindValue spot = iota
	beforeName
	atSign
	beforeSign
)

func (c *candidate) byteAt(at spot) byte {
	return byteAt(c.s, [...]int{c.to, c.left - 1, c.sign, c.sign - 1}[at])
}

// facts are what checks.txt may ask of a candidate; the forms of forms.txt and the checks
// themselves are more.
func facts() map[string]fact {
	known := map[string]fact{
		"twice":      func(c *candidate) bool { return strings.HasSuffix(c.s[:c.from-1], "/"+c.text) },
		"sentry":     func(c *candidate) bool { return like("sentry", behind(c.s, c.from, 300)) },
		"sure":       func(c *candidate) bool { return c.level == sure },
		"unsure":     func(c *candidate) bool { return c.level == unsure },
		"quoted":     func(c *candidate) bool { return c.quoted },
		"apart":      func(c *candidate) bool { return c.spaced },
		"shouting":   func(c *candidate) bool { return !some(c.name, &small) },
		"capital":    func(c *candidate) bool { return capital.has(c.name[0]) },
		"header":     func(c *candidate) bool { return headerStart(c.s, c.left) },
		"line-start": func(c *candidate) bool { return lineStart(c.s, c.left) },
		"line-end":   func(c *candidate) bool { return lineEnd(c.s, c.to) },
		"asked":      func(c *candidate) bool { return like("asked", before(c.s, c.left, looked/4)) },
		"setting":    func(c *candidate) bool { return like("setting", c.name) },
		"pin":        func(c *candidate) bool { return c.name == roleNames[pinRole] },
		"user-words": func(c *candidate) bool { return strings.Contains(c.name, " ") },
	}
	// The byte at a spot; \x00 is the end of the text.
	for name, x := range map[string]struct {
		at    spot
		bytes string
	}{
		"before-bracket": {behindValue, "({"}, "before-blank": {behindValue, " "}, "before-comma": {behindValue, ";,"},
		"ends-line": {behindValue, "\n\x00"}, "ends-word": {behindValue, " \t\r\n;\"'\x00"},
		"parameter": {beforeName, ";?&"}, "after-colon": {beforeSign, ":"}, "after-space": {beforeSign, " :"},
		"colon": {atSign, ":"}, "equals": {atSign, "="},
	} {
		of := chars(x.bytes)
		known[name] = func(c *candidate) bool { return of.has(c.byteAt(x.at)) }
	}
	// A text in the bytes before the name.
	for name, x := range map[string]struct {
		text   string
		within int
	}{
		"near-login": {"login ", looked}, "machine": {"machine ", looked}, "near-set": {" set ", 32}, "near-expect": {"expect", looked},
	} {
		known[name] = func(c *candidate) bool { return strings.Contains(before(c.s, c.left, x.within), x.text) }
	}
	for name, kind := range map[string]string{
		"password": "password", "secret": "secret", "credential": "credential", "signature": "signature",
		"of-authorization": "authorization", "of-cookies": cookieKind, "of-key": jwkKind,
	} {
		known[name] = func(c *candidate) bool { return c.kind == kind }
	}
	for name, is := range map[string]func(v string) bool{
		"marked": marked, "placeholder": placeholder, "documented": documented, "repeated": repeated,
		"alternatives": alternatives, "call-name": callName, "parameter-name": parameterName,
		"secret-part": func(v string) bool { return secretPart(v, 8) }, "long-secret-part": func(v string) bool { return secretPart(v, 20) },
		"sentence": prose, "type": typeName, "secret-rest": secretRest,
		"random": random, "basic": basic, "mixed": mixed, "symbol": hasSymbol,
		"cookies": isCookie, "hook-part": hookPart,
		"secret-name": func(v string) bool { return secretName(v).level > 0 },
		"three-parts": func(v string) bool { return len(split(v)) > 2 },
		"inner-space": func(v string) bool { return strings.Contains(strings.TrimSpace(v), " ") },
		"listed":      func(v string) bool { return listed("placeholder", strings.ToLower(strings.TrimRight(v, "!?,.;"))) },
	} {
		known[name] = func(c *candidate) bool { return is(c.text) }
	}
	for name, of := range map[string]*set{"only-word": &wordy, "only-dotted": &dotted, "only-path": &inPath, "only-lowhex": &lowerHex, "digits": &digit} {
		known[name] = func(c *candidate) bool { return all(c.text, of) }
	}
	for name, of := range map[string]*set{"digit": &digit, "letter": &letter, "small": &small, "big": &capital, "foreign": &notASCII} {
		known[name] = func(c *candidate) bool { return some(c.text, of) }
	}
	for p, name := range []string{inProse: "prose", inLine: "line", inQuotes: "quotes", inMember: "member", inData: "data"} {
		known[name] = func(c *candidate) bool { return c.place == place(p) }
		known[name+"+"] = func(c *candidate) bool { return c.place >= place(p) }
		known[name+"-fits"] = func(c *candidate) bool { there := *c; there.place = place(p); return there.is("fits") }
	}
	return known
}

// judged tells whether a check holds of a value of which nothing else is known.
func judged(check, v string) bool {
	c := candidate{text: v}
	return c.is(check)
}

// placeholder tells whether a value only stands for a secret.
func placeholder(v string) bool { return judged("stands-for", strings.Trim(v, " \t\"'")) }

// callName tells whether a value is a call of something, or points to it.
func callName(v string) bool {
	name, ok := meant("call", v)
	return ok && judged("reference", name)
}

// isCookie tells whether a text is a list of cookies of which one may open a
// session.
func isCookie(s string) bool {
	session := func(cookie string) bool {
		value, ok := meant("cookie", cookie)
		return ok && some(value, &digit) && !placeholder(value)
	}
	return slices.ContainsFunc(strings.Split(s, ";"), session)
}
