package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// alphabet says which characters a token has behind its prefix.
type alphabet func(c byte) bool

func upperDigit(c byte) bool { return c >= 'A' && c <= 'Z' || digit(c) }
func digit(c byte) bool      { return c >= '0' && c <= '9' }
func letter(c byte) bool     { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func alnum(c byte) bool      { return letter(c) || digit(c) }
func wordy(c byte) bool      { return class[c] == word }
func hex(c byte) bool        { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func base64ish(c byte) bool  { return alnum(c) || strings.IndexByte("+/=_-", c) >= 0 }
func dotted(c byte) bool     { return wordy(c) || c == '.' }

// vendor is a token that is known by its prefix.
type vendor struct {
	prefix string
	kind   string
	least  int // characters behind the prefix
	chars  alphabet
}

// vendors are the prefixes that vendors publish for their tokens.
var vendors = []vendor{
	{"AKIA", "aws-key", 16, upperDigit},
	{"ABIA", "aws-key", 16, upperDigit},
	{"ACCA", "aws-key", 16, upperDigit},
	{"ASIA", "aws-key", 16, upperDigit},
	{"AIza", "google-key", 30, wordy},
	{"ya29.", "google-token", 20, dotted},
	{"ghp_", "github-token", 20, alnum},
	{"gho_", "github-token", 20, alnum},
	{"ghu_", "github-token", 20, alnum},
	{"ghs_", "github-token", 20, alnum},
	{"ghr_", "github-token", 20, alnum},
	{"github_pat_", "github-token", 20, wordy},
	{"glpat-", "gitlab-token", 16, wordy},
	{"gldt-", "gitlab-token", 16, wordy},
	{"glrt-", "gitlab-token", 16, wordy},
	{"glptt-", "gitlab-token", 16, wordy},
	{"glcbt-", "gitlab-token", 16, wordy},
	{"GOCSPX-", "google-secret", 20, wordy},
	{"shpat_", "shopify-token", 32, hex},
	{"shpca_", "shopify-token", 32, hex},
	{"shppa_", "shopify-token", 32, hex},
	{"shpss_", "shopify-token", 32, hex},
	{"dckr_pat_", "docker-token", 20, wordy},
	{"lin_api_", "linear-key", 30, alnum},
	{"figd_", "figma-token", 30, wordy},
	{"nfp_", "netlify-token", 30, alnum},
	{"rubygems_", "rubygems-key", 40, hex},
	{"sbp_", "supabase-token", 40, hex},
	{"pscale_pw_", "planetscale-password", 30, wordy},
	{"pscale_tkn_", "planetscale-token", 30, wordy},
	{"ntn_", "notion-token", 40, alnum},
	{"gsk_", "groq-key", 40, alnum},
	{"xai-", "xai-key", 60, alnum},
	{"pplx-", "perplexity-key", 40, alnum},
	{"r8_", "replicate-token", 35, alnum},
	{"dapi", "databricks-token", 32, hex},
	{"ATATT3", "atlassian-token", 60, base64ish},
	{"sq0atp-", "square-token", 20, wordy},
	{"sq0csp-", "square-secret", 40, wordy},
	{"xapp-", "slack-token", 20, wordy},
	{"sk-or-v1-", "openrouter-key", 60, hex},
	{"sk-svcacct-", "openai-key", 20, wordy},
	{"sk-admin-", "openai-key", 20, wordy},
	{"hvb.", "vault-token", 20, wordy},
	{"glsa_", "grafana-token", 30, wordy},
	{"tskey-auth-", "tailscale-key", 16, wordy},
	{"xoxb-", "slack-token", 10, wordy},
	{"xoxa-", "slack-token", 10, wordy},
	{"xoxp-", "slack-token", 10, wordy},
	{"xoxr-", "slack-token", 10, wordy},
	{"xoxs-", "slack-token", 10, wordy},
	{"sk_live_", "stripe-key", 10, wordy},
	{"sk_test_", "stripe-key", 10, wordy},
	{"rk_live_", "stripe-key", 10, wordy},
	{"rk_test_", "stripe-key", 10, wordy},
	{"whsec_", "stripe-key", 20, base64ish},
	{"sk-ant-", "anthropic-key", 16, wordy},
	{"sk-proj-", "openai-key", 16, wordy},
	{"sk-", "openai-key", 32, alnum},
	{"npm_", "npm-token", 30, alnum},
	{"pypi-", "pypi-token", 40, wordy},
	{"hf_", "huggingface-token", 30, alnum},
	{"SG.", "sendgrid-key", 40, dotted},
	{"dop_v1_", "digitalocean-token", 40, hex},
	{"hvs.", "vault-token", 20, wordy},
	{"AGE-SECRET-KEY-1", "age-key", 40, upperDigit},
	{"eyJ", "jwt", 20, dotted},
}

// byFirst finds the vendors by a word's first byte.
var byFirst = func() (t [256][]vendor) {
	for _, v := range vendors {
		t[v.prefix[0]] = append(t[v.prefix[0]], v)
	}
	return t
}()

// maxToken and maxKey bound a token and a private key, in bytes, so that no
// text makes the walk go over its parts again and again.
const (
	maxToken = 8 << 10
	maxKey   = 32 << 10
)

// token tells whether a vendor's token begins at start, and where it ends. end
// is the end of the word there; tokens with dots go on behind it.
func token(s string, start, end int) (kind string, stop int) {
	for _, v := range byFirst[s[start]] {
		if !strings.HasPrefix(s[start:], v.prefix) {
			continue
		}
		if v.kind == "jwt" && !jwtHeader(s[start:end]) {
			continue // looked at first: what follows may be long
		}
		from := start + len(v.prefix)
		stop := from
		for most := min(len(s), from+maxToken); stop < most && v.chars(s[stop]); stop++ {
		}
		for stop > from && s[stop-1] == '.' {
			stop-- // the end of a sentence
		}
		if stop-from < v.least || stop < min(end, from+maxToken) {
			continue
		}
		if v.kind == "jwt" && strings.Count(s[start:stop], ".") < 2 {
			continue
		}
		return v.kind, stop
	}
	return "", 0
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

// privateKey takes a PEM block out, whole or cut off; its line breaks may be
// escapes that nobody has decoded.
func (w *walker) privateKey(start int) {
	s := w.text[start:min(len(w.text), start+maxKey)]
	head := s[:min(len(s), 80)]
	i := strings.Index(head, "PRIVATE KEY")
	if i < 0 {
		return
	}
	rest := s[i+len("PRIVATE KEY"):]
	end := strings.Index(rest, "-----END")
	if end >= 0 {
		tail := rest[end+len("-----END"):]
		for _, last := range []string{"KEY-----", "KEY BLOCK-----"} {
			stop := strings.Index(tail[:min(len(tail), 80)], last)
			if stop >= 0 && keyBody(rest[:end]) == end {
				w.replace(start, start+i+len("PRIVATE KEY")+end+len("-----END")+stop+len(last), "private-key")
				return
			}
		}
	}
	if strings.HasPrefix(rest, " BLOCK") { // PGP's
		i, rest = i+len(" BLOCK"), rest[len(" BLOCK"):]
	}
	if n := cutOff(rest); n > 16 {
		w.replace(start, start+i+len("PRIVATE KEY")+n, "private-key")
	}
}

// cutOff is how far s looks like a PEM block without an end: whole lines of
// base64, the last of which may be short.
func cutOff(s string) int {
	n := 0
	for first := true; n < len(s); first = false {
		end := n
		for end < len(s) && (base64ish(s[end]) || s[end] == '\\' && !strings.HasPrefix(s[end:], `\n`) && !strings.HasPrefix(s[end:], `\r`)) {
			end++
		}
		if !first && end-n < 16 && end < len(s) {
			return n
		}
		n = end
		begin := n
		for n < len(s) && (s[n] == '\n' || s[n] == '\r' || strings.HasPrefix(s[n:], `\n`) || strings.HasPrefix(s[n:], `\r`)) {
			if s[n] == '\\' {
				n++
			}
			n++
		}
		if n == begin {
			return n
		}
	}
	return n
}

// keyBody is how far s looks like the inside of a PEM block, headers
// ("Proc-Type: 4,ENCRYPTED") included.
func keyBody(s string) int {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !base64ish(c) && strings.IndexByte(" \t\r\n\\:,.", c) < 0 {
			return i
		}
		if strings.HasPrefix(s[i:], "-----END") {
			return i
		}
	}
	return len(s)
}
