package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// exact are the kinds whose tokens have one length, because their prefix alone
// says little.
var exact = map[string]bool{"mailgun-key": true, "crates-token": true, "nuget-key": true, "firecrawl-key": true, "twilio-key": true, "bitbucket-token": true}

// joint is a prefix and where its first _ or - or . stands.
type joint struct {
	prefix string
	at     int
}

// byFirst finds the vendors by a word's first byte, byJoint by the byte before
// the first _ or - or . of their prefix.
var (
	byFirst = func() (t [256][]vendor) {
		for _, v := range vendors {
			t[v.prefix[0]] = append(t[v.prefix[0]], v)
		}
		return t
	}()
	byJoint = func() (t [256][]joint) {
		for _, v := range vendors {
			if i := strings.IndexAny(v.prefix, "_-."); i > 1 && !exact[v.kind] && v.prefix != "sk-" && v.prefix != "re_" && v.prefix != "secret_" {
				t[v.prefix[i-1]] = append(t[v.prefix[i-1]], joint{v.prefix, i})
			}
		}
		return t
	}()
)

// maxToken and maxKey bound a token and a private key, in bytes, so that no
// text makes the walk go over its parts again and again.
const (
	maxToken = 8 << 10
	maxKey   = 32 << 10
)

// beginnings has a bit for the first two bytes of each prefix.
var beginnings = func() (t [1 << 16 / 64]uint64) {
	for _, v := range vendors {
		n := uint(v.prefix[0])<<8 | uint(v.prefix[1])
		t[n/64] |= 1 << (n % 64)
	}
	return t
}()

func mayBegin(a, b byte) bool {
	n := uint(a)<<8 | uint(b)
	return beginnings[n/64]&(1<<(n%64)) != 0
}

// telling are the bytes within a word at which a token may be found.
var telling = [256]bool{'_': true, '-': true, 'A': true, 'y': true}

// token tells whether a vendor's token begins at start, and where it ends. end
// is the end of the word there; tokens with dots go on behind it.
func token(s string, start, end int) (kind string, stop int) {
	if start+1 >= len(s) || !mayBegin(s[start], s[start+1]) {
		return "", 0
	}
	list, second, third := byFirst[s[start]], s[start+1], byte(0)
	if start+2 < len(s) {
		third = s[start+2]
	}
	for i := range list {
		if p := list[i].prefix; len(p) > 1 && p[1] != second || len(p) > 2 && p[2] != third {
			continue
		}
		if kind, stop := list[i].at(s, start, end); kind != "" {
			return kind, stop
		}
	}
	return "", 0
}

// at tells whether this vendor's token begins at start.
func (v *vendor) at(s string, start, end int) (kind string, stop int) {
	if !strings.HasPrefix(s[start:], v.prefix) {
		return "", 0
	}
	if v.kind == "jwt" && !jwtHeader(s[start:end]) {
		return "", 0 // looked at first: what follows may be long
	}
	from := start + len(v.prefix)
	stop = from
	for most := min(len(s), from+maxToken); stop < most && v.chars(s[stop]); stop++ {
	}
	for stop > from && s[stop-1] == '.' {
		stop-- // the end of a sentence
	}
	if stop-from < v.least || exact[v.kind] && (stop-from != v.least || stop < end || !hasDigit(s[from:stop])) || sampleOf(s[from:stop]) {
		return "", 0
	}
	if v.kind == "jwt" && strings.Count(s[start:stop], ".") < 2 {
		return "", 0
	}
	return v.kind, stop
}

// sampleOf tells whether what stands behind a prefix only shows a token's form:
// ghp_xxxxxxxx.
func sampleOf(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			return false
		}
	}
	return true
}

