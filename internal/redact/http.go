package redact

import "strings"

// cookie takes the value of a cookie header out.
func (w *walker) cookie(name string, i int) bool {
	header := w.text[i] == ':' && cookieBegins.has(name[0]) && (strings.EqualFold(name, "cookie") || strings.EqualFold(name, "set-cookie"))
	if header {
		w.cookies(run(w.text, i+1, len(w.text), &beforeCookies))
	}
	return header
}

var (
	cookieBegins  = chars("CScs")
	beforeCookies = chars(" \t\"'\\")
	inCookies     = notChars("\r\n\"'`\\")
)

// cookies takes a list of cookies out.
func (w *walker) cookies(from int) {
	s, c := w.text, &w.cookieSeen
	if from < c.from || from > c.stop {
		*c = cookieScan{from, from, from}
	}
	most := min(len(s), from+8*looked)
	c.stop = max(c.stop, endOf(s, min(c.stop, most), most, &inCookies, `\n`, `\r`))
	to := min(c.stop, most)
	first := from + len(cut(s[from:to], ";"))
	rest := min(max(first, c.checked), to)
	if isCookie(s[from:first]) || isCookie(s[rest:to]) {
		w.replace(from, to, cookieKind)
		return
	}
	c.checked = max(c.checked, from+strings.LastIndexByte(s[from:to], ';')+1)
}

// query takes the value of a parameter out that looks generated.
func (w *walker) query(from int, kind string) {
	if w.tooNested(from) {
		return
	}
	to := run(w.text, from, from+looked, &inQuery)
	w.nests(from, to)
	w.take("query", value{from: from, to: to}, kind)
}

var (
	inQuery = notChars("&#;\"'`<>\\) \t\r\n")
)
