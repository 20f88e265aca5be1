package turn

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// jsonName is a file's name as a state has it: as it is, or, where it is not
// UTF-8, which JSON cannot hold, quoted as git does, "caf\351".
func jsonName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return quotedName(name)
}

// shownName is a file's name as a message has it: as it is, or, where it could
// not be seen, quoted as git does.
func shownName(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) {
		return name
	}
	return quotedName(name)
}

func quotedName(name string) string {
	b := []byte{'"'}
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', name[i])
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case unicode.IsControl(r) || r == utf8.RuneError && n == 1:
			for _, c := range []byte(name[i : i+n]) {
				b = fmt.Appendf(b, "\\%03o", c)
			}
		default:
			b = append(b, name[i:i+n]...)
		}
		i += n
	}
	return string(append(b, '"'))
}

// rawName is the name that jsonName quoted; the name itself where it did not.
func rawName(name string) string {
	if len(name) < 2 || name[0] != '"' {
		return name
	}
	raw, err := strconv.Unquote(name)
	if err != nil || utf8.ValidString(raw) {
		return name
	}
	return raw
}
