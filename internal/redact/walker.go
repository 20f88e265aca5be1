package redact

import "strings"

// walker goes once over a text.
type walker struct {
	reader
	text   string
	known  bool // only what is a secret by itself
	out    strings.Builder
	copied int // text before this is in out
	found  int
	at     int
	cmd    commandScan

	opened     *opened // nil: none
	cookieSeen cookieScan
	nested     int // names in a row whose values end at one place
	nestedEnd  int

	places []span // what was taken out, noted where it is not nil
}

// opened are the last places of a text at which a JSON document may begin.
type opened struct {
	at    [8]int
	n     int
	until int // a document that was looked at ends here
	waste int // bytes that were looked at for documents and are none
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
func mark(kind string) string { return markBegin + kind + "]" }

const markBegin = "[REDACTED:"

// maxMark is how long a mark is at the most, in bytes.
const maxMark = 48

// replace puts the mark of a kind in the place of text[from:to].
func (w *walker) replace(from, to int, kind string) {
	if from < w.copied || to <= from || strings.Contains(w.text[from:to], markBegin) {
		return // what was taken out already is not taken out again
	}
	if w.rules.keeps(w.text[from:to], kind) {
		return
	}
	if w.inMark(from) {
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

// inMark tells whether a place is inside a mark: its kind, which may be cut off. Any
// other text behind a mark's beginning is no mark.
func (w *walker) inMark(at int) bool {
	first := max(0, at-maxMark)
	i := strings.LastIndex(w.text[first:at], markBegin)
	if i < 0 {
		return false
	}
	end := first + i + len(markBegin)
	for end < len(w.text) && end-first-i < maxMark && (w.text[end] >= 'a' && w.text[end] <= 'z' || w.text[end] >= '0' && w.text[end] <= '9' || w.text[end] == '-') {
		end++
	}
	return at <= end && (end == len(w.text) || w.text[end] == ']')
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
