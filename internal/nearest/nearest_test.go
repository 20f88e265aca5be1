package nearest_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/nearest"
)

func TestName(t *testing.T) {
	for _, c := range []struct{ name, names, want string }{
		{"a", "", ""},
		{"Lnag", "query lang", "lang"},
		{"land", "lang land2 lands", "lang"},
		{"land", "x land lang", "land"},
		{"zz", "b a", ""},
		{"save-on-edit", "save_on_exit save_on_edit", "save_on_edit"},
		{"abc", "bac", "bac"},
		{"abcdef", "abcd", ""},
		{"abcdef", "abcxyz", ""},
		{strings.Repeat("a", 101), strings.Repeat("a", 100), ""},
		{strings.Repeat("a", 100), strings.Repeat("a", 99), strings.Repeat("a", 99)},
		{strings.Repeat("a", 99), strings.Repeat("a", 101), ""},
	} {
		if got := nearest.Name(c.name, strings.Fields(c.names)); got != c.want {
			t.Errorf("%s among %s: got %q, want %q", c.name, c.names, got, c.want)
		}
	}
}

// TestInHint: a hint names only what is surely meant, and what its quotes can hold.
func TestInHint(t *testing.T) {
	for _, c := range []struct{ name, names, want string }{
		{"relaese", "other release", "release"},
		{"abd", "abc", ""},
		{"abcd", "abcde", "abcde"},
		{"release", "rel", ""},
		{"it's", "its' it's-", ""},
	} {
		if got := nearest.InHint(c.name, strings.Fields(c.names)); got != c.want {
			t.Errorf("%s among %s: got %q, want %q", c.name, c.names, got, c.want)
		}
	}
}
