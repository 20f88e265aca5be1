package redact

import (
	"slices"
	"strings"
)

// set is a set of bytes. A byte each is a tenth faster than a bit each.
type set [256]bool

// chars is the set of the characters in a list, where a-z is all from a to z. Inlined
// everywhere it is 13 KB of code that each start reads.
//
//go:noinline
func chars(list string) (s set) {
	for i := 0; i < len(list); i++ {
		first, last := list[i], list[i]
		if i+2 < len(list) && list[i+1] == '-' {
			i += 2
			last = list[i]
		}
		for c := uint(first); c <= uint(last); c++ {
			s[c] = true
		}
	}
	return s
}

func (s *set) has(c byte) bool { return s[c] }

// not is the set of all other bytes.
//
//go:noinline
func (s *set) not() (others set) {
	for c := range others {
		others[c] = !s[c]
	}
	return others
}

// notChars is the set of the characters that are not in a list.
func notChars(list string) set {
	s := chars(list)
	return s.not()
}

// The alphabets of tokens and the other sets. vendors.txt names those in alphabets.
var (
	digit      = chars("0-9")
	letter     = chars("A-Za-z")
	alnum      = chars("A-Za-z0-9")
	capital    = chars("A-Z")
	small      = chars("a-z")
	upperDigit = chars("A-Z0-9")
	wordy      = chars("A-Za-z0-9_-")
	dotted     = chars("A-Za-z0-9_.-")
	hex        = chars("0-9A-Fa-f")
	lowerHex   = chars("0-9a-f")
	base64ish  = chars("A-Za-z0-9+/=_-")
	cryptic    = chars("A-Za-z0-9+/=_$.,-")
	blank      = chars(" \t\r\n")
	notBlank   = blank.not()
	anyByte    = chars("\x00-\xff")
	space      = chars(" \t")
	printable  = chars(" -~")
	colouring  = chars("0-9;")
)

// alphabets are the sets that vendors.txt names.
var alphabets = map[string]*set{"caps": &upperDigit, "word": &wordy, "dotted": &dotted, "alnum": &alnum, "hex": &hex, "lowhex": &lowerHex, "base64": &base64ish, "crypt": &cryptic}

// all tells whether every byte of a text is of a set.
func all(s string, of *set) bool { return run(s, 0, len(s), of) == len(s) }

// some tells whether a byte of a text is of a set.
func some(s string, of *set) bool {
	for i := range len(s) {
		if of.has(s[i]) {
			return true
		}
	}
	return false
}

// run is where the bytes of a set end that begin at from, most at the latest.
func run(s string, from, most int, of *set) int {
	for most = min(len(s), most); from < most && of.has(s[from]); from++ {
	}
	return from
}

// back is where the bytes of a set begin that end at a place, least at the earliest.
func back(s string, at, least int, of *set) int {
	for least = max(0, least); at > least && of.has(s[at-1]); at-- {
	}
	return at
}

// byteAt is the byte at a place, 0 outside of the text.
func byteAt(s string, i int) byte {
	if uint(i) < uint(len(s)) {
		return s[i]
	}
	return 0
}

// before is what stands before a place, n bytes at the most.
func before(s string, at, n int) string { return s[max(0, at-n):at] }

// behind is what stands from a place on, n bytes at the most.
func behind(s string, at, n int) string { return s[min(len(s), at):min(len(s), at+n)] }

// looked bounds how far a rule looks around the place that woke it, in bytes.
const looked = 512

// startsWith and endsWith tell whether a text has one of some beginnings or ends.
func startsWith(s string, any ...string) bool {
	return slices.ContainsFunc(any, func(p string) bool { return strings.HasPrefix(s, p) })
}

func endsWith(s string, any ...string) bool {
	return slices.ContainsFunc(any, func(p string) bool { return strings.HasSuffix(s, p) })
}

// cut is a text up to the first of some others.
func cut(s string, at ...string) string {
	for _, a := range at {
		s, _, _ = strings.Cut(s, a)
	}
	return s
}

// lineBefore is what stands before a place on its line, n bytes at the most.
func lineBefore(s string, at, n int) string {
	line := before(s, at, n)
	return line[strings.LastIndexByte(line, '\n')+1:]
}

// lineBehind is what stands behind a place on its line, n bytes at the most.
func lineBehind(s string, at, n int) string { return cut(behind(s, at, n), "\n") }

// Classes of the bytes that the walk looks at.
const (
	other = iota
	ofWord
	ofName // = and :
	angle
	dollar
	brace
)

var (
	class = newClasses()
)

func newClasses() (c [256]uint8) {
	for b := range c {
		if wordy.has(byte(b)) {
			c[b] = ofWord
		}
	}
	c['='], c[':'], c['<'], c['$'], c['{'], c['['] = ofName, ofName, angle, dollar, brace, brace
	return c
}
