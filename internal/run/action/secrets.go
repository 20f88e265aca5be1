package action

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/piton-project/piton/internal/redact"
)

// Secrets takes secrets out of what a run keeps and shows: values that are known,
// however they are quoted or encoded, and all that package redact finds. The nil
// Secrets knows no values.
type Secrets struct {
	known *strings.Replacer
	lines []string // the values that span lines
}

// taken stands for a known value.
const taken = "[REDACTED:env]"

// minSecret is the length of the shortest value that is looked for: a shorter one
// would be found in every other word.
const minSecret = 4

// NewSecrets knows these values.
func NewSecrets(values ...string) *Secrets {
	var forms []string
	s := &Secrets{}
	for _, v := range values {
		v = strings.TrimSpace(v)
		forms = append(forms, written(v)...)
		if strings.Contains(v, "\n") {
			s.lines = append(s.lines, v)
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // the longest is taken first
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, taken)
	}
	s.known = strings.NewReplacer(pairs...)
	return s
}

// written are the ways in which programs print a value.
func written(v string) []string {
	if len(v) < minSecret {
		return nil
	}
	forms := append(quoted(v), v, url.QueryEscape(v), url.PathEscape(v), html.EscapeString(v), hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))))
	for line := range strings.SplitSeq(v, "\n") {
		if line = strings.TrimSpace(line); len(line) >= 2*minSecret && line != v {
			forms = append(forms, line)
		}
	}
	return append(forms, encoded(v)...)
}

// quoted is a value inside the quotes of a shell, of Python, and of JSON: made for HTML
// or not, of ASCII only or not, and as a text inside JSON again.
func quoted(v string) []string {
	forms := []string{strings.ReplaceAll(v, "'", `'\''`), strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(v)}
	for _, v := range []string{v, unescaped(v), ascii(unescaped(v))} {
		if b, err := json.Marshal(v); err == nil {
			forms = append(forms, string(b[1:len(b)-1]), ascii(string(b[1:len(b)-1])))
		}
		forms = append(forms, unescaped(v), ascii(unescaped(v)))
	}
	return forms
}

// ascii is JSON as programs write it that take only ASCII for safe.
func ascii(v string) string {
	var b strings.Builder
	for _, r := range v {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// unescaped is a value inside JSON that was not made for HTML.
func unescaped(v string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return v
	}
	return strings.TrimSuffix(b.String(), "\n")[1 : b.Len()-2]
}

// encoded are the three ways in which base64 has a value inside a longer text, as
// in user:password, without the letters that also depend on what stands around it.
func encoded(v string) []string {
	var forms []string
	for shift := range 3 {
		in := append(make([]byte, shift), v...)
		from, to := (shift*8+5)/6, len(in)*8/6
		if to-from < 2*minSecret {
			continue
		}
		forms = append(forms, base64.RawStdEncoding.EncodeToString(in)[from:to], base64.RawURLEncoding.EncodeToString(in)[from:to])
	}
	return forms
}

// Text is a text without secrets, and whether it had any.
func (s *Secrets) Text(t string) (clean string, found bool) {
	clean = t
	if s != nil {
		clean = s.known.Replace(t)
	}
	clean, _ = redact.Text(clean)
	return clean, clean != t
}

// Value is a JSON value without secrets, and whether it had any. What it is given
// stays as it is.
func (s *Secrets) Value(v any) (clean any, found bool) {
	if s != nil {
		v, found = s.value(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return v, found
	}
	out, n, err := redact.JSON(b)
	if err != nil || n == 0 {
		return v, found
	}
	if clean, err = ReadJSON(out); err != nil {
		return nil, true // never what may hold a secret
	}
	return clean, true
}

// value replaces the known values in a JSON value.
func (s *Secrets) value(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		t := s.known.Replace(v)
		return t, t != v
	case []any:
		list, found := make([]any, len(v)), false
		for i := range v {
			item, hit := s.value(v[i])
			list[i], found = item, found || hit
		}
		return list, found
	case map[string]any:
		m, found := make(map[string]any, len(v)), false
		for k := range v {
			item, hit := s.value(v[k])
			name := s.known.Replace(k)
			m[name], found = item, found || hit || name != k
		}
		return m, found
	case nil, bool:
		return v, false
	}
	b, err := json.Marshal(v)
	if err != nil {
		return v, false
	}
	if t := s.known.Replace(string(b)); t != string(b) {
		return t, true
	}
	return v, false
}

// held is how many bytes at the end of a text may be the beginning of a known value
// that goes on in the next line.
func (s *Secrets) held(t []byte) int {
	n := 0
	if s == nil {
		return n
	}
	for _, v := range s.lines {
		for k := min(len(v)-1, len(t)); k > n; k-- {
			if string(t[len(t)-k:]) == v[:k] {
				n = k
				break
			}
		}
	}
	return n
}
