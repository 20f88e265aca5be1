package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
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

// tokenAt finds a vendor's token that begins at start. end is the end of the word
// there; tokens with dots go on behind it.
func (t *tables) tokenAt(s string, start, end int) span {
	if start+1 >= len(s) || t.mayBe(s, start)&tokenBegins == 0 {
		return span{}
	}
	second, third := s[start+1], byte(0)
	if start+2 < len(s) {
		third = s[start+2]
	}
	for i := t.byFirst[s[start]]; i > 0; i = t.prefixes[i].next {
		v := &t.prefixes[i]
		if p := v.prefix; p[1] != second || len(p) > 2 && p[2] != third {
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

// end is where this vendor's token ends that begins at start; 0 where there is
// none.
func (v *prefix) end(s string, start, end int) int {
	if !strings.HasPrefix(s[start:], v.prefix) || v.kind == "jwt" && !jwtHeader(s[start:end]) {
		return 0 // a header is looked at first: what follows may be long
	}
	from := start + len(v.prefix)
	stop := run(s, from, from+maxToken, v.chars)
	for stop > from && s[stop-1] == '.' {
		stop-- // the end of a sentence
	}
	body := s[from:stop]
	switch {
	case len(body) < v.least, strings.Trim(body, body[:1]) == "", published(s[start:stop]): // ghp_xxxxxxxx shows the form only
	case v.exact && (len(body) != v.least || stop < end || !hasDigit(body)):
	case v.kind == "jwt" && strings.Count(s[start:stop], ".") < 2:
	default:
		return stop
	}
	return 0
}

// telling are the bytes within a word at which a token may be found.
var telling = [256]bool{'_': true, '-': true, 'A': true, 'y': true}

// tokenWithin finds a token behind something else in a long word: after a letter
// or a digit, as in coloured or percent-encoded text.
func (known *tables) tokenWithin(s string, start, end int) span {
	for i := start + 1; i < end; i++ {
		if !telling[s[i]] {
			continue
		}
		var t span
		switch s[i] {
		case '_', '-':
			if at := known.jointAt(s, start, i, end); at >= 0 {
				t = known.tokenAt(s, at, end)
			}
			if t.kind == "" && i+1 < end {
				t = known.tokenAt(s, i+1, end)
			}
			if t.kind == "" && s[i] == '-' && i-start == 32 && mailchimp(s[start:end]) {
				t = span{start, end, "mailchimp-key"}
			}
		case 'A': // AKIA, ASIA, AIza
			if i+20 <= end && (s[i+1] == 'K' || s[i+1] == 'S') && s[i+2:i+4] == "IA" && (i+20 == end || !upperDigit(s[i+20])) {
				if t = known.tokenAt(s, i, end); t.kind != "aws-key" || t.to != i+20 {
					t = span{}
				}
			} else if strings.HasPrefix(s[i:end], "AIzaSy") && end-i >= 39 && end-i <= 48 {
				t = known.tokenAt(s, i, end)
			}
		case 'y': // eyJhbGci, eyJ0eXAi: the beginning of nearly every JSON web token
			if s[i-1] == 'e' && i-1 > start && (strings.HasPrefix(s[i:end], "yJhbGci") || strings.HasPrefix(s[i:end], "yJ0eXAi")) {
				t = known.tokenAt(s, i-1, end)
			}
		}
		if t.kind != "" {
			return t
		}
	}
	// Behind a colour, a percent-encoded character, an escape that nobody decoded.
	if i := undecoded(s, start, end); i > start {
		return known.tokenAt(s, i, end)
	}
	return span{}
}

// jointAt is where a vendor's token begins whose prefix has its first _ or -
// at i; -1 where there is none.
func (t *tables) jointAt(s string, start, i, end int) int {
	if i-start < 3 || *t.letters.at(s[i-3], s[i-2], s[i-1])&jointFollows == 0 {
		return -1
	}
	for n := t.byJoint[s[i-1]]; n > 0; n = t.prefixes[n].nextJoint {
		v := &t.prefixes[n]
		if at := i - v.joint; at > start && v.prefix[0] == s[at] && strings.HasPrefix(s[at:end], v.prefix) {
			return at
		}
	}
	return -1
}

// undecoded is where a word begins behind the rest of an escape: the 32m of a
// colour, the 3D of %3D, the u001b of \u001b.
func undecoded(s string, start, end int) int {
	if start == 0 {
		return -1
	}
	digits := 0
	switch s[start-1] {
	case '%':
		if hex(s[start]) && hex(s[start+1]) {
			return start + 2
		}
	case '[':
		digits = 12
	case ';':
		digits = 4
	case '\\':
		if s[start] == 'u' && end-start > 5 {
			return start + 5
		}
		if s[start] == 'x' && end-start > 3 {
			return start + 3
		}
	}
	if i := run(s, start, min(end, start+digits), digit); i > start && i < min(end, start+digits) && s[i] == 'm' {
		return i + 1
	}
	return -1
}

// dottedToken finds tokens whose parts are parted by dots and whose first part
// says little: Discord's, Airtable's, Terraform's.
func dottedToken(s string, start, end int) span {
	const atlas = ".atlasv1."
	first := s[start:end]
	long := func(from int, of alphabet) int { return run(s, from, from+256, of) - from }
	if strings.HasPrefix(s[end:], atlas) {
		if n := long(end+len(atlas), wordy); n >= 60 {
			return span{max(start, end-14), end + len(atlas) + n, "terraform-token"}
		}
	}
	switch {
	case s[end] == '~': // Entra: three characters, a digit, Q~
		if n := run(s, end+1, end+41, tilded) - end - 1; n >= 31 && strings.HasSuffix(first, "Q") && digit(s[end-2]) {
			return span{max(start, end-5), end + 1 + n, "azure-secret"}
		}
	case len(first) < 17:
	case strings.HasPrefix(s[end-17:end], "pat") && long(end+1, hex) == 64:
		return span{end - 17, end + 65, "airtable-token"}
	case strings.IndexByte("MNO", first[0]) >= 0 && len(first) >= 23 && len(first) <= 28:
		if n := long(end+1, wordy); (n == 6 || n == 7) && end+1+n < len(s) && s[end+1+n] == '.' {
			if m := long(end+2+n, wordy); m >= 27 && m <= 45 {
				return span{start, end + 2 + n + m, "discord-token"}
			}
		}
	}
	return span{}
}

// googleRefresh begins Google's refresh tokens; a word of 40 characters and more
// follows, which begins with 0.
const googleRefresh = "1//"

// azureDevOps tells whether a word is a personal access token of Azure DevOps: 84
// characters with a mark, or 52 of base 32, which say little, beside its name.
func azureDevOps(s string, start, end int) bool {
	switch w := s[start:end]; len(w) {
	case 84:
		return w[76:80] == "AZDO" && all(w, alnum)
	case 52:
		around := strings.ToLower(s[max(0, start-128):min(len(s), end+64)])
		named := slices.ContainsFunc(azureNames, func(name string) bool { return strings.Contains(around, name) })
		return named && mixed(w) && all(w, base32)
	}
	return false
}

var azureNames = []string{"azure", "devops", "visualstudio", "vsts"}

// mailchimp tells whether a word is a key of 32 hexadecimal digits and the name
// of a data centre.
func mailchimp(s string) bool {
	return (len(s) == 36 || len(s) == 37) && s[32:35] == "-us" && allDigits(s[35:]) && all(s[:32], lowerHex)
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

// basic tells whether a value is user:password in base64.
func basic(v string) bool {
	if len(v) < 8 || len(v) > 1024 {
		return false
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	printable := func(c byte) bool { return c >= 0x20 && c <= 0x7e }
	return err == nil && bytes.IndexByte(b, ':') >= 0 && all(string(b), printable)
}
