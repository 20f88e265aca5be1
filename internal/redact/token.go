package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// span is a place of a text and the kind of secret there; without a kind it is
// nothing.
type span struct {
	from, to int
	kind     string
}

// maxToken bounds a token, in bytes, so that no text makes the walk go over its
// parts again and again.
const maxToken = 8 << 10

// finders are the ways in which a token is found in a word.
var finders = [...]func(t *tables, s string, start, end int) span{(*tables).tokenAt, (*tables).tokenWithin, (*tables).azureDevOps, (*tables).tokenAround}

// tokenIn finds a vendor's token in a word, or one that begins in it.
func (t *tables) tokenIn(s string, start, end int) span {
	for _, find := range finders {
		if found := find(t, s, start, end); found.kind != "" {
			return found
		}
	}
	return span{}
}

// tokenAt finds a vendor's token that begins at start. end is the end of the word
// there; tokens with dots go on behind it.
func (t *tables) tokenAt(s string, start, end int) span {
	if start+1 >= len(s) || t.mayBe(s, start)&tokenBegins == 0 {
		return span{}
	}
	for i := t.byFirst.first[s[start]]; i > 0; i = t.byFirst.next[i] {
		v := &t.prefixes[i]
		if v.prefix[1] != s[start+1] || !strings.HasPrefix(s[start:], v.prefix) {
			continue
		}
		if stop := v.end(s, start, end); stop > 0 {
			return span{start, stop, v.kind}
		}
	}
	return span{}
}

// mayBe is a cheap look before a token or a command is looked for: at its first bytes.
func (t *tables) mayBe(s string, at int) uint8 {
	if at+2 >= len(s) {
		return tokenBegins
	}
	return *t.letters.at(s[at], s[at+1], s[at+2])
}

// end is where this vendor's token ends that begins at start with its prefix; 0 where
// there is none.
func (v *prefix) end(s string, start, end int) int {
	jwt := v.kind == "jwt"
	if jwt && !jwtHeader(s[start:end]) {
		return 0 // a header is looked at first: what follows may be long
	}
	from := start + len(v.prefix)
	stop := back(s, run(s, from, from+maxToken, v.chars), from, &dots) // without the end of a sentence
	body := s[from:stop]
	exactly := len(body) == v.least && stop >= end && some(body, &digit)
	switch {
	case len(body) < v.least, v.exact && !exactly:
		return 0
	case repeated(body), published(s[start:stop]): // ghp_xxxxxxxx shows the form only
		return 0
	case jwt && strings.Count(s[start:stop], ".") < 2:
		return 0
	}
	return stop
}

var dots = chars(".")

// within are what finds a token behind something else in a long word, by a byte in it:
// after a letter or a digit, as in coloured or percent-encoded text.
var within = [256]func(t *tables, s string, start, i, end int) span{'_': (*tables).joined, '-': (*tables).joined, 'A': (*tables).capitals, 'y': (*tables).jwtWithin}

func (t *tables) tokenWithin(s string, start, end int) span {
	if end-start < glued {
		return span{}
	}
	for i := start + 1; i < end; i++ {
		if find := within[s[i]]; find != nil {
			if found := find(t, s, start, i, end); found.kind != "" {
				return found
			}
		}
	}
	// Behind a colour, a percent-encoded character, an escape that nobody decoded.
	return t.tokenAt(s, max(start, undecoded(s, start, end)), end)
}

// joined finds a token whose prefix has its first _ or - at i, or that begins behind it.
func (t *tables) joined(s string, start, i, end int) (found span) {
	found = t.tokenOfJoint(s, start, i, end)
	if found.kind == "" && i+1 < end {
		found = t.tokenAt(s, i+1, end)
	}
	if found.kind == "" && i-start == 32 && like("mailchimp", s[start:end]) {
		return span{start, end, "mailchimp-key"}
	}
	return found
}

// tokenOfJoint finds a vendor's token whose prefix has its first _ or - at i.
func (t *tables) tokenOfJoint(s string, start, i, end int) span {
	if i-start < 3 || *t.letters.at(s[i-3], s[i-2], s[i-1])&jointFollows == 0 {
		return span{}
	}
	for n := t.byJoint.first[s[i-1]]; n > 0; n = t.byJoint.next[n] {
		v := &t.prefixes[n]
		if at := i - v.joint; at > start && strings.HasPrefix(s[at:end], v.prefix) {
			return t.tokenAt(s, at, end)
		}
	}
	return span{}
}

// capitals finds AKIA, ASIA and AIza.
func (t *tables) capitals(s string, _, i, end int) span {
	found := span{}
	if n := end - i; n >= 20 && startsWith(s[i:end], "AK", "AS", "AIzaSy") {
		found = t.tokenAt(s, i, end)
	}
	key := found.kind == "aws-key" && found.to == i+20
	if google := found.kind == "google-key" && end-i >= 39 && end-i <= 48; key || google {
		return found
	}
	return span{}
}

// jwtWithin finds the beginning of nearly every JSON web token: eyJhbGci, eyJ0eXAi.
func (t *tables) jwtWithin(s string, start, i, end int) span {
	if i-1 > start && s[i-1] == 'e' && startsWith(s[i:end], "yJhbGci", "yJ0eXAi") {
		return t.tokenAt(s, i-1, end)
	}
	return span{}
}

// undecoded is where a word begins behind the rest of an escape: the 32m of a
// colour, the 3D of %3D, the u001b of \u001b.
func undecoded(s string, start, end int) int {
	if start == 0 || !inEscape.has(s[start-1]) {
		return 0
	}
	return start - 1 + prefixLike("escape", s[start-1:end])
}

// inEscape are the bytes before the words that are the rest of an escape.
var inEscape = chars("%[;\\")

// tokenAround finds tokens whose parts are parted by dots and whose first part
// says little: Discord's, Airtable's, Terraform's.
func (t *tables) tokenAround(s string, start, end int) span {
	if after := byteAt(s, end); after != '~' && (after != '.' || end-start < 14) {
		return span{}
	}
	m := match{text: s}
	for i := range t.around {
		a, from := &t.around[i], start
		if a.back > 0 {
			from = max(start, end-a.back)
		}
		if m.at(a.form(), from, anywhere) {
			return span{from, m.to, a.kind}
		}
	}
	return span{}
}

// googleRefresh begins Google's refresh tokens; a word of 40 characters and more
// follows, which begins with 0.
const googleRefresh = "1//"

// azureDevOps finds a personal access token of Azure DevOps: 84 characters with a mark, or
// 52 of base 32, which say little, beside its name.
func (t *tables) azureDevOps(s string, start, end int) span {
	w := s[start:end]
	if len(w) != 84 && len(w) != 52 || !like("azdo", w) {
		return span{}
	}
	if len(w) == 52 && !(mixed(w) && like("azure", strings.ToLower(before(s, start, 128)+behind(s, end, 64)))) {
		return span{}
	}
	return span{start, end, "azure-token"}
}

// jwtHeader tells whether a word is the first part of a JSON web token: it
// decodes to an object that names an algorithm.
func jwtHeader(s string) bool {
	if len(s) > 4096 {
		return false
	}
	decoded, err := base64.RawURLEncoding.DecodeString(s)
	return err == nil && bytes.Contains(decoded, []byte(`"alg"`))
}

// kindOf is the vendor's kind where the value is a token, else the name's.
func kindOf(value, kind string) string {
	if t := table().tokenAt(value, 0, run(value, 0, len(value), &wordy)); t.kind != "" && t.to == len(value) {
		return t.kind
	}
	return kind
}

// glued is how long a word is that can hold a token behind another word.
const glued = 20
