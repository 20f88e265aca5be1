package client

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// OnlyComments tells an edit of a file that changes nothing but comments, by the
// piece of text that it replaces. A piece that may lie inside a text of several
// lines is not told apart from code, so it does not count: with a quote that spans
// lines, and of tests and templates unless a linter alone reads the comment.
// Rule: docs/spec.md, "What holds".
func OnlyComments(file, before, after string) bool {
	mark := commentMark(file)
	if mark == "" || before == after || spansLines(unquoted(before, mark)) || spansLines(unquoted(after, mark)) {
		return false
	}
	code, said, ok := uncommented(before, mark)
	now, says, ok2 := uncommented(after, mark)
	if !ok || !ok2 || !slices.Equal(code, now) {
		return false
	}
	samples := ofSamples(file)
	harmless := func(comment string) bool { return forLinters(comment, mark) || !samples && idle(comment, mark) }
	return len(said)+len(says) > 0 && !slices.ContainsFunc(said, func(c string) bool { return !slices.Contains(says, c) && !harmless(c) }) &&
		!slices.ContainsFunc(says, func(c string) bool { return !slices.Contains(said, c) && !harmless(c) })
}

// OnlyCommentsIn is OnlyComments for a patch of one file: each of its hunks.
func OnlyCommentsIn(file, patch string) bool {
	var before, after strings.Builder
	hunks := 0
	whole := func() bool {
		was, is := before.String(), after.String()
		before.Reset()
		after.Reset()
		if was == is {
			return true
		}
		hunks++
		return OnlyComments(file, was, is)
	}
	for line := range strings.Lines(patch) {
		switch line[0] {
		case '@':
			if !whole() {
				return false
			}
		case '-':
			before.WriteString(line[1:])
		case '+':
			after.WriteString(line[1:])
		case ' ':
			before.WriteString(line[1:])
			after.WriteString(line[1:])
		}
	}
	return whole() && hunks > 0
}

// SameButComments reports whether two texts of a whole file differ in nothing that a
// test would notice: comments that no program reads, Python's docstrings, and blanks at
// the ends of lines. Of a language that is not known here they differ.
// Rule: docs/spec.md, "What holds".
func SameButComments(file, before, after string) bool {
	mark := commentMark(file)
	python := path.Ext(file) == ".py"
	if mark == "" || mark == "#" && !python || max(len(before), len(after)) > maxCompared {
		return false // in shells and Ruby a # is often code
	}
	if !python && !slices.Equal(ahead(before, mark), ahead(after, mark)) {
		return false // to tell tokens is dear
	}
	was, told := codeOf(file, before, mark)
	is, tells := codeOf(file, after, mark)
	return told && tells && was == is
}

// maxCompared bounds the texts whose comments are told from their code, in bytes.
const maxCompared = 128 << 10

// ahead is what stands on each line of a text before the first sign of a comment: code,
// whatever follows.
func ahead(text, mark string) (lines []string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, mark)
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Tokens of code, as far as they tell comments from strings.
var (
	slashTokens = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?s)//[^\n]*|/\\*.*?\\*/|" + `""".*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`(?:[^`\\\\]|\\\\.)*`" + `|\s+|\w+|\S`)
	})
	hashTokens = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)#[^\n]*|[rRuUbBfF]{0,2}(?:"""(?:[^\\]|\\.)*?"""|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\s+|\w+|\S`)
	})
)

// codeOf is a text without what no test would notice; not known where a text of several
// lines, or what reads comments, may lie in it unseen.
func codeOf(file, text, mark string) (code string, known bool) {
	python := mark == "#"
	tokens := slashTokens
	if python {
		tokens = hashTokens
	}
	if strings.Count(text, "/*") != strings.Count(text, "*/") && !python || strings.Contains(text, `import "C"`) || strings.Contains(text, "# /// script") {
		return "", false
	}
	docs := python && !docReaders().MatchString(text)
	var b strings.Builder
	var at block
	blank := ""
	all := tokens().FindAllString(text, -1)
	for i, token := range all {
		switch {
		case strings.TrimSpace(token) == "":
			at.read(token)
			blank += token
			continue
		case token == `"` || token == "`":
			return "", false // it goes on behind the line
		case strings.HasPrefix(token, mark) && unread(file, token, mark):
			continue
		case docs && at.opens(token, all[i+1:], blank):
			continue
		}
		if !strings.HasPrefix(token, mark) {
			at.read(token)
		}
		blank = blank[max(0, strings.LastIndex(blank, "\n")):]
		if b.Len() == 0 {
			blank = ""
		}
		b.WriteString(blank + token)
		blank = ""
	}
	return b.String(), true
}

