package redact

import "strings"

// passes bounds how often a text is looked at; only one that held secrets is
// looked at again.
const passes = 8

// clean goes over a text until nothing more is found: what one secret
// hid may be one itself once that is gone.
func (w *walker) clean(text string) (string, int) {
	found := 0
	for range passes {
		*w = walker{reader: w.reader, known: w.known, text: text}
		w.walk()
		if w.found == 0 {
			break
		}
		found += w.found
		w.out.WriteString(text[w.copied:])
		text = w.out.String()
	}
	return text, found
}

// looks are what the walk does at a byte of a class.
var looks = [...]func(w *walker){ofName: (*walker).sign, angle: (*walker).angle, dollar: (*walker).crypt, brace: (*walker).bracket}

func (w *walker) walk() {
	for {
		for w.at < len(w.text) && class[w.text[w.at]] == other {
			w.at++
		}
		if w.at >= len(w.text) {
			return
		}
		c := class[w.text[w.at]]
		if c == ofWord { // most are
			w.word()
			continue
		}
		looks[c](w)
	}
}

func (w *walker) angle() {
	from := w.at
	w.at = run(w.text, from, len(w.text), &angles)
	if w.at-from == 3 && !w.known {
		w.here(w.at - 1)
	}
}

var angles = chars("<")

// word looks at a run of word characters.
func (w *walker) word() {
	s, start := w.text, w.at
	if start > 0 && s[start-1] == '\\' && strings.IndexByte("nrt", s[start]) >= 0 {
		start++ // an escape that nobody has decoded is not part of the word
	}
	end := start
	for end < len(s) && class[s[end]] == ofWord {
		end++
	}
	w.at = max(end, w.at+1)
	if end-start < 2 || announces.has(s[start]) && w.announced(start, end) {
		return
	}
	after := byteAt(s, end)
	w.may = w.tables.mayBe(s, start)
	if w.may&tokenBegins != 0 || inToken.has(after) || end-start >= glued {
		if t := w.tables.tokenIn(s, start, end); t.kind != "" {
			w.replace(t.from, t.to, t.kind)
			return
		}
	}
	if w.known {
		return
	}
	if places := next[after]; places != "" && w.tables.mayBeSecret(s[start:end]) {
		w.named(places, start, end)
	}
	if w.may&commandBegins != 0 && !w.beside(s[start:end], start, end, meaning{}) && behindStore.has(after) {
		w.store(start, end)
	}
}

// next is what places.txt calls the name of a secret, by the byte behind it.
var next = [256]string{' ': "name_", '\t': "name_", '>': "name>", '<': "name<", '"': "name\"", '\'': "name\"", '`': "name\"", '\\': "name\""}

var (
	// announces are the first bytes of words behind which a secret stands in any text.
	announces = chars("PS0-")
	// lineEnds are a line's end and the text's.
	lineEnds = chars("\n\x00")
	// inToken are the bytes around which tokens are known.
	inToken = chars(".~")
)

// announced looks at words behind which a secret stands in any text; false where the
// word itself is still to be looked at.
func (w *walker) announced(start, end int) bool {
	s := w.text
	switch word := s[start:end]; {
	case strings.HasPrefix(word, "-----BEGIN"):
		w.privateKey(start)
	case word[0] == '-':
		if !w.known {
			w.option(start, end)
		}
		return len(word) < glued
	case word == "Secret" && !w.known && lineEnds.has(byteAt(s, end)):
		w.manifest(start)
	case word == "Private-Lines":
		w.puttyKey(end)
	case len(word) >= 40 && word[0] == '0' && strings.HasSuffix(s[:start], googleRefresh):
		w.replace(start-len(googleRefresh), end, "google-token")
	default:
		return false
	}
	return true
}
