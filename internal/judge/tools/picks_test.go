package tools

import (
	"slices"
	"strings"
	"testing"
)

func TestBraces(t *testing.T) {
	for word, want := range map[string][]string{
		"./{a,b}/...":                    {"./a/...", "./b/..."},
		"{a,b}{c,d}":                     {"ac", "ad", "bc", "bd"},
		"${a,b}":                         {"${a,b}"},
		strings.Repeat("{a,b}", 7):       {tooMany},
		strings.Repeat("{a,b}", 60):      {tooMany}, // each pair doubles what would be looked at
		strings.Repeat("{a,b,c}x", 1000): {tooMany},
	} {
		if got := braces(word); !slices.Equal(got, want) {
			t.Errorf("%.40s: got %q, want %q", word, got, want)
		}
	}
}
