package redact

import (
	"slices"
	"testing"
)

func TestPlaceholders(t *testing.T) {
	for _, v := range []string{"changeme", "ChangeMe!", "example", "null", "required", "string", "bearer", "foobar", "current-password", "inherit",
		"your-key", "env:DB_PASSWORD", "vault:db/password", "op://vault/db", "xxxx-1234", "insert-key-42", "replace_me_42", "example-key-9", "some_secret_42", "fake-key-42",
		"dummy_token_42", "file:/run/secret", "arn:aws:secret42", "<password>", "$PASSWORD", "${PASSWORD}", "{{ password }}", "%PASSWORD%", "your-api-key-here", "api_key_here", "abc123...", "aaaaaaaa", "••••••••", "", "[REDACTED:token]"} {
		if !placeholder(v) {
			t.Errorf("%q: got a secret, want a placeholder", v)
		}
	}
	for _, v := range []string{"hunter2real", "$ecret!42", "changeme42x", "<Tr0ub4dor", "%Tr0ub4dor3", "not-yours-42", "abcdefghijkl4567..."} {
		if placeholder(v) {
			t.Errorf("%q: got a placeholder, want what may be a secret", v)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"a*", "abc", true}, {"a*", "bac", false}, {"*c", "abc", true}, {"*c", "abcd", false},
		{"a*c*e", "abcde", true}, {"a*c*e", "abde", false}, {"a*a", "a", false}, {"**", "x", true},
	} {
		if got := glob(c.pattern, c.text); got != c.want {
			t.Errorf("%q, %q: got %v", c.pattern, c.text, got)
		}
	}
}

func TestWithinAWord(t *testing.T) {
	key := "AKIA" + "IOSFODNN7QWERTYU"
	for _, text := range []string{"x_" + key, "[32m" + key, "%3D" + key, `\u001b` + key} {
		if got, n := Text(text); n != 1 || slices.Contains([]string{text}, got) {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
