package tools

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// counts is what lines count, by the names of groups: passed, failed, skipped, total.
type counts map[string]int

func (t counts) add(x counts) {
	for what, n := range x {
		t[what] += n
	}
}

func (t counts) has(what string) bool {
	_, counted := t[what]
	return counted
}

// ran is how many passed, as far as they are counted, or all others are; -1 if not.
func (t counts) ran() int {
	switch {
	case t.has("passed"):
		return t["passed"]
	case t.has("total"):
		return max(t["total"]-t["failed"]-t["skipped"], 0)
	}
	return -1
}

// said is what one line says.
type said struct {
	failure Failure
	tally   counts
	line    string // what is quoted
	indent  int
}

func (l *Line) expression() *regexp.Regexp {
	if expr := l.expr.Load(); expr != nil {
		return expr
	}
	expr := regexp.MustCompile(l.Re)
	l.expr.Store(expr)
	return expr
}

// reads is what a line says, if it is this one.
func (l *Line) reads(line string) (x said, ok bool) {
	expr := l.expression()
	groups := expr.FindStringSubmatch(line)
	if groups == nil || l.Not != "" && fits(l.Not, line) {
		return said{}, false
	}
	x = said{failure: Failure{Broken: l.Broken}, tally: counts{}, line: line, indent: len(line) - len(strings.TrimLeft(line, " "))}
	second := ""
	for i, value := range groups {
		group := expr.SubexpNames()[i]
		if value == "" || group == "" {
			continue
		}
		switch name := strings.TrimRight(group, "23"); {
		case group == "test2":
			second = cmp.Or(l.As, " > ") + value
		case name == "test":
			x.failure.Test = l.named(value)
		case name == "file":
			x.failure.File = value
		case name == "package":
			x.failure.Package = value
		case name == "line":
			x.line = value
		case name == "counts":
			l.count(value, x.tally)
		default:
			n, err := strconv.Atoi(value)
			if err == nil {
				x.tally[name] += n
			}
		}
	}
	x.failure.Test += second
	if f := &x.failure; f.Test != "" {
		f.Package = strings.TrimSuffix(f.Package, "."+f.Test)
	}
	return x, true
}

// named is a test's name as all formats have it.
func (l *Line) named(name string) string {
	if l.Drop != "" {
		name = expression(l.Drop).ReplaceAllString(name, l.As)
	}
	return strings.ReplaceAll(strings.TrimSpace(name), " › ", " > ")
}

// count reads the numbers of a text with words.
func (l *Line) count(text string, t counts) {
	words := map[string]string{
		"passed":  cmp.Or(l.Passed, wordsPassed),
		"failed":  cmp.Or(l.Failed, wordsFailed),
		"skipped": wordsSkipped,
		"total":   cmp.Or(l.Total, wordsTotal),
	}
	eachCount(text, func(word string, n int) {
		for what, list := range words {
			if n >= 0 && Among(list, lower(word)) {
				t[what] += n
			}
		}
	})
}
