package rawjson

import "bytes"

// BlankComments puts a space in the place of every byte of a comment, but keeps white space, so that offsets and lines stay the
// same. It finds comments as Gemini CLI does: // to the end of the line, /* to the next */ or the end of the text.
func BlankComments(text []byte) []byte {
	if !bytes.Contains(text, []byte("//")) && !bytes.Contains(text, []byte("/*")) {
		return text
	}
	plain := bytes.Clone(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if !isSpace(plain[i]) {
				plain[i] = ' '
			}
		}
	}
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			end := len(text)
			if n := bytes.IndexByte(rest, '\n'); n >= 0 {
				end = i + n
			}
			blank(i, end)
			i = end
		case bytes.HasPrefix(rest, []byte("/*")):
			end := len(text)
			if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
				end = i + 2 + n + 2
			}
			blank(i, end)
			i = end - 1
		}
	}
	return plain
}

func isSpace(b byte) bool { return spaces[b] }

var spaces = [256]bool{' ': true, '\t': true, '\r': true, '\n': true}
