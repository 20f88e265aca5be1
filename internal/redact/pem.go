package redact

import (
	"strconv"
	"strings"
)

// maxKey bounds a private key, in bytes.
const maxKey = 32 << 10

// privateKey takes a PEM block out, whole or cut off; its line breaks may be
// escapes that nobody has decoded.
func (w *walker) privateKey(start int) {
	s := w.text[start:min(len(w.text), start+maxKey)]
	head := s[:min(len(s), 80)]
	i := strings.Index(head, "PRIVATE KEY")
	if i < 0 {
		return
	}
	rest := s[i+len("PRIVATE KEY"):]
	end := strings.Index(rest, "-----END")
	if end >= 0 {
		tail := rest[end+len("-----END"):]
		for _, last := range []string{"KEY-----", "KEY BLOCK-----"} {
			stop := strings.Index(tail[:min(len(tail), 80)], last)
			if stop >= 0 && keyBody(rest[:end]) == end {
				w.replace(start, start+i+len("PRIVATE KEY")+end+len("-----END")+stop+len(last), "private-key")
				return
			}
		}
	}
	if strings.HasPrefix(rest, " BLOCK") { // PGP's
		i, rest = i+len(" BLOCK"), rest[len(" BLOCK"):]
	}
	if n := cutOff(rest); n > 16 {
		w.replace(start, start+i+len("PRIVATE KEY")+n, "private-key")
		return
	}
	w.document(start)
	if w.copied <= start {
		w.keyLines(start + i + len("PRIVATE KEY"))
	}
}

// puttyKey takes the lines out that PuTTY's format announces: "Private-Lines: 14". end is
// behind the name; the line breaks may be escapes that nobody has decoded.
func (w *walker) puttyKey(end int) {
	s := w.text
	at := run(s, end, end+2, anyByte(": "))
	to := run(s, at, at+3, digit)
	lines, _ := strconv.Atoi(s[at:to])
	first := 0
	for ; lines > 0; lines-- {
		from := run(s, to, to+looked, anyByte(" \t\r\n>|"))
		for strings.HasPrefix(s[from:], `\n`) || strings.HasPrefix(s[from:], `\r`) {
			from += 2
		}
		stop := run(s, from, from+128, func(c byte) bool { return alnum(c) || strings.IndexByte("+/=", c) >= 0 })
		if stop == from || !strings.ContainsAny(s[to:from], "\n\rnr") {
			break
		}
		if first == 0 {
			first = from
		}
		to = stop
	}
	if first > 0 {
		w.replace(first, to, "private-key")
	} else if lines > 0 {
		w.document(end)
	}
}

// keyLines takes the lines of a key out that have something around them: the time of a
// log, the quotes of a program.
func (w *walker) keyLines(at int) {
	s := w.text[:min(len(w.text), at+maxKey)]
	for line := 0; at < len(s); line++ {
		end := at + strings.IndexByte(s[at:]+"\n", '\n')
		from, to := at, at // the longest run
		for i := at; i < end; {
			stop := run(s, i, end, base64ish)
			if stop-i > to-from {
				from, to = i, stop
			}
			i = stop + 1
		}
		short := to-from < 16 && !strings.Contains(s[end:min(len(s), end+80)], "-----END")
		switch {
		case strings.Contains(s[at:end], "-----END"), line > 0 && short:
			return
		case line > 0:
			w.replace(from, to, "private-key")
		}
		at = end + 1
	}
}

// cutOff is how far s looks like a PEM block without an end: whole lines of
// base64, the last of which may be short.
func cutOff(s string) int {
	n := 0
	for first := true; n < len(s); first = false {
		end := n
		for end < len(s) && (base64ish(s[end]) || s[end] == '\\' && !strings.HasPrefix(s[end:], `\n`) && !strings.HasPrefix(s[end:], `\r`)) {
			end++
		}
		if !first && end-n < 16 && end < len(s) {
			return n
		}
		n = end
		begin := n
		for n < len(s) && (s[n] == '\n' || s[n] == '\r' || strings.HasPrefix(s[n:], `\n`) || strings.HasPrefix(s[n:], `\r`)) {
			if s[n] == '\\' {
				n++
			}
			n++
		}
		if n == begin {
			return n
		}
	}
	return n
}

// keyBody is how far s looks like the inside of a PEM block, headers
// ("Proc-Type: 4,ENCRYPTED") included.
func keyBody(s string) int {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !base64ish(c) && strings.IndexByte(" \t\r\n\\:,.", c) < 0 {
			return i
		}
		if strings.HasPrefix(s[i:], "-----END") {
			return i
		}
	}
	return len(s)
}

// crypt takes out what crypt(3) and its like make of a password: $6$salt$hash.
func (w *walker) crypt() {
	s, at := w.text, w.at
	w.at++
	id := run(s, at+1, at+16, alnum)
	if id >= len(s) || s[id] != '$' && !strings.HasPrefix(s[id:], "-sha") || !cryptIDs()[s[at+1:id]] {
		return
	}
	if to := run(s, id, id+256, cryptic); to-id > 22 && hasDigit(s[id:to]) {
		w.replace(at, to, "password-hash")
	}
}

var cryptIDs = words(`1 2 2a 2b 2x 2y 5 6 7 y gy apr1 argon2i argon2d argon2id scrypt pbkdf2 sha1 md5`)
