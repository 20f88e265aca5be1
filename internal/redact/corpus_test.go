package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The corpus: texts and JSON in the forms that agents' work has them, once with
// secrets and once without. Every second line is kept back: rules are tuned on
// the others, and CORPUS=1 names only those that fail there. CORPUS=all names
// every line.

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	hexa    = "0123456789abcdef"
	alnums  = lower + upper + digits
	b64std  = alnums + "+/"
	b64url  = alnums + "-_"
	crock   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	lowalno = lower + digits
)

// A filler makes values of each kind, the same ones in every run.
type filler struct{ r *rand.Rand }

func (f filler) of(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[f.r.IntN(len(set))]
	}
	return string(b)
}

// mixed is of(alnums, n) with at least one letter of each case and a digits.
func (f filler) mixed(set string, n int) string {
	return f.of(set, n-3) + f.of(lower, 1) + f.of(upper, 1) + f.of(digits, 1)
}

var someWords = strings.Fields("correct horse battery staple window river orange matrix silent copper garden violet anchor pepper")

func (f filler) word() string { return someWords[f.r.IntN(len(someWords))] }

// A kind is written as parts so that this file holds no text in the form of a token.
var kinds = map[string]func(f filler) string{
	"awsid":     func(f filler) string { return "AK" + "IA" + f.of(crock, 16) },
	"awssecret": func(f filler) string { return f.mixed(b64std, 40) },
	"ghp":       func(f filler) string { return "gh" + "p_" + f.mixed(alnums, 36) },
	"gho":       func(f filler) string { return "gh" + "o_" + f.mixed(alnums, 36) },
	"ghs":       func(f filler) string { return "gh" + "s_" + f.mixed(alnums, 36) },
	"ghpat":     func(f filler) string { return "github" + "_pat_" + f.mixed(alnums, 22) + "_" + f.mixed(alnums, 59) },
	"glpat":     func(f filler) string { return "gl" + "pat-" + f.mixed(b64url, 20) },
	"slackbot": func(f filler) string {
		return "xo" + "xb-" + f.of(digits, 12) + "-" + f.of(digits, 12) + "-" + f.mixed(alnums, 24)
	},
	"slackuser": func(f filler) string {
		return "xo" + "xp-" + f.of(digits, 12) + "-" + f.of(digits, 12) + "-" + f.of(hexa, 32)
	},
	"slackapp": func(f filler) string {
		return "xa" + "pp-1-A" + f.of(upper+digits, 10) + "-" + f.of(digits, 13) + "-" + f.of(hexa, 64)
	},
	"slackhook": func(f filler) string {
		return "T" + f.of(upper+digits, 10) + "/B" + f.of(upper+digits, 10) + "/" + f.mixed(alnums, 24)
	},
	"openai": func(f filler) string {
		return "sk-" + "proj-" + f.mixed(b64url, 74) + "T3Blbk" + "FJ" + f.mixed(b64url, 74)
	},
	"openaiold": func(f filler) string { return "sk-" + f.mixed(alnums, 20) + "T3Blbk" + "FJ" + f.mixed(alnums, 20) },
	"anthropic": func(f filler) string { return "sk-" + "ant-api03-" + f.mixed(b64url, 93) + "AA" },
	"google":    func(f filler) string { return "AI" + "za" + f.mixed(b64url, 35) },
	"gsecret":   func(f filler) string { return "GOC" + "SPX-" + f.mixed(b64url, 28) },
	"gtoken":    func(f filler) string { return "ya" + "29." + f.mixed(b64url, 120) },
	"stripe":    func(f filler) string { return "sk_" + "live_" + f.mixed(alnums, 24) },
	"stripewh":  func(f filler) string { return "wh" + "sec_" + f.mixed(alnums, 32) },
	"npm":       func(f filler) string { return "np" + "m_" + f.mixed(alnums, 36) },
	"pypi":      func(f filler) string { return "py" + "pi-AgEIcHlwaS5vcmc" + f.mixed(b64url, 120) },
	"sendgrid":  func(f filler) string { return "S" + "G." + f.mixed(b64url, 22) + "." + f.mixed(b64url, 43) },
	"hf":        func(f filler) string { return "h" + "f_" + f.mixed(lower+upper, 34) },
	"telegram":  func(f filler) string { return "7" + f.of(digits, 9) + ":AA" + f.mixed(b64url, 33) },
	"discordbot": func(f filler) string {
		return "MT" + f.mixed(alnums, 24) + ".G" + f.mixed(alnums, 5) + "." + f.mixed(b64url, 38)
	},
	"discordhook": func(f filler) string { return f.mixed(b64url, 68) },
	"do":          func(f filler) string { return "dop" + "_v1_" + f.of(hexa, 64) },
	"shopify":     func(f filler) string { return "shp" + "at_" + f.of(hexa, 32) },
	"databricks":  func(f filler) string { return "da" + "pi" + f.of(hexa, 32) },
	"vault":       func(f filler) string { return "hv" + "s." + f.mixed(alnums, 24) },
	"age":         func(f filler) string { return "AGE-" + "SECRET-KEY-1" + f.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58) },
	"newrelic":    func(f filler) string { return "NR" + "AK-" + f.of(upper+digits, 27) },
	"linear":      func(f filler) string { return "lin" + "_api_" + f.mixed(alnums, 40) },
	"notion":      func(f filler) string { return "nt" + "n_" + f.of(digits, 11) + f.mixed(alnums, 35) },
	"supabase":    func(f filler) string { return "sb" + "p_" + f.of(hexa, 40) },
	"doppler":     func(f filler) string { return "dp" + ".pt." + f.mixed(alnums, 43) },
	"figma":       func(f filler) string { return "fig" + "d_" + f.mixed(b64url, 40) },
	"postman":     func(f filler) string { return "PM" + "AK-" + f.of(hexa, 24) + "-" + f.of(hexa, 34) },
	"grafana":     func(f filler) string { return "gl" + "sa_" + f.mixed(alnums, 32) + "_" + f.of(hexa, 8) },
	"airtable":    func(f filler) string { return "pat" + f.mixed(alnums, 14) + "." + f.of(hexa, 64) },
	"square":      func(f filler) string { return "sq0" + "atp-" + f.mixed(b64url, 22) },
	"atlassian":   func(f filler) string { return "AT" + "ATT3x" + f.mixed(b64url, 180) + "=" + f.of(upper+digits, 8) },
	"groq":        func(f filler) string { return "gs" + "k_" + f.mixed(alnums, 52) },
	"xai":         func(f filler) string { return "xa" + "i-" + f.mixed(alnums, 80) },
	"perplexity":  func(f filler) string { return "pp" + "lx-" + f.mixed(alnums, 48) },
	"replicate":   func(f filler) string { return "r" + "8_" + f.mixed(alnums, 37) },
	"sentry":      func(f filler) string { return "sn" + "trys_" + f.mixed(alnums, 80) + "_" + f.mixed(alnums, 43) },
	"tailscale": func(f filler) string {
		return "ts" + "key-auth-k" + f.mixed(alnums, 11) + "CNTRL-" + f.mixed(alnums, 32)
	},
	"rubygems":    func(f filler) string { return "ruby" + "gems_" + f.of(hexa, 48) },
	"dockerpat":   func(f filler) string { return "dc" + "kr_pat_" + f.mixed(b64url, 27) },
	"nuget":       func(f filler) string { return "oy" + "2" + f.of(lowalno, 43) },
	"tfe":         func(f filler) string { return f.mixed(alnums, 14) + ".atlas" + "v1." + f.mixed(b64url, 67) },
	"pulumi":      func(f filler) string { return "pu" + "l-" + f.of(hexa, 40) },
	"openrouter":  func(f filler) string { return "sk-" + "or-v1-" + f.of(hexa, 64) },
	"langsmith":   func(f filler) string { return "ls" + "v2_pt_" + f.of(hexa, 32) + "_" + f.of(hexa, 10) },
	"pscale":      func(f filler) string { return "ps" + "cale_tkn_" + f.mixed(b64url, 43) },
	"mapbox":      func(f filler) string { return "sk." + "eyJ" + f.mixed(alnums, 60) + "." + f.mixed(b64url, 22) },
	"buildkite":   func(f filler) string { return "bk" + "ua_" + f.of(hexa, 40) },
	"circleci":    func(f filler) string { return "CCI" + "PAT_" + f.mixed(alnums, 22) + "_" + f.of(hexa, 40) },
	"mailchimp":   func(f filler) string { return f.of(hexa, 32) + "-us" + f.of("12", 2) },
	"mailgun":     func(f filler) string { return "ke" + "y-" + f.of(hexa, 32) },
	"brevo":       func(f filler) string { return "xk" + "eysib-" + f.of(hexa, 64) + "-" + f.mixed(alnums, 16) },
	"easypost":    func(f filler) string { return "EZ" + "AK" + f.mixed(alnums, 54) },
	"dynatrace":   func(f filler) string { return "dt0" + "c01." + f.of(crock, 24) + "." + f.of(crock, 64) },
	"flyio":       func(f filler) string { return "Fly" + "V1 fm2_" + f.mixed(b64std, 160) },
	"artifactory": func(f filler) string { return "AK" + "Cp" + f.mixed(alnums, 69) },
	"cargo":       func(f filler) string { return "ci" + "o" + f.mixed(alnums, 32) },
	"jwt": func(f filler) string {
		return "ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" + "J" + f.mixed(b64url, 60) + "." + f.mixed(b64url, 43)
	},
	"pem":       func(f filler) string { return f.pem("\n") },
	"pemjson":   func(f filler) string { return f.pem(`\n`) },
	"pemindent": func(f filler) string { return f.pem("\n  ") },
	"pgp": func(f filler) string {
		return "-----BEGIN PGP PRIVATE " + "KEY BLOCK-----\n\n" + f.mixed(b64std, 64) + "\n" + f.mixed(b64std, 64) + "\n=abcd\n-----END PGP PRIVATE " + "KEY BLOCK-----"
	},
	"b64pem": func(f filler) string { return "LS0t" + "LS1CRUdJTi" + f.mixed(b64std, 300) },
	"pw":     func(f filler) string { return f.mixed(alnums, 9) + "!" + f.mixed(alnums, 4) + "#" + f.of(digits, 1) },
	"pwa":    func(f filler) string { return f.mixed(alnums, 8+f.r.IntN(8)) },
	"pwb":    func(f filler) string { return f.word() + strings.ToUpper(f.word()[:1]) + f.word() + f.of(digits, 2) },
	"pws":    func(f filler) string { return f.mixed(alnums, 5) + "$" + f.mixed(alnums, 4) + "@" + f.mixed(alnums, 4) },
	"pwx": func(f filler) string {
		return f.mixed(alnums, 8) + "]|>(" + f.mixed(alnums, 8) + "~;*&" + f.mixed(alnums, 20)
	},
	"pwsp": func(f filler) string { return f.word() + " " + f.word() + " " + f.word() + " " + f.of(digits, 3) },
	"pct":  func(f filler) string { return f.mixed(alnums, 6) + "%40" + f.mixed(alnums, 6) + "%21" },
	"mnemonic": func(f filler) string {
		return strings.Join(append(append([]string{}, someWords[:6]...), someWords[8:]...), " ")
	},
	"num":     func(f filler) string { return "9" + f.of(digits, 7) },
	"num2":    func(f filler) string { return "8" + f.of(digits, 9) },
	"hex32":   func(f filler) string { return f.of(hexa, 32) },
	"hex32u":  func(f filler) string { return strings.ToUpper(f.of(hexa, 32)) },
	"hex40":   func(f filler) string { return f.of(hexa, 40) },
	"hex48":   func(f filler) string { return f.of(hexa, 48) },
	"hex64":   func(f filler) string { return f.of(hexa, 64) },
	"hex16":   func(f filler) string { return f.of(hexa, 16) },
	"base32":  func(f filler) string { return f.of(crock, 32) },
	"b64":     func(f filler) string { return f.mixed(b64std, 43) + "=" },
	"b64long": func(f filler) string { return f.mixed(b64std, 240) },
	"b64u":    func(f filler) string { return f.mixed(alnums, 4) + f.of(b64url, 24) + f.mixed(alnums, 4) },
	"basic": func(f filler) string {
		return base64.StdEncoding.EncodeToString([]byte(f.word() + ":" + f.mixed(alnums, 12)))
	},
	"azure":    func(f filler) string { return f.mixed(b64std, 86) + "==" },
	"azkey":    func(f filler) string { return f.mixed(b64std, 43) + "=" },
	"azsecret": func(f filler) string { return f.of(alnums, 3) + "8Q~" + f.mixed(alnums+"-_~.", 34) },
	"sig":      func(f filler) string { return f.mixed(alnums, 20) + "%2B" + f.mixed(alnums, 20) + "%3D" },
	"user":     func(f filler) string { return f.word() },

	"uuid":    func(f filler) string { return f.uuid() },
	"sha1":    func(f filler) string { return f.of(hexa, 40) },
	"sha7":    func(f filler) string { return f.of(hexa, 7) },
	"sha256":  func(f filler) string { return f.of(hexa, 64) },
	"md5":     func(f filler) string { return f.of(hexa, 32) },
	"alnum19": func(f filler) string { return f.mixed(alnums, 19) },
	"alnum22": func(f filler) string { return f.mixed(alnums, 22) },
	"b64_43":  func(f filler) string { return f.mixed(b64std, 43) },
	"b64_64":  func(f filler) string { return f.mixed(b64std, 64) },
	"b64_86":  func(f filler) string { return f.mixed(b64std, 86) },
}

