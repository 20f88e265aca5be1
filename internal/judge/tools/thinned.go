package tools

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Thin is how tests show less than they did before.
type Thin struct {
	Gone    []string `json:"gone,omitempty"`    // tests that are not there any more, but for those that only have another name
	Empty   []string `json:"empty,omitempty"`   // tests that do nothing now
	Skipped []string `json:"skipped,omitempty"` // tests that are skipped now
	Groups  []string `json:"groups,omitempty"`  // what leaves out several, as written: describe.skip, it.only
	Fewer   int      `json:"fewer,omitempty"`   // how many tests fewer there are
	All     bool     `json:"all,omitempty"`     // none is left
}

// Thinned tells how a text of an ecosystem's tests shows less than it did before.
// A test that has another name now is not gone, as long as there are as many as
// before. Of several tests gone and others new, nobody knows which have another
// name: all are listed. A test that is new may be skipped. Texts of several files
// may be joined, so that a test that moved is not gone either.
func Thinned(before, now, ecosystem string) (thin Thin) {
	at := slices.IndexFunc(Ecosystems, func(e *Ecosystem) bool { return e.Name == ecosystem && e.Cases != "" })
	if at < 0 || before == now || len(before) > maxThinned || len(now) > maxThinned {
		return thin
	}
	e := Ecosystems[at]
	had, has := e.cases(before), e.cases(now)
	for _, t := range had.tests {
		is, ok := has.named(t.name)
		switch {
		case !ok:
			thin.Gone = append(thin.Gone, t.name)
		case is.empty && !t.empty:
			thin.Empty = append(thin.Empty, t.name)
		case len(is.skips) > len(t.skips):
			thin.Skipped = append(thin.Skipped, t.name)
		}
	}
	added := slices.DeleteFunc(slices.Clone(has.tests), func(t testCase) bool { _, ok := had.named(t.name); return ok })
	if thin.Fewer = len(thin.Gone) - len(added); thin.Fewer <= 0 {
		thin.Fewer, thin.Gone = 0, nil
	}
	thin.All = thin.Fewer > 0 && len(has.tests) == 0
	thin.Groups = has.skips[min(len(had.skips), len(has.skips)):]
	return thin
}

// String says it in words; "" where nothing is less.
func (t Thin) String() string {
	gone := several(t.Gone, "gone")
	switch {
	case t.Fewer == 0:
		gone = ""
	case t.All:
		gone = "all of its tests are gone: " + few(t.Gone)
	case t.Fewer != len(t.Gone):
		gone = fmt.Sprintf("%d fewer tests than before: %s", t.Fewer, gone)
	}
	group := ""
	if len(t.Groups) > 0 {
		group = "a group of tests is left out now: " + strings.TrimSpace(t.Groups[0])
	}
	said := []string{gone, several(t.Empty, "empty now"), several(t.Skipped, "skipped now"), group}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
}

// maxThinned bounds the texts that are compared.
const maxThinned = 1 << 20

// several says what the first few of some tests are; "" where there are none.
func several(names []string, what string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " is " + what
	}
	return few(names) + " are " + what
}

func few(names []string) string {
	const shown = 3
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

// caseList are the tests of a text, and what skips more than one of them.
type caseList struct {
	tests []testCase
	skips []string
}

type testCase struct {
	name  string
	from  int // where it begins
	to    int // where its name ends
	skips []string
	empty bool
}

func (c caseList) named(name string) (testCase, bool) {
	at := slices.IndexFunc(c.tests, func(t testCase) bool { return t.name == name })
	if at < 0 {
		return testCase{}, false
	}
	return c.tests[at], true
}

// cases reads the tests of a text. What skips one stands in it, or before it
// where it is a decorator or an attribute; what stands before all tests skips
// more than one, and so does what is said of a group.
func (e *Ecosystem) cases(text string) (c caseList) {
	text = uncommented(text)
	end := len(text)
	for _, m := range slices.Backward(regexp.MustCompile(e.Cases).FindAllStringSubmatchIndex(text, -1)) {
		t := testCase{from: m[0], to: m[1], empty: hollow(text[m[1]:end])}
		for i := 2; i < len(m); i += 2 {
			t.name += text[max(m[i], 0):max(m[i+1], 0)]
		}
		c.tests, end = append(c.tests, t), m[0]
	}
	slices.Reverse(c.tests)
	for _, m := range regexp.MustCompile(e.Skips).FindAllStringIndex(text, -1) {
		skip := text[m[0]:m[1]]
		if at := c.skippedBy(text, m[0], skip); at >= 0 {
			c.tests[at].skips = append(c.tests[at].skips, skip)
		} else {
			c.skips = append(c.skips, skip)
		}
	}
	return c
}

// skippedBy is the place of the test that a skip at a place of the text is about: the
// next one for a decorator or an attribute, else the one that it stands in; -1 for more
// than one.
func (c caseList) skippedBy(text string, at int, skip string) int {
	line := text[strings.LastIndexByte(text[:at], '\n')+1:at] + skip
	next := slices.IndexFunc(c.tests, func(t testCase) bool { return at < t.to })
	ahead := fits(`^\s*(?:@|#?\[)`, line)
	switch {
	case containsAny(skip, "describe|context|suite|module|only|fit("):
		return -1
	case next < 0 && !ahead:
		return len(c.tests) - 1
	case next < 0, ahead, at >= c.tests[next].from:
		return next
	}
	return next - 1
}

// uncommented leaves out lines that are comments.
func uncommented(text string) string {
	return expression(`(?m)^[\t ]*(?://|# ).*\n?`).ReplaceAllStringFunc(text, func(line string) string {
		if strings.HasPrefix(strings.TrimSpace(line), "//go:") {
			return line
		}
		return ""
	})
}

// hollow reports whether nothing is done between a test's name and the next
// test: its own body has no call, and asserts nothing.
func hollow(body string) bool {
	first, after, _ := strings.Cut(body, "\n")
	if open := strings.LastIndexAny(first, "{:>"); open >= 0 {
		after = first[open+1:] + "\n" + after
	}
	for line := range strings.Lines(after) {
		if line = strings.Trim(strings.TrimSpace(line), ";,"); !Among(nothingDone, line) && line != "" {
			return begins(line, "func |def |class |@|#[")
		}
	}
	return true
}

// nothingDone are lines of a body that does nothing.
const nothingDone = "{ } }) ) pass ... return end ] });"
