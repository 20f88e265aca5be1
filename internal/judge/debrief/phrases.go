package debrief

//go:generate go run ./gen

import (
	"regexp"
	"strings"
	"sync"
)

// saying is a kind of thing that people, agents or programs say. The table of them is
// written from phrases.txt. The expressions are compiled when they are first needed:
// most stops need few.
type saying struct {
	hints   []string // of which a text must hold one; none: any text may
	lines   []string // the expressions
	compile sync.Once
	all     []*regexp.Regexp
}

// said reports whether a text says one of these things.
func (s *saying) said(text string) bool { return s.by(text) != nil }

// by is the first expression that fits a text; nil where nothing of the kind is said.
func (s *saying) by(text string) *regexp.Regexp {
	if len(s.hints) > 0 && !containsAny(strings.ToLower(text), s.hints...) {
		return nil
	}
	s.compile.Do(func() {
		for _, line := range s.lines {
			s.all = append(s.all, regexp.MustCompile(line))
		}
	})
	for _, re := range s.all {
		if re.MatchString(text) {
			return re
		}
	}
	return nil
}
