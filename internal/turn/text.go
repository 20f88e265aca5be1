package turn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Bounds of what is kept of texts, in bytes.
const (
	maxMessage = 2000
	maxOutput  = 500
	maxError   = 200
	maxRole    = 100
	maxVersion = 100
)

// cut takes secrets out of a text and shortens it to at most n bytes.
func cut(s string, n int) string {
	if len(s) > 4*n {
		// No need to scan what is not kept. The last word may be half a secret,
		// which is not known as one.
		s = piton.Cut(s, 4*n)
		s = piton.Cut(s, max(strings.LastIndexAny(s, " \t\r\n"), len(s)-n))
	}
	return piton.Cut(strings.ToValidUTF8(cleaned(s), "�"), n)
}

// cleaned is a text without its secrets. One that is a JSON document is read as one too:
// there a name applies to more than in a text.
func cleaned(text string) string {
	if s := strings.TrimSpace(text); strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		if clean, n, err := redact.JSON([]byte(s)); err == nil && n > 0 {
			text = string(clean)
		}
	}
	text, _ = redact.Text(text)
	return text
}

// cleanList takes the secrets out of each text; never nil.
func cleanList(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = cleaned(s)
	}
	return out
}

// inline makes a text that others wrote safe to show inside a message: on one
// line, fenced, and without mark-up.
func inline(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '<':
			return '('
		case r == '>':
			return ')'
		case r == '`':
			return '\''
		}
		return r
	}, piton.FenceLine(s))
}

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

// marshal writes JSON that people can read too: & and < as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
