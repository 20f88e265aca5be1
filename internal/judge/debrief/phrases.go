package debrief

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What people, agents and programs say is known by expressions, which stand in a
// file of data: a section for each thing said, a language or a kind of words a line.
//
//go:embed phrases.txt
var phrasesText string

// saying is a section of phrases.txt.
type saying string

// The sections.
const (
	saysNoTests  saying = "a person wants no tests to be run"
	saysContrary saying = "a person says the contrary, in words that sound so"
	saysMayFail  saying = "a person says that tests may fail"
	saysOnlyLint saying = "a person asks for formatting or linting only"
	saysFails    saying = "an agent says that something fails"
	saysUntested saying = "an agent says that it could not test"
	saysMended   saying = "an agent says that a failure is gone"
	saysNoRun    saying = "a program says that it could not begin"
	saysAbsent   saying = "a program is not there, as shells, Go, Python and Node say it"
	saysRefused  saying = "a client says that a person refused a call"
	saysLooking  saying = "the name of a tool that only looks"
)

// section is what tells that a thing was said. The expressions are compiled when they are
// first needed: most stops need few.
type section struct {
	hints []string // of which a text must hold one; none: any text may
	lines []string
	all   func() []*regexp.Regexp
}

func (s *section) compile() (all []*regexp.Regexp) {
	for _, line := range s.lines {
		all = append(all, regexp.MustCompile("(?i)"+line))
	}
	return all
}

var sections = sync.OnceValue(func() map[saying]*section {
	all := map[saying]*section{}
	at := &section{}
	for line := range strings.Lines(phrasesText) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			at = &section{}
			at.all = sync.OnceValue(at.compile)
			all[saying(strings.Trim(line, "[]"))] = at
		case line[0] == '~':
			at.hints = strings.Fields(line[1:])
		default:
			at.lines = append(at.lines, line)
		}
	}
	return all
})

// said reports whether a text says one of these things.
func (s saying) said(text string) bool { return s.by(text) != nil }

// by is the first expression that fits a text; nil where nothing of the kind is said.
func (s saying) by(text string) *regexp.Regexp {
	at := sections()[s]
	if len(at.hints) > 0 && !containsAny(strings.ToLower(text), at.hints...) {
		return nil
	}
	for _, re := range at.all() {
		if re.MatchString(text) {
			return re
		}
	}
	return nil
}

// maxSaid bounds what is read of a text: what matters stands at its beginning or
// its end.
const maxSaid = 16 << 10

// sentences are the parts of a text, each with one thing to say.
func sentences(text string) []string {
	if len(text) > maxSaid {
		text = text[:maxSaid/2] + "\n" + text[len(text)-maxSaid/2:]
	}
	ends := func(r rune) bool { return strings.ContainsRune(".!?;\n。！？；", r) }
	return strings.FieldsFunc(strings.ReplaceAll(text, "`", ""), ends)
}

// admits reports whether an agent's words say that something still fails: one of
// its sentences does, and does not say that it is mended.
func admits(words string) bool {
	return slices.ContainsFunc(sentences(words), func(s string) bool { return saysFails.said(s) && !saysMended.said(s) })
}

// wants is what a person's words say of tests.
type wants struct{ noTests, mayFail, onlyLint bool }

// wantsOf reads the prompts of a turn. Words in quotes and code are others'.
func wantsOf(prompts []string) (w wants) {
	for _, p := range prompts {
		for _, s := range sentences(unfenced(p)) {
			w.noTests = w.noTests || saysNoTests.said(s) && !saysContrary.said(s)
			w.mayFail = w.mayFail || saysMayFail.said(s)
		}
		w.onlyLint = w.onlyLint || saysOnlyLint.said(strings.TrimSpace(p))
	}
	return w
}

// quotation is what stands in double quotes on a line.
var quotation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»`)
})

// unfenced is a text without its blocks of code and its quotations.
func unfenced(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		is := strings.HasPrefix(strings.TrimSpace(line), "```")
		fenced = fenced != is
		if !fenced && !is && !strings.HasPrefix(strings.TrimSpace(line), ">") {
			b.WriteString(quotation().ReplaceAllString(line, " "))
		}
	}
	return b.String()
}
