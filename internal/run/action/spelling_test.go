package action

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
)

type spelling = func(string) string

// TestSecretsInEverySpelling takes a value out however the programs of a step encode it.
func TestSecretsInEverySpelling(t *testing.T) {
	const v = `Blue+whale 7/ä<&"'=%41!`
	each := func(format string) func(string) string {
		return func(s string) string {
			var b strings.Builder
			for i := range len(s) {
				fmt.Fprintf(&b, format, s[i])
			}
			return b.String()
		}
	}
	runes := func(format string) func(string) string {
		return func(s string) string {
			var b strings.Builder
			for _, r := range s {
				fmt.Fprintf(&b, format, r)
			}
			return b.String()
		}
	}
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) }
	replace := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	lower := func(s string) string {
		for i := 0; i+2 < len(s); i++ {
			if s[i] == '%' {
				s = s[:i] + strings.ToLower(s[i:i+3]) + s[i+3:]
			}
		}
		return s
	}
	inBase64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	std, raw := base64.StdEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString
	for _, c := range []struct {
		name  string
		spell []spelling
	}{
		{"as it is", nil},
		{"a query", []spelling{url.QueryEscape}},
		{"a query, lower hex", []spelling{url.QueryEscape, lower}},
		{"a path", []spelling{url.PathEscape}},
		{"a path, lower hex", []spelling{url.PathEscape, lower}},
		{"encodeURIComponent", []spelling{url.QueryEscape, replace("+", "%20", "%21", "!", "%27", "'")}},
		{"encodeURI", []spelling{replace("%", "%25", " ", "%20", "\"", "%22", "<", "%3C", "ä", "%C3%A4")}},
		{"every byte percent", []spelling{each("%%%02X")}},
		{"every byte percent, lower hex", []spelling{each("%%%02x")}},
		{"percent twice", []spelling{url.QueryEscape, url.QueryEscape}},
		{"escape of old scripts", []spelling{runes("%%u%04X")}},
		{"HTML", []spelling{html.EscapeString}},
		{"HTML, named", []spelling{replace("&", "&amp;", "<", "&lt;", "\"", "&quot;", "'", "&apos;", "ä", "&auml;")}},
		{"HTML, decimal", []spelling{runes("&#%d;")}},
		{"HTML, padded decimal", []spelling{runes("&#%05d;")}},
		{"HTML, hex", []spelling{runes("&#x%x;")}},
		{"HTML, upper hex", []spelling{runes("&#X%X;")}},
		{"JSON", []spelling{quote}},
		{"JSON, every character", []spelling{func(s string) string {
			var b strings.Builder
			for _, u := range utf16.Encode([]rune(s)) {
				fmt.Fprintf(&b, `\u%04X`, u)
			}
			return b.String()
		}}},
		{"JSON of PHP", []spelling{quote, replace("/", `\/`, "ä", `\u00e4`)}},
		{"JSON in JSON", []spelling{quote, quote}},
		{"bytes in C", []spelling{each(`\x%02x`)}},
		{"bytes in octal", []spelling{each(`\%03o`)}},
		{"characters of Rust", []spelling{runes(`\u{%x}`)}},
		{"printf %q", []spelling{replace(" ", `\ `, "<", `\<`, "&", `\&`, "\"", `\"`, "'", `\'`, "=", `\=`, "!", `\!`)}},
		{"a shell's trace", []spelling{replace("'", `'\''`)}},
		{"another shell's", []spelling{replace("'", `'"'"'`)}},
		{"SQL", []spelling{replace("'", "''")}},
		{"CSV", []spelling{replace("\"", "\"\"")}},
		{"base64", []spelling{inBase64}},
		{"base64 of addresses", []spelling{func(s string) string { return raw([]byte(s)) }}},
		{"base64 of user:password", []spelling{func(s string) string { return std([]byte("bob:" + s)) }}},
		{"base64 in a query", []spelling{inBase64, each("%%%02x")}},
		{"base64 in JSON", []spelling{inBase64, replace("/", `\/`, "+", `\u002b`, "=", `\u003d`)}},
		{"hex", []spelling{func(s string) string { return hex.EncodeToString([]byte(s)) }}},
		{"JSON in a query", []spelling{quote, url.QueryEscape}},
		{"a query in HTML", []spelling{url.QueryEscape, html.EscapeString}},
		{"HTML in JSON in a query", []spelling{html.EscapeString, quote, url.QueryEscape}},
	} {
		text := v
		for _, f := range c.spell {
			text = f(text)
		}
		want := "sent=[REDACTED:env] & done: 100%"
		got, _ := NewSecrets(v).Text("sent=" + text + " & done: 100%")
		if strings.HasPrefix(c.name, "base64") || c.name == "hex" { // the letters at its ends say nothing
			want = got
			if !strings.Contains(got, taken) || len(got) > len("sent=[REDACTED:env] & done: 100%")+24 {
				want = taken
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
	}
	for _, harmless := range []string{"Blue whale 7", "100% of \\n & 'a' \"b\" + %20", `C:\new\table`, "a &amp; b &lt; c"} {
		if got, found := NewSecrets(v).Text(harmless); found {
			t.Errorf("%q: got %q, want it as it is", harmless, got)
		}
	}
}
