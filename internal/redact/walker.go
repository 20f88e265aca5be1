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
	may    uint8 // what the word at hand may begin
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

// cookieScan is what is known of the lists of cookies that were looked at: no
// list ends between from and stop, and no part between from and checked opens a
// session. So each byte is looked at once, however many names of headers stand in
// it.
type cookieScan struct{ from, stop, checked int }

// replace puts the mark of a kind in the place of text[from:to].
func (w *walker) replace(from, to int, kind string) {
	if from < w.copied || to <= from || marked(w.text[from:to]) || w.inMark(from) {
		return // what was taken out already is not taken out again
	}
	if w.rules.keeps(w.text[from:to], kind) {
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
// other text behind a mark's beginning is not a mark.
func (w *walker) inMark(at int) bool {
	first := max(0, at-maxMark)
	i := strings.LastIndex(w.text[first:at], markBegin)
	if i < 0 {
		return false
	}
	end := run(w.text, first+i+len(markBegin), first+i+maxMark, &inKind)
	return at <= end && (end == len(w.text) || w.text[end] == ']')
}

var inKind = chars("a-z0-9-")

// candidate is a value in the text, with what its name says.
func (w *walker) candidate(v value, m meaning) *candidate {
	return &candidate{text: w.text[v.from:v.to], meaning: m, value: v, s: w.text}
}

// take takes a value out that a check finds to be a secret; false where it is none.
func (w *walker) take(check string, v value, kind string) bool {
	c := w.candidate(v, meaning{kind, sure})
	secret := c.is(check)
	if secret {
		w.replace(v.from, v.to, kindOf(c.text, kind))
	}
	return secret
}

// takeFits takes a candidate out that is a secret by its name and its place.
func (w *walker) takeFits(c *candidate) {
	if c.is("fits") {
		w.replace(c.from, c.to, kindOf(c.text, c.kind))
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
// one more is not an assignment; else a text of names alone would cost its square.
func (w *walker) tooNested(at int) bool { return w.nested > maxNested && at < w.nestedEnd }