// within looks for a token behind something else in a long word: after a letter
// or a digit, as in coloured or percent-encoded text.
func (w *walker) within(start, end int) bool {
	s := w.text
	for i := start + 1; i < end; i++ {
		if !telling[s[i]] {
			continue
		}
		switch s[i] {
		case '_', '-':
			if v := jointAt(s, start, i, end); v > 0 && w.tokenAt(v, end) {
				return true
			}
			if kind, stop := token(s, min(i+1, end-1), end); kind != "" && i+1 < end {
				w.replace(i+1, stop, kind)
				return true
			}
			if s[i] == '-' && i-start == 32 && mailchimp(s[start:end]) {
				w.replace(start, end, "mailchimp-key")
				return true
			}
		case 'A': // AKIA, ASIA, AIza
			if i+20 <= end && s[i+1] != 'A' && (s[i+1] == 'K' || s[i+1] == 'S') && s[i+2:i+4] == "IA" && (i+20 == end || !upperDigit(s[i+20])) {
				if kind, stop := token(s, i, end); kind == "aws-key" && stop == i+20 {
					w.replace(i, stop, kind)
					return true
				}
			}
			if strings.HasPrefix(s[i:end], "AIzaSy") && end-i >= 39 && end-i <= 48 {
				if kind, stop := token(s, i, end); kind != "" {
					w.replace(i, stop, kind)
					return true
				}
			}
		case 'y': // eyJhbGci, eyJ0eXAi: the beginning of nearly every JSON web token
			if s[i-1] == 'e' && i-1 > start && (strings.HasPrefix(s[i:end], "yJhbGci") || strings.HasPrefix(s[i:end], "yJ0eXAi")) && w.tokenAt(i-1, end) {
				return true
			}
		}
	}
	// Behind a colour, a percent-encoded character, an escape that nobody decoded.
	if i := undecoded(s, start, end); i > start && w.tokenAt(i, end) {
		return true
	}
	return false
}

func (w *walker) tokenAt(i, end int) bool {
	kind, stop := token(w.text, i, end)
	if kind != "" {
		w.replace(i, stop, kind)
	}
	return kind != ""
}

// jointAt is where a vendor's token begins whose prefix has its first _ or -
// at i; -1 where there is none.
func jointAt(s string, start, i, end int) int {
	for _, v := range byJoint[s[i-1]] {
		if at := i - v.at; at >= start && v.prefix[0] == s[at] && strings.HasPrefix(s[at:end], v.prefix) {
			return at
		}
	}
	return -1
}

// undecoded is where a word begins behind the rest of an escape: the 32m of a
// colour, the 3D of %3D, the u001b of \u001b.
func undecoded(s string, start, end int) int {
	if start > 0 {
		switch s[start-1] {
		case '%':
			if hex(s[start]) && hex(s[start+1]) {
				return start + 2
			}
		case '[':
			for i := start; i < end && i < start+12; i++ {
				if s[i] == 'm' && i > start {
					return i + 1
				}
				if !digit(s[i]) {
					break
				}
			}
		case ';':
			for i := start; i < end && i < start+4; i++ {
				if s[i] == 'm' && i > start {
					return i + 1
				}
				if !digit(s[i]) {
					break
				}
			}
		case '\\':
			if s[start] == 'u' && end-start > 5 {
				return start + 5
			}
			if s[start] == 'x' && end-start > 3 {
				return start + 3
			}
		}
	}
	return -1
}

// dottedToken looks for tokens whose parts are parted by dots and whose first
// part says little: Discord's, Airtable's, Terraform's.
func (w *walker) dottedToken(start, end int) bool {
	s := w.text
	run := func(at int, ok alphabet) int {
		n := 0
		for at+n < len(s) && n < 256 && ok(s[at+n]) {
			n++
		}
		return n
	}
	first := s[start:end]
	if strings.HasPrefix(s[end:], ".atlasv1.") {
		if n := run(end+len(".atlasv1."), wordy); n >= 60 {
			w.replace(max(start, end-14), end+len(".atlasv1.")+n, "terraform-token")
			return true
		}
	}
	if len(first) < 17 {
		return false
	}
	if strings.HasPrefix(first, "pat") && len(first) == 17 || len(first) >= 17 && strings.HasPrefix(s[max(start, end-17):end], "pat") {
		if run(end+1, hex) == 64 {
			w.replace(end-17, end+65, "airtable-token")
			return true
		}
	}
	if strings.IndexByte("MNO", first[0]) >= 0 && len(first) >= 23 && len(first) <= 28 {
		if n := run(end+1, wordy); (n == 6 || n == 7) && end+1+n < len(s) && s[end+1+n] == '.' {
			if m := run(end+2+n, wordy); m >= 27 && m <= 45 {
				w.replace(start, end+2+n+m, "discord-token")
				return true
			}
		}
	}
	return false
}

// mailchimp tells whether a word is a key of 32 hexadecimal digits and the name
// of a data centre.
func mailchimp(s string) bool {
	if len(s) < 36 || len(s) > 37 || s[32:35] != "-us" || !allDigits(s[35:]) {
		return false
	}
	for i := range 32 {
		if !exactHex(s[i]) {
			return false
		}
	}
	return true
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
