package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestValues: what values look like, of each kind that a rule asks for.
func TestValues(t *testing.T) {
	t.Parallel()
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, c := range []struct {
		name    string
		is      func(string) bool
		yes, no []string
	}{
		{"repeated", repeated, []string{"a", "xxxx"}, []string{"xxy", "yxx"}},
		{"mixed", mixed, []string{"a1", "1a", "a_1"}, []string{"ab", "12", ""}},
		{"with a symbol", hasSymbol, []string{"a!b", "a=b"}, []string{"!ab", "ab!", "!!", "abc", ""}},
		{"user and password in base64", basic, []string{encoded("bob:secret"), encoded("a:1234567")}, []string{encoded("bobsecret1"), encoded("bob:\x01abcd"), "a:b", encoded("a:b"), "!!!!!!!!!", encoded("bob:" + strings.Repeat("x", 1024))}},
		{"the part of a hook's address", hookPart, []string{"a/abcdefghijklmno1", "abcdefghijklmno1"}, []string{"a/abcdefghijklmnop", "abcdefghijklmn1/2", ""}},
		{"alternatives", alternatives, []string{"a|b", "required|string|min:8", "a | b"}, []string{"a", "a||b", "a|b c", "a|x9K2mQ7zR4tB"}},
		{"pronounced", pronounced, []string{"abc", "xyz", "Hash", "string"}, []string{"ab", "bcdfg", ""}},
		{"a type's name", typeName, []string{"Uint8Array", "Base64String", "SHA256Hash", "UserPassword", "UserToken[]", "Uint32"}, []string{"string32", "abc", "password", "hunter2", "x9K2mQ7zR4tB", "User-Name", strings.Repeat("UserName", 9)}},
		{"prose", prose, []string{"the password", "wait for the build", strings.Repeat("x ", 25), "any thing:"}, []string{"thepassword", "hunter2 xK9", "zxq wvb kjh"}},
		{"random", random, []string{"x9K2mQ7zR4tB", "aB3dE5gH", "aBcDeFgHiJkLmNoP"}, []string{"a1B2c3D", "password1", "correcthorse", "12345678", "UserPasswordHash"}},
	} {
		for _, v := range c.yes {
			if !c.is(v) {
				t.Errorf("%s: got not for %.40q", c.name, v)
			}
		}
		for _, v := range c.no {
			if c.is(v) {
				t.Errorf("%s: got yes for %.40q", c.name, v)
			}
		}
	}
	for v, want := range map[string]bool{"src/x9K2mQ7zR4tB": true, `src\x9K2mQ7zR4tB`: true, "src/main": false, "src/x9K2mQ7z-R4tB": false, "x9K2/mQ7z": false} {
		if got := secretPart(v, 8); got != want {
			t.Errorf("a part of %s: got %t", v, got)
		}
	}
	if secretPart("src/x9K2mQ7zR4tB", 13) || !secretPart("src/x9K2mQ7zR4tB", 12) {
		t.Error("got a part that is too short, or not one that is long enough")
	}
}
