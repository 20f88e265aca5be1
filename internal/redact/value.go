package redact

import (
	"encoding/base64"
	"slices"
	"strings"
)

// repeated tells whether a text is one character again and again.
func repeated(s string) bool { return strings.Trim(s, s[:1]) == "" }

// marked tells whether something was taken out of a value.
func marked(v string) bool { return strings.Contains(v, markBegin) }

// published tells whether a token is known to everybody: the examples in the
// documentation of vendors, the keys of their emulators.
func published(v string) bool { return like("published", v) || documented(v) }

func documented(v string) bool { return len(v) >= 16 && strings.Contains(publishedValues, v) }

const publishedValues = `4eC39HqLyjWDarjtT1zdp7dc BQokikJOvBiI2HlWgH4olfQ2 SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ
	Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==`

var notASCII = chars("\x80-\xff")

// parameterName tells whether a value is a parameter of SQL or of a route.
func parameterName(v string) bool {
	name, ok := meant("parameter", v)
	return ok && !random(name)
}

// alternatives tells whether a value lists words: required|string|min:8.
func alternatives(v string) bool {
	notWord := func(w string) bool {
		w, _, _ = strings.Cut(strings.TrimSpace(w), ":")
		return w == "" || !all(w, &wordy) || random(w)
	}
	return strings.Contains(v, "|") && !slices.ContainsFunc(strings.Split(v, "|"), notWord)
}

var inPath = chars("A-Za-z0-9_/\\.~:@* ()-")

// secretPart tells whether a part of a path, of so many bytes at the least, may be a secret
// or a part of one that has a slash.
func secretPart(v string, least int) bool {
	secret := func(part string) bool {
		return len(part) >= least && random(part) && !strings.ContainsAny(part, "-.")
	}
	return slices.ContainsFunc(strings.FieldsFunc(v, func(c rune) bool { return c == '/' || c == '\\' }), secret)
}

// typeName tells whether a value reads like a name of a program's type:
// Uint8Array, Base64String, SHA256Hash.
func typeName(v string) bool {
	if len(v) < 4 || len(v) > 64 || !all(strings.TrimSuffix(v, "[]"), &alnum) {
		return false
	}
	words, rest := 0, strings.TrimSuffix(v, "[]")
	for begins := letter; rest != ""; begins = capital {
		part := rest[:run(rest, 0, len(rest), &digit)]
		switch {
		case part != "" && !listed("size", part):
			return false
		case part == "":
			stop := run(rest, run(rest, 1, len(rest), &capital), len(rest), &small)
			if part = rest[:stop]; !begins.has(part[0]) || !pronounced(part) {
				return false
			}
			words++
		}
		rest = rest[len(part):]
	}
	return words >= 2 || words == 1 && some(v, &digit) && listed("typed", strings.ToLower(v[:3]))
}

// pronounced tells whether letters may be a word of a type's name.
func pronounced(s string) bool {
	return len(s) >= 3 && (len(s) <= 4 || strings.ContainsAny(s, "aeiouyAEIOUY"))
}

func spokenWord(word string) bool { return listed("prose", strings.ToLower(word)) }

// prose tells whether a value reads like a sentence.
func prose(v string) bool {
	if !strings.Contains(v, " ") {
		return false
	}
	words := strings.Fields(v)
	switch {
	case len(words) > 24, strings.HasSuffix(v, ":"):
		return true
	case len(words) == 2:
		return spokenWord(words[1]) || len(words[0]) > 2 && spokenWord(words[0])
	}
	return len(words) > 2 && slices.ContainsFunc(words, func(w string) bool { return spokenWord(strings.Trim(w, ".,:;!?'\"()")) })
}

// secretRest tells whether a path of identifiers ends in the name of a secret:
// rotated1.ClientSecret.
func secretRest(v string) bool {
	first, rest, _ := strings.Cut(v, ".")
	return !random(first) && meaningOf(split(rest)).level > 0
}

// hookPart tells whether a part of a path may be the secret of a webhook.
func hookPart(v string) bool {
	secret := func(part string) bool { return len(part) >= 16 && some(part, &digit) }
	return slices.ContainsFunc(strings.Split(v, "/"), secret)
}

// mixed tells whether a value has letters and digits, as passwords do and
// words do not.
func mixed(v string) bool { return some(v, &digit) && some(v, &letter) }

// random tells whether a value looks generated: between letters of one case,
// capitals and digits it changes more often than words of any language do.
func random(v string) bool {
	if len(v) < 8 {
		return false
	}
	letters, pieces := 0, 0
	for i := range len(v) {
		if !letter.has(v[i]) {
			continue
		}
		letters++
		if !letter.has(byteAt(v, i-1)) || hump(v, i) {
			pieces++
		}
	}
	if !some(v, &digit) {
		return letters >= 16 && letters*10 < pieces*26
	}
	return letters > 0 && letters*10 < pieces*27
}

// hasSymbol tells whether a character that words do not have stands in a value.
func hasSymbol(v string) bool { return len(v) > 2 && strings.ContainsAny(v[1:len(v)-1], "!@#$%^&*+=") }

// basic tells whether a value is user:password in base64.
func basic(v string) bool {
	if len(v) < 8 || len(v) > 1024 {
		return false
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && strings.Contains(string(b), ":") && all(string(b), &printable)
}

// mark is what stands in a secret's place.
func mark(kind string) string { return markBegin + kind + "]" }

const markBegin = "[REDACTED:"

// maxMark is how long a mark is at the most, in bytes.
const maxMark = 48
