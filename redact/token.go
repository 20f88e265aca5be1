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
	{"xoxe-", "slack-token", 10, wordy},
	{"xoxe.", "slack-token", 20, dotted},
	{"xoxc-", "slack-token", 10, wordy},
	{"xoxd-", "slack-token", 10, wordy},
	{"rk_prod_", "stripe-key", 10, wordy},
	{"glft-", "gitlab-token", 16, wordy},
	{"glsoat-", "gitlab-token", 16, wordy},
	{"glagent-", "gitlab-token", 16, wordy},
	{"gloas-", "gitlab-token", 16, wordy},
	{"GR1348941", "gitlab-token", 20, wordy},
	{"doo_v1_", "digitalocean-token", 40, hex},
	{"dor_v1_", "digitalocean-token", 40, hex},
	{"hvr.", "vault-token", 20, wordy},
	{"NRAK-", "newrelic-key", 27, upperDigit},
	{"NRJS-", "newrelic-key", 19, alnum},
	{"NRII-", "newrelic-key", 32, wordy},
	{"secret_", "notion-token", 43, alnum},
	{"dp.pt.", "doppler-token", 40, alnum},
	{"dp.st.", "doppler-token", 40, dotted},
	{"dp.ct.", "doppler-token", 40, alnum},
	{"dp.sa.", "doppler-token", 40, alnum},
	{"PMAK-", "postman-key", 50, wordy},
	{"sntrys_", "sentry-token", 60, base64ish},
	{"sntryu_", "sentry-token", 60, hex},
	{"tskey-", "tailscale-key", 20, wordy},
	{"pul-", "pulumi-token", 40, hex},
	{"lsv2_pt_", "langsmith-key", 32, wordy},
	{"lsv2_sk_", "langsmith-key", 32, wordy},
	{"bkua_", "buildkite-token", 40, hex},
	{"CCIPAT_", "circleci-token", 40, wordy},
	{"CCIPRJ_", "circleci-token", 40, wordy},
	{"key-", "mailgun-key", 32, exactHex},
	{"xkeysib-", "brevo-key", 64, wordy},
	{"xsmtpsib-", "brevo-key", 64, wordy},
	{"EZAK", "easypost-key", 54, alnum},
	{"EZTK", "easypost-key", 54, alnum},
	{"dt0c01.", "dynatrace-token", 60, dotted},
	{"dt0s16.", "dynatrace-token", 60, dotted},
	{"fm1_", "fly-token", 60, base64ish},
	{"fm2_", "fly-token", 60, base64ish},
	{"fo1_", "fly-token", 40, wordy},
	{"AKCp", "artifactory-key", 60, alnum},
	{"cmVmdGtuO", "artifactory-token", 50, alnum},
	{"cio", "crates-token", 32, exactAlnum},
	{"oy2", "nuget-key", 43, exactAlnum},
	{"sk.eyJ", "mapbox-token", 40, dotted},
	{"EAAAE", "square-token", 55, wordy},
	{"EAAAl", "square-token", 55, wordy},
	{"lin_oauth_", "linear-key", 30, alnum},
	{"figo_", "figma-token", 30, wordy},
	{"glc_", "grafana-token", 40, base64ish},
	{"nvapi-", "nvidia-key", 50, wordy},
	{"tvly-", "tavily-key", 24, wordy},
	{"pcsk_", "pinecone-key", 40, wordy},
	{"e2b_", "e2b-key", 40, hex},
	{"fc-", "firecrawl-key", 32, exactHex},
	{"rnd_", "render-key", 28, alnum},
	{"re_", "resend-key", 28, wordy},
	{"phx_", "posthog-key", 40, alnum},
	{"phc_", "posthog-key", 40, alnum},
	{"sb_secret_", "supabase-token", 20, wordy},
	{"ctx7sk-", "context7-key", 30, wordy},
	{"vcp_", "vercel-token", 40, alnum},
	{"hapi_", "hubspot-token", 30, wordy},
	{"pat-na1-", "hubspot-token", 36, wordy},
	{"pat-eu1-", "hubspot-token", 36, wordy},
	{"sgp_", "sourcegraph-token", 40, wordy},
	{"wandb_v1_", "wandb-key", 40, wordy},
	{"ATBB", "bitbucket-token", 28, exactAlnum},
	{"ATCTT3", "bitbucket-token", 60, base64ish},
	{"shpua_", "shopify-token", 32, hex},
	{"shpsb_", "shopify-token", 32, hex},
	{"pscale_oauth_", "planetscale-token", 30, wordy},
	{"p8e-", "panther-token", 32, wordy},
	{"ops_eyJ", "onepassword-token", 60, base64ish},
	{"SK", "twilio-key", 32, exactHex},
	{"eyJ", "jwt", 20, dotted},
}

// exactHex and exactAlnum are the alphabets of tokens whose length is fixed.
func exactHex(c byte) bool   { return digit(c) || c >= 'a' && c <= 'f' }
func exactAlnum(c byte) bool { return alnum(c) }

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
