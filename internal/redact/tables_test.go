package redact

import (
	"strings"
	"testing"
)

// TestTablesAgree: what one table asks of another is there. A name that nothing knows
// would be found out by the first text that needs it.
func TestTablesAgree(t *testing.T) {
	facts, all := facts(), checks()
	for line := range strings.Lines(checkTable) {
		check, needs := cutWord(strings.TrimSuffix(line, "\n"))
		if check == "#" {
			continue
		}
		for need := range strings.FieldsSeq(needs) {
			name := strings.TrimPrefix(need, "!")
			size := strings.HasSuffix(need, ":") || digit.has(need[0])
			if !size && facts[name] == nil && all[name] == nil && forms()[name] == nil {
				t.Errorf("%s: got no fact, check or form %q", check, name)
			}
		}
	}
	for line := range strings.Lines(placeTable) {
		key, text := cutWord(strings.TrimSuffix(line, "\n"))
		if key == "check" && all[text] == nil {
			t.Errorf("places.txt: got no check %q", text)
		}
	}
	for name, list := range forms() {
		if len(list()) == 0 {
			t.Errorf("forms.txt: got nothing under %q", name)
		}
	}
	for _, list := range places() {
		for _, place := range list {
			place()
		}
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		form, text, meant string
		want              bool
	}{
		{`a+b`, "aab", "", true}, {`a+b`, "b", "", false}, {`a{2,3}`, "aaaa", "", false}, {`a{2}`, "aa", "", true},
		{`(a|bc)*d`, "abcad", "", true}, {`(a|bc)*d`, "abd", "", false}, {`[^a-c\]]+`, "de", "", true}, {`[^a-c\]]+`, "d]", "", false},
		{`(?i)Ab[c-d]`, "aBD", "", true}, {`x«\d+»y`, "x12y", "12", true}, {`.*?«b.*`, "abab", "bab", true}, {`.*«b.*`, "abab", "b", true},
		{`a++a`, "aa", "", false}, {`\.\\\[`, `.\[`, "", true}, {`(^|,)a($|,)`, "a", "", true},
	} {
		f := newForm(c.form)
		m := match{text: c.text}
		got := m.whole(&f)
		if m.to < 0 {
			m.to = len(c.text)
		}
		if got != c.want || got && c.meant != "" && c.text[m.from:m.to] != c.meant {
			t.Errorf("%s, %q: got %v, %q", c.form, c.text, got, c.text[m.from:max(m.from, m.to)])
		}
	}
}