func (f filler) pem(nl string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN RSA PRIVATE " + "KEY-----" + nl)
	for range 6 {
		b.WriteString(f.mixed(b64std, 64) + nl)
	}
	b.WriteString("-----END RSA PRIVATE " + "KEY-----" + nl)
	return b.String()
}

func (f filler) uuid() string {
	return f.of(hexa, 8) + "-" + f.of(hexa, 4) + "-4" + f.of(hexa, 3) + "-a" + f.of(hexa, 3) + "-" + f.of(hexa, 12)
}

var hole = regexp.MustCompile(`\{\{(=?)(\w+)\}\}`)

// A sample is one line of the corpus, filled in.
type sample struct {
	line    int
	isJSON  bool
	text    string
	secrets []string
	kept    bool // held back from tuning
}

func readCorpus(t testing.TB, name string) []sample {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for i, line := range strings.Split(string(raw), "\n") {
		form, text, ok := strings.Cut(line, " ")
		if !ok || form != "text" && form != "json" {
			continue
		}
		f := filler{rand.New(rand.NewPCG(uint64(i), 1))}
		s := sample{line: i + 1, isJSON: form == "json", kept: len(all)%2 == 1}
		text = strings.NewReplacer("␤", "\n", "␛", "\x1b", "␉", "\t").Replace(text)
		s.text = hole.ReplaceAllStringFunc(text, func(m string) string {
			p := hole.FindStringSubmatch(m)
			make := kinds[p[2]]
			if make == nil {
				t.Fatalf("%s:%d: no kind %s", name, s.line, p[2])
			}
			v := make(f)
			if p[1] == "" && p[2] != "uuid" {
				s.secrets = append(s.secrets, v)
			}
			return v
		})
		if s.isJSON && !json.Valid([]byte(s.text)) {
			t.Fatalf("%s:%d: not JSON: %s", name, s.line, s.text)
		}
		all = append(all, s)
	}
	return all
}

