package tools

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What lines count.
const (
	nPassed = iota
	nFailed
	nSkipped
	nTotal
	nCounts
)

// countNames are the groups of expressions that count, in that order.
var countNames = [nCounts]string{"passed", "failed", "skipped", "total"}

// counts is what lines count; has tells which of them said so.
type counts struct {
	n   [nCounts]int
	has [nCounts]bool
}

func (t *counts) set(what, n int) {
	t.n[what] += n
	t.has[what] = true
}

func (t *counts) add(x counts) {
	for what, n := range x.n {
		if x.has[what] {
			t.set(what, n)
		}
	}
}

// ran is how many passed, as far as they are counted, or all others are; -1 if not.
func (t counts) ran() int {
	switch {
	case t.has[nPassed]:
		return t.n[nPassed]
	case t.has[nTotal]:
		return max(t.n[nTotal]-t.n[nFailed]-t.n[nSkipped], 0)
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

// groups are what a line has in the groups of the expression.
func (l *Line) groups(line string) (groups []string, fits bool) {
	expr := l.expression()
	if expr.NumSubexp() == 0 {
		return nil, expr.MatchString(line)
	}
	groups = expr.FindStringSubmatch(line)
	return groups, groups != nil
}

// said reads the groups of a line.
func (l *Line) said(m []string, line string) said {
	x := said{failure: Failure{Broken: l.Broken}, line: line, indent: len(line) - len(strings.TrimLeft(line, " "))}
	second := ""
	groups := l.expression().SubexpNames()
	for i, value := range m {
		group := groups[i]
		if value == "" || group == "" {
			continue
		}
		switch name := strings.TrimRight(group, "23"); {
		case group == "test2":
			second = value
		case name == "test":
			x.failure.Test = l.named(value)
		case name == "file":
			x.failure.File = value
		case name == "package":
			x.failure.Package = value
		case name == "line":
			x.line = value
		case name == "counts":
			l.count(value, &x.tally)
		default:
			if n, err := strconv.Atoi(value); err == nil {
				x.tally.set(slices.Index(countNames[:], name), n)
			}
		}
	}
	if second != "" {
		x.failure.Test += cmp.Or(l.As, " > ") + second
	}
	if f := &x.failure; f.Test != "" {
		f.Package = strings.TrimSuffix(f.Package, "."+f.Test)
	}
	return x
}

// named is a test's name as all formats have it.
func (l *Line) named(name string) string {
	if l.Drop != "" {
		name = expression(l.Drop).ReplaceAllString(name, l.As)
	}
	return strings.ReplaceAll(strings.TrimSpace(name), " › ", " > ")
}

// count reads the numbers of a text with words.
func (l *Line) count(text string, t *counts) {
	words := [nCounts]string{cmp.Or(l.Passed, wordsPassed), cmp.Or(l.Failed, wordsFailed), wordsSkipped, cmp.Or(l.Total, wordsTotal)}
	eachCount(text, func(word string, n int) {
		for what := range words {
			if n >= 0 && Among(words[what], lower(word)) {
				t.set(what, n)
			}
		}
	})
}
