package tools

import (
	"regexp"
	"strings"
	"sync"
)

// Bounds of the patterns that users write.
const (
	maxPattern  = 1 << 10 // bytes of one
	maxPatterns = 256     // that are kept
)

var (
	expressionsMu sync.Mutex
	expressions   map[string]*regexp.Regexp
)

// expression compiles a regular expression when it is first asked for; nil where
// it is none that Go knows.
func expression(text string) *regexp.Regexp {
	if len(text) > maxPattern {
		return nil
	}
	expressionsMu.Lock()
	defer expressionsMu.Unlock()
	expr, known := expressions[text]
	if !known {
		if expressions == nil || len(expressions) >= maxPatterns {
			expressions = map[string]*regexp.Regexp{}
		}
		expr, _ = regexp.Compile(text)
		expressions[text] = expr
	}
	return expr
}

// globFits reports whether a path fits a glob, in which ** crosses folders.
func globFits(glob, name string) bool {
	expr := expression("^" + globExpression(glob) + "$")
	return expr != nil && expr.MatchString(name)
}

// globExpression is a glob as a regular expression.
func globExpression(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	return b.String()
}