// pass gives what the redactor makes of a sample, by each way in.
func (s sample) pass(t testing.TB) []string {
	t.Helper()
	if s.isJSON {
		out, _, err := JSON([]byte(s.text))
		if err != nil {
			t.Fatalf("line %d: %v", s.line, err)
		}
		return []string{string(out)}
	}
	doc, err := json.Marshal(map[string]any{"output": []any{s.text}})
	if err != nil {
		t.Fatal(err)
	}
	red, _, err := JSON(doc)
	if err != nil {
		t.Fatalf("line %d: %v", s.line, err)
	}
	var back struct{ Output []string }
	if err := json.Unmarshal(red, &back); err != nil || len(back.Output) != 1 {
		t.Fatalf("line %d: %s: %v", s.line, red, err)
	}
	text, _ := Text(s.text)
	return []string{text, back.Output[0]}
}

// leaks tells whether more of a secret is left than its first and last letters.
func leaks(out, secret string) bool {
	secret = strings.Trim(secret, "\n ")
	n := max(len(secret)/2, min(6, len(secret)))
	if len(secret) > 40 {
		n = 20 // of a long one, its middle
		secret = secret[12:]
	}
	for i := 0; i+n <= len(secret); i++ {
		if strings.Contains(out, secret[i:i+n]) {
			return true
		}
	}
	return false
}

