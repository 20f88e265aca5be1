package tools

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Bounds in bytes. An output may be written to be long.
const (
	maxLine = 2000 // of a line: how much is looked at for words
	maxName = 500  // of what is named
)

// lower is the beginning of a line in small letters.
func lower(line string) string { return strings.ToLower(line[:min(len(line), maxLine)]) }

// exitNamed is an exit status other than 0: exit status 1, exited with code 2, EXIT=1,
// rc: 3.
const exitNamed = `(?:^|[^a-z.\x{80}-\x{10ffff}])(?:exit|rc)(?:[ :=_()$?'"\x60]|status|code|with|value|was|non-zero|ed)+0*[1-9]\d{0,8}(?:\D|$)`

// ExitNamed reports whether a line in small letters names an exit status other
// than 0.
func ExitNamed(low string) bool { return containsAny(low, "exit|rc") && fits(exitNamed, low) }

// first is the first word of a text.
func first(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

// cutLast splits a text at the last occurrence of a mark; without one, all of it
// stands behind.
func cutLast(text, mark string) (before, after string) {
	if i := strings.LastIndex(text, mark); i >= 0 {
		return text[:i], text[i+len(mark):]
	}
	return "", text
}

// begins reports whether a text begins with one of some phrases.
func begins(text, phrases string) bool {
	return slices.ContainsFunc(strings.Split(phrases, "|"), func(p string) bool { return strings.HasPrefix(text, p) })
}

// containsAny reports whether a text holds one of some phrases.
func containsAny(text, phrases string) bool {
	return slices.ContainsFunc(strings.Split(phrases, "|"), func(p string) bool { return strings.Contains(text, p) })
}

// Bounds of the patterns that users write.
const (
	maxPattern  = 1 << 10 // bytes of one
	maxPatterns = 512     // that are kept
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

// fits reports whether a text, or a part of it, fits a regular expression. Nothing
// fits one that Go does not know.
func fits(expr, text string) bool {
	re := expression(expr)
	return re != nil && re.MatchString(text)
}

// starred is an expression of a text in which * stands for what another one says.
func starred(text, star string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, star)
}

// globFits reports whether a path fits a glob, in which ** crosses folders.
func globFits(glob, name string) bool {
	expr := strings.NewReplacer(`\*\*/`, "(?:.*/)?", `\*\*`, ".*", `\*`, "[^/]*", `\?`, "[^/]").Replace(regexp.QuoteMeta(glob))
	return fits("^"+expr+"$", name)
}
