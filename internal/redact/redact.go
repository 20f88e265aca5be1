// Package redact takes secrets out of text and of JSON before they are stored,
// logged or sent (docs/spec.md, "Never stored").
//
// It walks a text once. Words are held against a table of prefixes that
// vendors give their tokens; '=' and ':' against the name before them. No
// regular expression is compiled, because the package is linked into the
// program that runs at every event of an agent.
package redact

import "strings"

// Text returns s with each secret replaced by [REDACTED:kind], and how many
// were taken out; s itself when there was none. Applying it twice changes
// nothing more.
func Text(s string) (string, int) { return (*Rules)(nil).text(s) }

// Known takes out only what is a secret by itself: tokens of known vendors, keys
// in PEM. Paths and names by which things are found are cleaned so, both where
// they are kept and where they are looked up.
func Known(s string) (string, int) {
	return clean(walker{text: s, known: true})
}

func (r *Rules) text(s string) (string, int) { return clean(walker{text: s, rules: r}) }

// clean goes over a walker's text until nothing more is found: what one secret
// hid may be one itself once that is gone.
func clean(as walker) (string, int) {
	found := 0
	for range passes {
		w := as
		w.walk()
		if w.found == 0 {
			break
		}
		found += w.found
		w.out.WriteString(w.text[w.copied:])
		as.text = w.out.String()
	}
	return as.text, found
}

// passes bounds how often a text is looked at; only one that held secrets is
// looked at again.
const passes = 8

// mark is what stands in a secret's place.
func mark(kind string) string { return "[REDACTED:" + kind + "]" }

// maxMark is how long a mark is at the most, in bytes.
const maxMark = 48

// walker goes once over a text.
type walker struct {
	text   string
	rules  *Rules
	known  bool // only what is a secret by itself
	out    strings.Builder
	copied int // text before this is in out
	found  int
	at     int
	cmd    commandScan

	cookieSeen cookieScan
	nested     int // names in a row whose values end at one place
	nestedEnd  int

	names *[64]knownName // names that were taken apart already

	places []span // what was taken out, noted where it is not nil
}

// span is a place of the text and the kind of secret there.
type span struct {
	from, to int
	kind     string
}

// Classes of bytes.
const (
	other = iota
	word  // letters, digits, _ and -
	sign  // = and :
	angle // <
)

var class = func() (c [256]uint8) {
	for b := 'a'; b <= 'z'; b++ {
		c[b], c[b-'a'+'A'] = word, word
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = word
	}
	c['_'], c['-'] = word, word
	c['='], c[':'], c['<'] = sign, sign, angle
	return c
}()

func (w *walker) walk() {
	for w.at < len(w.text) {
		switch class[w.text[w.at]] {
		case word:
			w.word()
		case sign:
			if w.known {
				w.at++
				break
			}
			w.sign()
		case angle:
			from := w.at
			for w.at < len(w.text) && w.text[w.at] == '<' {
				w.at++
			}
			if w.at-from == 3 && !w.known {
				w.here(w.at - 1)
			}
		default:
			w.at++
		}
	}
}

// word looks at a run of word characters.
func (w *walker) word() {
	start := w.at
	if start > 0 && w.text[start-1] == '\\' && strings.IndexByte("nrt", w.text[start]) >= 0 {
		start++ // an escape that nobody has decoded is no part of the word
	}
	end := start
	for end < len(w.text) && class[w.text[end]] == word {
		end++
	}
	w.at = max(end, w.at+1)
	if end-start < 2 {
		return
	}
	switch w.text[start] {
	case '-':
		if strings.HasPrefix(w.text[start:], "-----BEGIN") {
			w.privateKey(start)
			return
		}
		if !w.known {
			w.option(start, end)
		}
		if end-start < glued {
			return
		}
	case 'B':
		if !w.known && w.text[start:end] == "Bearer" {
			w.bearer(end)
			return
		}
	}
	if kind, stop := token(w.text, start, end); kind != "" {
		w.replace(start, stop, kind)
		return
	}
	if end-start >= glued && w.within(start, end) {
		return
	}
	if w.known {
		if end-start >= 14 && end < len(w.text) && w.text[end] == '.' {
			w.dottedToken(start, end)
		}
		return
	}
	if end >= len(w.text) {
		w.last(start, end)
		return
	}
	switch w.text[end] {
	case ' ', '\t':
		if mayBeSecret(w.text[start:end]) {
			w.spoken(start, end)
		}
		switch w.text[start] {
		case 'c', 'h', 's', 'C', 'e':
			w.commandWord(start, end)
		case 'i', 'I':
			if end-start == len("identified") && strings.EqualFold(w.text[start:end], "identified") {
				w.identified(end)
			}
		}
	case '>':
		w.element(start, end)
	case '"', '\'', '`':
		w.quotedName(start, end)
	case '<':
		w.afterElement(start, end)
	case '(':
		w.called(start, end)
	case '.':
		if end-start >= 14 {
			w.dottedToken(start, end)
		}
	case '\n':
		w.last(start, end)
	case '\\':
		if end+1 < len(w.text) && (w.text[end+1] == '"' || w.text[end+1] == '\'') {
			w.quotedName(start, end)
		}
	}
}

// last looks at a line's last word.
func (w *walker) last(start, end int) {
	switch w.text[start:end] {
	case "chpasswd":
		w.piped(end)
	case "Secret":
		w.manifest(start)
	}
}

// glued is how long a word is that can hold a token behind another word.
const glued = 20

// replace puts the mark of a kind in the place of text[from:to].
func (w *walker) replace(from, to int, kind string) {
	if from < w.copied || to <= from || strings.Contains(w.text[from:to], "[REDACTED:") {
		return // what was taken out already is not taken out again
	}
	if w.rules.keeps(w.text[from:to], kind) {
		return
	}
	// Nor is the inside of a mark.
	before := w.text[max(0, from-maxMark):from]
	if i := strings.LastIndex(before, "[REDACTED:"); i >= 0 && !strings.Contains(before[i:], "]") {
		return
	}
	w.out.WriteString(w.text[w.copied:from])
	w.out.WriteString(mark(kind))
	if w.places != nil {
		w.places = append(w.places, span{from, to, kind})
	}
	w.copied = to
	w.at = max(w.at, to)
	w.found++
}
