package action

import (
	"reflect"
	"strings"
	"testing"
)

func TestSecretsOfValues(t *testing.T) {
	s := NewSecrets("blue-whale", "12345678")
	for _, tc := range []struct {
		name     string
		in, want any
		found    bool
	}{
		{"nothing", nil, nil, false},
		{"a harmless text", "red fox", "red fox", false},
		{"a text", "a blue-whale", "a [REDACTED:env]", true},
		{"inside", p{"a": []any{"blue-whale", 1.0}}, p{"a": []any{"[REDACTED:env]", 1.0}}, true},
		{"a key", p{"blue-whale": 1.0}, p{"[REDACTED:env]": 1.0}, true},
		{"a number", p{"a": 12345678.0}, p{"a": "[REDACTED:env]"}, true},
		{"what a name says", p{"password": "hunter2real"}, p{"password": "[REDACTED:password]"}, true},
		{"a token", []any{token}, []any{"[REDACTED:github-token]"}, true},
		{"a large number stays", p{"a": int64(9007199254740993)}, p{"a": int64(9007199254740993)}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, found := s.Value(tc.in)
			if !reflect.DeepEqual(got, tc.want) || found != tc.found {
				t.Errorf("got %#v, %v, want %#v, %v", got, found, tc.want, tc.found)
			}
		})
	}
	var none *Secrets
	if got, found := none.Text("take " + token); got != "take [REDACTED:github-token]" || !found {
		t.Errorf("without values: got %q, %v", got, found)
	}
}

// TestSecretsAsProgramsPrintThem takes a value out of what programs make of it when they
// quote or encode it.
func TestSecretsAsProgramsPrintThem(t *testing.T) {
	const v = `pä'ss "w<o\rd& 🔑 horse`
	s := NewSecrets(v)
	for name, text := range map[string]string{
		"as it is":              v,
		"Python's json.dumps":   `"p\u00e4'ss \"w<o\\rd& \ud83d\udd11 horse"`,
		"JSON made for HTML":    `"pä'ss \"w\u003co\\rd\u0026 🔑 horse"`,
		"JSON in JSON":          `"{\"k\":\"pä'ss \\\"w<o\\\\rd& 🔑 horse\"}"`,
		"JSON in JSON of ASCII": `"{\"k\": \"p\\u00e4'ss \\\"w<o\\\\rd& \\ud83d\\udd11 horse\"}"`,
		"Python's repr":         `'pä\'ss "w<o\\rd& 🔑 horse'`,
		"a shell's trace":       `+ curl 'pä'\''ss "w<o\rd& 🔑 horse'`,
		"HTML":                  `<p>pä&#39;ss &#34;w&lt;o\rd&amp; 🔑 horse</p>`,
		"hex":                   `70c3a427737320 is shorter; 70c3a427737320` + `22773c6f5c72642620f09f949120686f727365`,
	} {
		got, found := s.Text(text)
		if !found || !strings.Contains(got, taken) || strings.Contains(got, "horse") || strings.Contains(got, "686f727365") {
			t.Errorf("%s: got %q, want the value taken out", name, got)
		}
	}
}
