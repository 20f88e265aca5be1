package action

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/redact"
)

// Secrets takes secrets out of what a run keeps and shows: values that are known,
// however they are quoted or encoded, and all that package redact finds. The nil
// Secrets knows no values.
type Secrets struct {
	forms []string // what is looked for in a text and in what it decodes to; blanks stand for +
	tight []string // the forms without blanks
	lines []string // the values that span lines
	wide  int      // bytes that a form takes in a text at the most
}

// taken stands for a known value.
const taken = "[REDACTED:env]"

// around is how much of what was written is looked at again together with what
// follows: a secret may begin there, or the words that tell of one.
const around = 4 << 10

// minSecret is the length of the shortest value that is looked for: a shorter one
// would be found in every other word.
const minSecret = 4

// NewSecrets knows these values.
func NewSecrets(values ...string) *Secrets {
	s := &Secrets{}
	for _, v := range values {
		v = strings.TrimSpace(v)
		if len(v) < minSecret {
			continue
		}
		s.forms = append(append(s.forms, v), encoded(v)...)
		if strings.Contains(v, "\n") {
			s.lines = append(s.lines, v)
		}
		for line := range strings.SplitSeq(v, "\n") {
			if line = strings.TrimSpace(line); len(line) >= 2*minSecret {
				s.forms = append(s.forms, line)
			}
		}
	}
	for _, v := range s.forms { // what looks like an escape in a value is decoded with those around it
		for d, more := undecoded(v).decode(); more && len(d.text) >= minSecret; d, more = d.decode() {
			s.forms = append(s.forms, d.text)
		}
	}
	for i := range s.forms {
		s.forms[i] = strings.ReplaceAll(s.forms[i], "+", " ")
	}
	slices.Sort(s.forms)
	s.forms = slices.Compact(s.forms)
	s.tight = tight(s.forms)
	for _, f := range s.tight {
		s.wide = max(s.wide, 8*len(f)) // as escapes with blanks between them
	}
	return s
}

// encoded is a value in hexadecimal, and in the three ways in which base64 has it inside
// a longer text, as in user:password, without the letters that also depend on what
// stands around it.
func encoded(v string) []string {
	digits := hex.EncodeToString([]byte(v))
	forms := []string{digits, strings.ToUpper(digits)}
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
	clean, _ = redact.Text(s.replace(t))
	return clean, clean != t
}

// in tells whether a known value stands in a text, as it is, in base64 or in hexadecimal.
// It takes a hundredth of the time of replace, which decodes the text as well.
func (s *Secrets) in(t string) bool {
	if s == nil {
		return false
	}
	t = strings.ReplaceAll(t, "+", " ") // as in the forms
	return slices.ContainsFunc(s.forms, func(form string) bool { return strings.Contains(t, form) })
}

// replace takes the known values out of a text. They are looked for in the text and in
// what is left when its escapes are decoded, once and again.
func (s *Secrets) replace(t string) string {
	if s == nil || len(s.forms) == 0 {
		return t
	}
	var places [][2]int
	for d, more := undecoded(t), true; more; d, more = d.decode() {
		places = findTight(s.tight, s.find(places, d), d)
	}
	places = findDumped(s.tight, places, t)
	if len(places) == 0 {
		return t
	}
	slices.SortFunc(places, func(a, b [2]int) int { return a[0] - b[0] })
	var out strings.Builder
	copied := 0
	for i := 0; i < len(places); {
		from, to := places[i][0], places[i][1]
		for i++; i < len(places) && places[i][0] < to; i++ {
			to = max(to, places[i][1])
		}
		out.WriteString(t[copied:from])
		out.WriteString(taken)
		copied = to
	}
	out.WriteString(t[copied:])
	return out.String()
}

// find adds the places in the text as it came at which a known value stands.
func (s *Secrets) find(places [][2]int, d decoding) [][2]int {
	text := strings.ReplaceAll(d.text, "+", " ")
	for _, f := range s.forms {
		for at := 0; ; {
			i := strings.Index(text[at:], f)
			if i < 0 {
				break
			}
			from := at + i
			at = from + len(f)
			places = append(places, [2]int{d.place(from), d.place(at)})
		}
	}
	return places
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
		t := s.replace(v)
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
			name := s.replace(k)
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
	if t := s.replace(string(b)); t != string(b) {
		return t, true
	}
	return v, false
}

// held is how many bytes at the end of a text may be the beginning of a known value
// that goes on in the next line.
func (s *Secrets) held(t string) int {
	if s == nil || len(s.forms) == 0 {
		return 0
	}
	n := begun(s.tight, t[max(0, len(t)-around-s.wide):])
	for _, v := range s.lines {
		for k := min(len(v)-1, len(t)); k > n; k-- {
			if t[len(t)-k:] == v[:k] {
				n = k
				break
			}
		}
	}
	return n
}