// docReaders are signs that a program reads its own docstrings.
var docReaders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:__doc__|docopt|click|typer|ply|BaseModel|fire\.Fire)\b|@tool\b`)
})

// unread tells a comment of a whole text that no program reads.
func unread(file, comment, mark string) bool {
	if mark == "#" {
		return !strings.HasPrefix(comment, "#!") && !strings.Contains(comment, "coding:") && !strings.Contains(comment, "coding=")
	}
	return forLinters(comment, mark) || !ofSamples(file) && idle(comment, mark)
}

// block follows where a docstring can stand: first in a module, a class or a function.
type block struct {
	depth int  // of brackets
	last  byte // of the code so far, without blanks; 0: none
	inner bool // code stands on the line already
}

func (at *block) read(token string) {
	switch {
	case strings.TrimSpace(token) == "":
		at.inner = at.inner && !strings.Contains(token, "\n")
		return
	case len(token) == 1 && strings.Contains("([{", token):
		at.depth++
	case len(token) == 1 && strings.Contains(")]}", token):
		at.depth--
	}
	at.last, at.inner = token[len(token)-1], true
}

// opens reports whether a token is a docstring, and reads it then: a text alone on its
// line, which more of its block follows. One with examples is none: they are run as
// tests. rest is what follows, blank what stands before.
func (at *block) opens(token string, rest []string, blank string) bool {
	quote := token[len(token)-1:]
	prefix, _, _ := strings.Cut(token, quote)
	text := strings.Contains(`"'`, quote) && !strings.ContainsAny(prefix, "fFbB")
	first := at.depth == 0 && !at.inner && (at.last == 0 || at.last == ':')
	if !text || !first || strings.Contains(token, ">>>") {
		return false
	}
	follows, after := "", ""
	for _, t := range rest {
		if strings.TrimSpace(t) == "" {
			after += t
		} else if !strings.HasPrefix(t, "#") {
			follows = t
			break
		}
	}
	indent := func(s string) string { return s[strings.LastIndex(s, "\n")+1:] }
	if follows == "" || !strings.Contains(after, "\n") || indent(after) != indent(blank) {
		return false
	}
	at.read(token)
	return true
}

// commentMark is the beginning of comments that end with their line, by a file's ending.
func commentMark(file string) string {
	switch strings.TrimPrefix(path.Ext(file), ".") {
	case "go", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "rs", "java", "kt", "swift", "cs", "dart", "c", "h", "cc", "cpp", "hpp", "scala":
		return "//"
	case "py", "rb", "sh", "bash", "ex", "exs":
		return "#"
	}
	return ""
}

// ofSamples tells a file whose texts are often those of other files.
func ofSamples(file string) bool {
	file = strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	return slices.ContainsFunc([]string{"test", "spec", "fixture", "template", "prompt", "sample", "snapshot", "generat", "codegen"}, func(s string) bool { return strings.Contains(path.Base(file), s) || strings.Contains("/"+file, "/"+s) })
}

// unquoted is a text without what comments have in back-ticks, as Markdown has it.
// A quote that ends in a line which looks like a comment has no word right behind
// its end, so no text of several lines is taken for one.
func unquoted(text, mark string) string {
	if mark != "//" || !strings.Contains(text, "`") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		at := commentAt(line, mark)
		if at < 0 || strings.Contains(line[:at], "`") || strings.Contains(line, "\\`") {
			b.WriteString(line)
			continue
		}
		b.WriteString(line[:at] + spans().ReplaceAllString(line[at:], ""))
	}
	return b.String()
}

var spans = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`[A-Za-z0-9_/$-][^`]*`") })

func spansLines(text string) bool {
	marks := []string{"`", `"""`, `'''`, "<<", "/*", "*/"}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
}

// uncommented are the lines of code in a text without their comments, and the
// comments.
func uncommented(text, mark string) (code, comments []string, ok bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.HasSuffix(line, `\`) {
			return nil, nil, false // the next line may belong to the comment
		}
		at := commentAt(line, mark)
		if at >= 0 {
			comments = append(comments, line[at:])
			line = strings.TrimRight(line[:at], " \t")
		}
		if line != "" {
			code = append(code, line)
		}
	}
	return code, comments, true
}

// commentAt is where the comment of a line begins: at its first sign, or after a
// blank, and outside of quotes. -1: there is none, or that cannot be told.
func commentAt(line, mark string) int {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case strings.HasPrefix(line[i:], mark) && strings.TrimLeft(line[:i], " \t") == "":
			return i
		case strings.HasPrefix(line[i:], mark) && (line[i-1] == ' ' || line[i-1] == '\t'):
			return i
		case c == '"' || c == '\'':
			quote = c
		}
	}
	return -1
}

// linters are what comments for linters begin with: they change nothing that a test
// would notice.
var linters = []string{"nolint", "lint:", "eslint-", "tslint:", "biome-ignore", "prettier-ignore", "oxlint-", "noqa", "pylint:", "type: ignore", "mypy:", "pyright:", "ruff:", "nosec", "pragma: no cover",
	"rubocop:", "shellcheck ", "credo:", "swiftlint:", "noinspection", "ignore: ", "NOLINT", "codespell:", "#nosec", "revive:"}

// forLinters tells a comment that only a linter reads.
func forLinters(comment, mark string) bool {
	said := strings.TrimSpace(strings.TrimPrefix(comment, mark))
	return slices.ContainsFunc(linters, func(l string) bool { return strings.HasPrefix(said, l) })
}

// idle tells a comment that no program reads. In languages whose texts of several
// lines often hold the mark, none is.
func idle(comment, mark string) bool {
	text := strings.TrimPrefix(comment, mark)
	said := strings.TrimSpace(text)
	if mark == "#" || text != "" && text[0] != ' ' && text[0] != '\t' {
		return false // what a program reads stands right behind the mark: //go:embed, //export, /// (Rust runs what stands there)
	}
	return !slices.ContainsFunc([]string{"@", "+build", "output:", "unordered output:", "#"}, func(s string) bool { return strings.HasPrefix(strings.ToLower(said), s) }) &&
		!strings.Contains(said, "@ts-") && !strings.Contains(said, "@jsx") && !strings.Contains(said, "sourceMappingURL")
}
