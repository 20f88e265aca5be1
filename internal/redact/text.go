package redact

import "strings"

// passes bounds how often a text is looked at; only one that held secrets is
// looked at again.
const passes = 8

// clean goes over a walker's text until nothing more is found: what one secret
// hid may be one itself once that is gone.
func clean(as walker) (string, int) {
	found := 0
	for range passes {
		w := as
		w.walk()
		if w.found == 0 {
			break
		}
		found += w.found
		w.out.WriteString(w.text[w.copied:])
		as.text = w.out.String()
	}
	return as.text, found
}

func (w *walker) walk() {
	for s := w.text; ; {
		at := w.at
		for at < len(s) && class[s[at]] == other {
			at++
		}
		if w.at = at; at >= len(s) {
			return
		}
		c := class[s[at]]
		if c == word { // most are
			w.word()
			continue
		}
		switch c {
		case sign:
			if w.known {
				w.at++
				break
			}
			w.sign()
		case angle:
			from := w.at
			for w.at < len(s) && s[w.at] == '<' {
				w.at++
			}
			if w.at-from == 3 && !w.known {
				w.here(w.at - 1)
			}
		case dollar:
			w.crypt()
		case brace:
			w.bracket()
		}
	}
}

// word looks at a run of word characters.
func (w *walker) word() {
	s, start := w.text, w.at
	if start > 0 && s[start-1] == '\\' && strings.IndexByte("nrt", s[start]) >= 0 {
		start++ // an escape that nobody has decoded is no part of the word
	}
	end := start
	for end < len(s) && class[s[end]] == word {
		end++
	}
	w.at = max(end, w.at+1)
	if end-start < 2 {
		return
	}
	switch s[start] {
	case '-':
		if strings.HasPrefix(s[start:], "-----BEGIN") {
			w.privateKey(start)
			return
		}
		if !w.known {
			w.option(start, end)
		}
		if end-start < glued {
			return
		}
	case 'B':
		if !w.known && s[start:end] == "Bearer" {
			w.bearer(end)
			return
		}
	case 'P':
		if s[start:end] == "Private-Lines" {
			w.puttyKey(end)
			return
		}
	case '0':
		if end-start >= 40 && strings.HasSuffix(s[:start], googleRefresh) {
			w.replace(start-len(googleRefresh), end, "google-token")
			return
		}
	}
	var t span
	may := w.tables.mayBe(s, start)
	if may&tokenBegins != 0 {
		t = w.tables.tokenAt(s, start, end)
	}
	if t.kind == "" && end-start >= glued {
		t = w.tables.tokenWithin(s, start, end)
	}
	if t.kind == "" && azureDevOps(s, start, end) {
		t = span{start, end, "azure-token"}
	}
	after := byte('\n')
	if end < len(s) {
		after = s[end]
	}
	long := after == '.' && end-start >= 14 || after == '~' && end-start >= 4
	if t.kind == "" && long {
		t = dottedToken(s, start, end)
	}
	if t.kind != "" {
		w.replace(t.from, t.to, t.kind)
		return
	}
	if w.known {
		return
	}
	switch after {
	case ' ', '\t':
		if w.tables.mayBeSecret(s[start:end]) {
			w.spoken(start, end)
		}
		if may&commandBegins != 0 && s[start] >= 'A' {
			w.commandWord(start, end)
		}
	case '>':
		w.element(start, end)
	case '"', '\'', '`':
		w.quotedName(start, end)
	case '<':
		w.afterElement(start, end)
	case '(':
		w.called(start, end)
	case '\n':
		w.last(start, end)
	case '\\':
		if end+1 < len(s) && (s[end+1] == '"' || s[end+1] == '\'') {
			w.quotedName(start, end)
		}
	}
}

// last looks at a line's last word.
func (w *walker) last(start, end int) {
	switch w.text[start:end] {
	case "chpasswd":
		w.piped(end)
	case "Secret":
		w.manifest(start)
	}
}

// glued is how long a word is that can hold a token behind another word.
const glued = 20
