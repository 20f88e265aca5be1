package states

// strip takes insignificant white space out of what may be JSON. What comes
// back is sound if and only if text is: where white space stands between two
// parts that would become one without it, as in "1 2", ok is false, and so it
// is where there is none.
func strip(text []byte) (tight []byte, ok bool) {
	from := 0 // what lies between from and i is still to be taken over
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i); i < 0 {
				return nil, false
			}
		case ' ', '\n', '\t', '\r':
			if tight == nil {
				tight = make([]byte, 0, len(text))
			}
			tight = append(tight, text[from:i]...)
			from = i
			for from < len(text) && blank(text[from]) {
				from++
			}
			if i = from; len(tight) > 0 && from < len(text) && !sign(tight[len(tight)-1]) && !sign(text[from]) {
				return nil, false
			}
		default:
			i++
		}
	}
	if tight == nil {
		return nil, false
	}
	return append(tight, text[from:]...), true
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// sign tells whether a byte is a part of its own, or ends or begins one.
func sign(c byte) bool {
	switch c {
	case '{', '}', '[', ']', ':', ',', '"':
		return true
	}
	return false
}
