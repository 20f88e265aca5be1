package redact

import "strings"

// sent takes out what a script types that has just been asked for a password:
// expect "assword:" and send "X\r", expect("assword") and sendline("X").
func (w *walker) sent(start, end int) {
	s := w.text
	before := s[max(0, start-looked/4):start]
	asked := max(strings.LastIndex(before, "assword"), strings.LastIndex(before, "assphrase"))
	if asked < 0 || strings.Contains(before[asked:], "send") || !strings.Contains(s[max(0, start-looked):start], "expect") {
		return
	}
	if strings.HasPrefix(s[end:], " -- ") {
		end += len(" --")
	}
	v := valueAfter(s, end)
	text := s[v.from:v.to]
	if returns := strings.IndexByte(text, '\\'); returns >= 0 {
		text = text[:returns]
	} else if s[end] != '(' {
		return
	}
	filledIn := placeholder(text) || template(text) || text[0] == '['
	if v.quoted && len(text) >= 4 && !filledIn {
		w.replace(v.from, v.from+len(text), "password")
	}
}
