package redact

import (
	"cmp"
	"strconv"
	"strings"
)

// maxKey bounds a private key, in bytes.
const maxKey = 32 << 10

const (
	keyHead = "PRIVATE KEY"
	keyEnd  = "-----END"
)

var (
	inKey       = chars("A-Za-z0-9+/=_ \t\r\n\\:,.-") // headers ("Proc-Type: 4,ENCRYPTED") included
	plainBase64 = chars("A-Za-z0-9+/=")
	newlines    = chars("\r\n")
	afterCount  = chars(" \t\r\n>|")
	colonBlank  = chars(": ")
)

// privateKey takes a PEM block out, whole or cut off; its line breaks may be
// escapes that nobody has decoded.
func (w *walker) privateKey(start int) {
	s := behind(w.text, start, maxKey)
	head := strings.Index(s[:min(len(s), 80)], keyHead) + len(keyHead)
	if head < len(keyHead) {
		return
	}
	n := wholeKey(s[head:])
	if n == 0 {
		if strings.HasPrefix(s[head:], " BLOCK") { // PGP's
			head += len(" BLOCK")
		}
		n = cutOff(s[head:])
	}
	if n > 16 {
		w.replace(start, start+head+n, "private-key")
		return
	}
	w.document(start)
	if w.copied <= start {
		w.keyLines(start + head)
	}
}

// wholeKey is how long a PEM block is up to its end; 0 where it has none.
func wholeKey(s string) int {
	end := strings.Index(s, keyEnd)
	if end < 0 || !all(s[:end], &inKey) {
		return 0
	}
	end += len(keyEnd)
	for _, last := range []string{"KEY-----", "KEY BLOCK-----"} {
		if stop := strings.Index(behind(s, end, 80), last); stop >= 0 {
			return end + stop + len(last)
		}
	}
	return 0
}

// puttyKey takes the lines out that PuTTY's format announces: "Private-Lines: 14". end is
// behind the name; the line breaks may be escapes that nobody has decoded.
func (w *walker) puttyKey(end int) {
	s := w.text
	at := run(s, end, end+2, &colonBlank)
	to := run(s, at, at+3, &digit)
	lines, _ := strconv.Atoi(s[at:to])
	first := 0
	for ; lines > 0; lines-- {
		from := breaks(s, to, &afterCount)
		stop := run(s, from, from+128, &plainBase64)
		if stop == from || !strings.ContainsAny(s[to:from], "\n\rnr") {
			break
		}
		first = cmp.Or(first, from)
		to = stop
	}
	switch {
	case first > 0:
		w.replace(first, to, "private-key")
	case lines > 0:
		w.document(end)
	}
}

// breaks is behind the bytes of a set and the line breaks, decoded or not, at a place.
func breaks(s string, at int, of *set) int {
	for {
		end := run(s, at, len(s), of)
		if startsWith(s[end:], `\n`, `\r`) {
			end += len(`\n`)
		}
		if end == at {
			return at
		}
		at = end
	}
}

// keyLines takes the lines of a key out that have something around them: the time of a
// log, the quotes of a program.
func (w *walker) keyLines(at int) {
	s := w.text[:min(len(w.text), at+maxKey)]
	for line := 0; at < len(s); line++ {
		text := lineBehind(s, at, len(s))
		end := at + len(text)
		from, to := longestRun(s, at, end, &base64ish)
		last := strings.Contains(behind(s, end, 80), keyEnd)
		if strings.Contains(text, keyEnd) || line > 0 && to-from < 16 && !last {
			return
		}
		if line > 0 {
			w.replace(from, to, "private-key")
		}
		at = end + 1
	}
}

// longestRun is the longest run of a set in a part of a text.
func longestRun(s string, at, end int, of *set) (from, to int) {
	for i := at; i < end; i++ {
		stop := run(s, i, end, of)
		if stop-i > to-from {
			from, to = i, stop
		}
		i = stop
	}
	return from, to
}

// cutOff is how far s looks like a PEM block without an end: whole lines of
// base64, the last of which may be short.
func cutOff(s string) int {
	n := 0
	for first := true; n < len(s); first = false {
		end := endOf(s, n, len(s), &base64ish, `\n`, `\r`)
		if !first && end-n < 16 && end < len(s) {
			return n
		}
		n = breaks(s, end, &newlines)
		if n == end {
			return n
		}
	}
	return n
}

// crypt takes out what crypt(3) and its like make of a password: $6$salt$hash.
func (w *walker) crypt() {
	s, at := w.text, w.at
	w.at++
	id := run(s, at+1, at+16, &alnum)
	if byteAt(s, id) != '$' && !strings.HasPrefix(s[id:], "-sha") || !listed("crypt", s[at+1:id]) {
		return
	}
	if to := run(s, id, id+256, &cryptic); to-id > 22 && some(s[id:to], &digit) {
		w.replace(at, to, "password-hash")
	}
}
