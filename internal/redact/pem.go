package redact

import "strings"

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
