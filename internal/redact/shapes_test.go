package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/redact"
)

// A sample is one text or document, with what must not be left of it.
type sample struct {
	form    string // the line of testdata/shapes that it is drawn from
	text    string
	json    bool
	secrets []string
}

// TestShapes holds the level of two corpora that are drawn from forms: one was
// used to write the rules, the other was not. The forms were written before the
// rules were read; a form added because a rule failed belongs in the first.
func TestShapes(t *testing.T) {
	for _, corpus := range []struct {
		name           string
		caught, harmed float64 // at least, at most, in percent
	}{
		{"tune", 98, 0.5},
		{"held", 95, 1},
	} {
		t.Run(corpus.name, func(t *testing.T) {
			secrets := drawn(t, corpus.name, "secret")
			missed := failures(t, secrets, leaks)
			clean := drawn(t, corpus.name, "clean")
			harmed := failures(t, clean, isHarmed)
			caught := 100 * float64(len(secrets)-missed) / float64(len(secrets))
			harm := 100 * float64(harmed) / float64(len(clean))
			t.Logf("%d secrets, %.1f %% caught; %d harmless texts, %.1f %% harmed", len(secrets), caught, len(clean), harm)
			if caught < corpus.caught || harm > corpus.harmed {
				t.Errorf("want at least %.1f %% caught and at most %.1f %% harmed", corpus.caught, corpus.harmed)
			}
		})
	}
}

func failures(t *testing.T, samples []sample, fails func(s sample, out string) bool) (n int) {
	t.Helper()
	for _, s := range samples {
		if out := redacted(t, s); fails(s, out) {
			n++
			if testing.Verbose() {
				t.Logf("%s\n    %s", s.text, out)
			}
		}
	}
	return n
}

// leaks tells whether more than half of a secret is left.
func leaks(s sample, out string) bool {
	for _, secret := range s.secrets {
		n := max(len(secret)/2, 6)
		for i := range max(1, len(secret)-n+1) {
			if strings.Contains(out, secret[i:min(len(secret), i+n)]) {
				return true
			}
		}
	}
	return false
}

func isHarmed(s sample, out string) bool { return out != s.text }

func redacted(t *testing.T, s sample) string {
	t.Helper()
	if !s.json {
		out, _ := redact.Text(s.text)
		return out
	}
	out, _, err := redact.JSON([]byte(s.text))
	if err != nil {
		t.Fatalf("%s: %v", s.text, err)
	}
	return string(out)
}

// drawn returns the samples of a file of forms: three of each, in the three
// ways in which a client or a state holds them.
func drawn(t *testing.T, corpus, kind string) (all []sample) {
	t.Helper()
	data, err := os.ReadFile("testdata/shapes/" + corpus + "-" + kind + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewSource(22))
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		way, form, _ := strings.Cut(line, " ")
		if way == "#" {
			continue
		}
		for _, carry := range carriers[corpus+way] {
			text, secrets := draw(r, strings.ReplaceAll(form, "⏎", "\n"))
			s := carry(text)
			s.form, s.secrets = form, secrets
			all = append(all, s)
		}
	}
	return all
}

