package redact

import "strings"

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

// commandScan is what is known of the command that the walk is in: where the
// last known programs stand. Each byte is looked at once.
type commandScan struct {
	seen  int
	found [4]int // places + 1, the last ones
	n     int
}

// cookieScan is what is known of the lists of cookies that were looked at: no
// list ends between from and stop, and no part between from and checked opens a
// session. So each byte is looked at once, however many names of headers stand in
// it.
type cookieScan struct{ from, stop, checked int }

// mark is what stands in a secret's place.
func mark(kind string) string { return "[REDACTED:" + kind + "]" }

// maxMark is how long a mark is at the most, in bytes.
const maxMark = 48

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

// take takes a value out unless it only stands for a secret.
func (w *walker) take(v value, kind string) {
	if text := w.text[v.from:v.to]; len(text) >= 3 && text[0] != '$' && !placeholder(text) && !template(text) {
		w.replace(v.from, v.to, kindOf(text, kind))
	}
}

// maxNested bounds the names that may stand in one value without a blank, each
// of which is judged: a=b=c=X.
const maxNested = 16

// nests notes the value of a name.
func (w *walker) nests(from, to int) {
	if from >= w.nestedEnd {
		w.nested = 0
	}
	w.nested, w.nestedEnd = w.nested+1, max(w.nestedEnd, to)
}

// tooNested tells whether so many names stand in the value around a place that
// one more is no assignment; else a text of names alone would cost its square.
func (w *walker) tooNested(at int) bool { return w.nested > maxNested && at < w.nestedEnd }

// knownName is a name and what it says.
type knownName struct {
	name string
	meaning
}

// secretName is what a name says by the walk's rules. A text holds few names many
// times, so the last ones are remembered.
func (w *walker) secretName(name string) meaning {
	if len(name) == 0 || len(name) > 128 || !mayBeSecret(name) {
		return meaning{}
	}
	if w.names == nil {
		w.names = new([64]knownName)
	}
	n := len(name)
	known := &w.names[(int(name[0])*7+int(name[n/2])*5+int(name[n-1])*3+n)%64]
	if known.name != name {
		*known = knownName{name: name}
		if m := secretName(name); m.level > 0 && !w.rules.keepsName(name) {
			known.meaning = m
		}
	}
	return known.meaning
}