func (s sample) failsSecret(t testing.TB) string {
	for _, out := range s.pass(t) {
		for _, secret := range s.secrets {
			if leaks(out, secret) {
				return out
			}
		}
	}
	return ""
}

func (s sample) failsClean(t testing.TB) string {
	same := s.text
	if s.isJSON {
		same = canonical(t, same)
	}
	for _, out := range s.pass(t) {
		if s.isJSON {
			out = canonical(t, out)
		}
		if out != same {
			return out
		}
	}
	return ""
}

func canonical(t testing.TB, doc string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		file  string
		fails func(sample, testing.TB) string
		most  float64 // how many of a hundred may fail
	}{
		{"secrets.txt", sample.failsSecret, 5},
		{"clean.txt", sample.failsClean, 1},
	} {
		var n, bad [2]int
		for _, s := range readCorpus(t, c.file) {
			half := 0
			if s.kept {
				half = 1
			}
			n[half]++
			out := c.fails(s, t)
			if out == "" {
				continue
			}
			bad[half]++
			if want := os.Getenv("CORPUS"); want == "all" || want == "1" && !s.kept {
				t.Logf("%s:%d\n  in  %.300q\n  out %.300q", c.file, s.line, s.text, out)
			}
		}
		t.Logf("%s: %s", c.file, fmt.Sprintf("tuned on %d, failed %d; held back %d, failed %d", n[0], bad[0], n[1], bad[1]))
		for half := range n {
			if float64(bad[half]) > c.most/100*float64(n[half]) {
				t.Errorf("%s, half %d: %d of %d fail, at most %v%% may", c.file, half, bad[half], n[half], c.most)
			}
		}
	}
}

// TestRedacted: what exactly becomes of each text with secrets, and the harmless ones
// that do not stay; UPDATE=1 writes the file anew. A text is not given again where it is
// the same in a document.
func TestRedacted(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, file := range []string{"secrets.txt", "clean.txt"} {
		for _, s := range readCorpus(t, file) {
			for i, out := range s.pass(t) {
				if out == s.text && file == "clean.txt" || i > 0 && strings.HasSuffix(b.String(), " "+s.shown(out)) {
					continue
				}
				fmt.Fprintf(&b, "%s:%d %s", file, s.line, s.shown(out))
			}
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("testdata/redacted.txt", []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/redacted.txt")
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); err != nil || diff != "" {
		t.Errorf("%v; want (-), got (+):\n%s", err, diff)
	}
}

// shown is what came of a sample, on a line, without what is left of its secrets.
func (s sample) shown(out string) string {
	for _, secret := range s.secrets {
		out = strings.ReplaceAll(out, secret, "{{}}")
	}
	return strings.NewReplacer("\n", "␤", "\x1b", "␛", "\t", "␉").Replace(out) + "\n"
}