var carriers = map[string][]func(text string) sample{
	"tuneT": {bare, within(`{"tool":"Bash","input":{"command":%s}}`),
		within(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":%s}]}}`)},
	"heldT": {added, within(`{"notes":["start",%s]}`),
		func(s string) sample {
			return within(`{"role":"assistant","content":%s}`)("I ran this:\n```\n" + s + "\n```\nand it works.")
		}},
	"tuneJ": {document("%s"), document(`{"state":%s,"status":"running"}`), within(`{"content":%s}`)},
	"heldJ": {document("%s"), document(`{"checkpoint":{"work":[%s]}}`), indented},
}

func bare(text string) sample { return sample{text: text} }

// added is a text as the diff that adds it shows it.
func added(text string) sample {
	return sample{text: "+" + strings.ReplaceAll(text, "\n", "\n+")}
}

func document(format string) func(string) sample {
	return func(doc string) sample { return sample{text: fmt.Sprintf(format, doc), json: true} }
}

func within(format string) func(string) sample {
	return func(text string) sample {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(text)
		return sample{text: fmt.Sprintf(format, strings.TrimSpace(b.String())), json: true}
	}
}

func indented(doc string) sample {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(doc), "", "  ")
	return sample{text: b.String()}
}

// draw fills in the parts of a form: «…» are secrets, ‹…› are not.
func draw(r *rand.Rand, form string) (text string, secrets []string) {
	var b strings.Builder
	for {
		i := strings.IndexAny(form, "«‹")
		if i < 0 {
			b.WriteString(form)
			return b.String(), secrets
		}
		b.WriteString(form[:i])
		isSecret := strings.HasPrefix(form[i:], "«")
		form = strings.TrimPrefix(strings.TrimPrefix(form[i:], "«"), "‹")
		end := strings.IndexAny(form, "»›")
		part := drawPart(r, form[:end])
		b.WriteString(part)
		if isSecret {
			secrets = append(secrets, part)
		}
		form = strings.TrimPrefix(strings.TrimPrefix(form[end:], "»"), "›")
	}
}

// drawPart reads [class]{n} as n characters of the class, \p as a password of a
// person, \w as a word and \j as a JWT; all else stands for itself.
func drawPart(r *rand.Rand, part string) string {
	var b strings.Builder
	for part != "" {
		switch {
		case strings.HasPrefix(part, `\p`):
			b.WriteString(password(r))
			part = part[2:]
		case strings.HasPrefix(part, `\w`):
			b.WriteString(word(r))
			part = part[2:]
		case strings.HasPrefix(part, `\j`):
			b.WriteString(jwt(r))
			part = part[2:]
		case part[0] == '[':
			class, rest, _ := strings.Cut(part[1:], "]")
			n := 1
			if strings.HasPrefix(rest, "{") {
				var count string
				count, rest, _ = strings.Cut(rest[1:], "}")
				n, _ = strconv.Atoi(count)
			}
			set := members(class)
			for range n {
				b.WriteByte(set[r.Intn(len(set))])
			}
			part = rest
		default:
			b.WriteByte(part[0])
			part = part[1:]
		}
	}
	return b.String()
}

func members(class string) string {
	var b strings.Builder
	for i := 0; i < len(class); i++ {
		if i+2 < len(class) && class[i+1] == '-' {
			for c := class[i]; c <= class[i+2]; c++ {
				b.WriteByte(c)
			}
			i += 2
			continue
		}
		b.WriteByte(class[i])
	}
	return b.String()
}

// password is one as people and password managers make them.
func password(r *rand.Rand) string {
	switch r.Intn(4) {
	case 0:
		return fmt.Sprintf("%s%s%d!", capital(word(r)), capital(word(r)), 10+r.Intn(90))
	case 1:
		return fmt.Sprintf("%s-%d-%s", word(r), 1000+r.Intn(9000), capital(word(r)))
	case 2:
		return capital(word(r)) + drawPart(r, "[!.*+~^]{1}[0-9]{3}[a-z]{2}")
	}
	return drawPart(r, "[A-Z]{1}[A-Za-z0-9!*+~^._]{13}[a-z]{1}")
}

func jwt(r *rand.Rand) string {
	encode := base64.RawURLEncoding.EncodeToString
	claims := drawPart(r, `{"sub":"[0-9]{8}","iat":17[0-9]{8}}`)
	return encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode([]byte(claims)) + "." + drawPart(r, "[A-Za-z0-9_]{43}")
}

func word(r *rand.Rand) string { return words[r.Intn(len(words))] }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

var words = strings.Fields("copper otter winter marble falcon river orange summer granite velvet pepper hammer sailor timber walnut dragon")

// TestShapesRedacted: what exactly becomes of the first sample of each form with a secret;
// UPDATE=1 writes the file anew.
func TestShapesRedacted(t *testing.T) {
	t.Parallel()
	const name = "testdata/shapes/redacted.txt"
	var b strings.Builder
	for _, corpus := range []string{"tune", "held"} {
		for i, s := range drawn(t, corpus, "secret") {
			out := redacted(t, s)
			for _, secret := range s.secrets {
				out = strings.ReplaceAll(out, secret, "«»")
			}
			if i%3 == 0 {
				b.WriteString(strings.ReplaceAll(out, "\n", "⏎") + "\n")
			}
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); err != nil || diff != "" {
		t.Errorf("%v; want (-), got (+):\n%s", err, diff)
	}
}
