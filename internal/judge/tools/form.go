package tools

import (
	"slices"
	"strings"
)

// maxDepth bounds wrappers in wrappers.
const maxDepth = 8

// Wrapped is the command in another one.
type Wrapped struct {
	Words []string
	Dir   string // the folder that the wrapper sends it to
	Tool  *Tool  // the wrapper
	Wrap  *Wrap
	Own   []string // the wrapper's arguments
}

// Unwrap takes one wrapper off words: sudo, timeout 60, uv run, docker compose
// exec web. Words is nil if there is none.
func Unwrap(words []string) (w Wrapped) {
	words = JoinNames(words)
	t := Of(words[0])
	for i := range t.Wraps {
		wrap := &t.Wraps[i]
		if at := wrap.match(t, words); at > 0 {
			w = Wrapped{Tool: t, Wrap: wrap}
			w.Words, w.Dir = wrap.open(t.Dir(words[:at]), words[at:])
			w.Own = words[1:max(len(words)-len(w.Words), 1)]
			return w
		}
	}
	return w
}

// match is the place after the wrapper's own words, 0 if it is another. Flags of
// the program may stand before its subcommand.
func (w *Wrap) match(t *Tool, words []string) int {
	at := 1
	for sub := range strings.FieldsSeq(w.Sub) {
		if at = NextOperand(words, at, t.Takes); at >= len(words) || words[at] != sub {
			return 0
		}
		at++
	}
	return at
}

// open gives the command that begins after the wrapper's flags and operands, and its folder.
func (w *Wrap) open(dir string, words []string) (inner []string, _ string) {
	if w.After != "" {
		end := slices.IndexFunc(words, oneOf(w.After))
		words = words[end+1:]
		if end < 0 {
			return nil, ""
		}
	}
	at := NextOperand(words, 0, w.Takes)
	if end := slices.Index(words, "--"); end >= 0 && end < at {
		at = end + 1
	}
	for _, f := range Read(append([]string{""}, words[:min(at, len(words))]...), w.Takes).Flags {
		switch {
		case Among("--help --version --dry-run --dryrun", f.Name) && f.Value == "", Among(w.Not, f.Name):
			return nil, ""
		case Among(w.Folder, f.Name), Among("--directory --cwd", f.Name):
			dir = Join(dir, f.Value)
		}
	}
	inner = named(w.begin(words[min(at+w.Skip, len(words)):]))
	if inner == nil || inner[0][0] == '-' || w.Scripts && isScript(inner[0]) {
		return nil, ""
	}
	return inner, dir
}

// begin takes off what may stand before the command.
func (w *Wrap) begin(words []string) []string {
	for w.Before != "" && len(words) > 0 {
		before := expression(w.Before).FindString(words[0])
		if before == "" {
			break
		}
		if rest := words[0][len(before):]; rest != "" {
			return slices.Concat([]string{rest}, words[1:])
		}
		words = words[1:]
	}
	if len(words) > 0 && words[0] == "--" {
		return words[1:]
	}
	return words
}

// isScript reports whether a word is not a program, but a script that the project
// defines: unknown, or one of those that no one calls like this.
func isScript(word string) bool {
	return !strings.Contains(word, "/") && (Of(word) == &unknown || Of(word).Does&Nothing != 0)
}

// Forms are the ways to see words: as they stand, and step by step without what
// runs them: wrappers, python -m, an interpreter before its script.
func Forms(words []string) [][]string {
	all := [][]string{words}
	for next := reduce(words); next != nil && len(all) <= maxDepth; next = reduce(next) {
		all, words = append(all, next), next
	}
	if bin := projectProgram(words); bin != nil {
		all = append(all, bin)
	}
	return all
}

// Plain is the program that does the work, with its arguments.
func Plain(words []string) []string {
	for range maxDepth {
		next := reduce(words)
		if next == nil {
			break
		}
		words = next
	}
	return words
}

func reduce(words []string) []string {
	if w := Unwrap(words); w.Words != nil {
		return w.Words
	}
	t := Of(words[0])
	switch {
	case t.Inner == goProgram:
		return goRuns(words, t.Takes)
	case t.Inner == nxTarget:
		return nxRuns(words)
	case t.Calls != nil:
		return t.called(words[1:])
	case t.Script != nil && t.Script.Text != "":
		return t.Script.run(words[1:])
	}
	return nil
}

// run is the script, or the module, that an interpreter is told to run.
func (in *Interpreter) run(args []string) []string {
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch {
		case word == "", Among("- --eval --print", word):
			return nil
		case word[0] != '-':
			return args[i:]
		case strings.HasPrefix(word, "--"):
		case Among(in.Takes, word):
			i++
		case in.Module && strings.HasSuffix(word, "m"):
			return named(args[i+1:])
		case strings.ContainsRune(in.Text, rune(word[len(word)-1])):
			return nil
		}
	}
	return nil
}

// named are words that begin with one that is not empty.
func named(words []string) []string {
	if len(words) == 0 || words[0] == "" {
		return nil
	}
	return words
}

// called is what the tool's text or its script calls; with the text, where that takes a
// part of the tests.
func (t *Tool) called(args []string) []string {
	for i, word := range args {
		at := slices.IndexFunc(t.Calls, func(c Callee) bool { return fits(c.Fits, word) })
		if at < 0 {
			continue
		}
		c := t.Calls[at]
		switch {
		case c.Rest:
			return slices.Concat([]string{c.Name}, args[i+1:])
		case c.Part != "" && fits(c.Part, word):
			return []string{c.Name, word}
		}
		return []string{c.Name}
	}
	return nil
}

// projectProgram is the program that yarn, pnpm or bun starts for a word that is
// none of its own commands: `yarn tsc`.
func projectProgram(words []string) []string {
	t := Of(words[0])
	rest := named(words[min(NextOperand(words, 1, t.Takes), len(words)):])
	if t.Own == "" || rest == nil || Among(t.Own, rest[0]) {
		return nil
	}
	return rest
}

// goRuns is the program that go tool and go run module@version start: the last part of
// its module's path, without a version.
func goRuns(words []string, takes string) []string {
	at := NextOperand(words, 1, takes)
	module := NextOperand(words, at+1, takes)
	if module >= len(words) {
		return nil
	}
	name := words[module]
	switch words[at] {
	case "tool":
		if Among(ownGoTools, name) {
			return nil
		}
	case "run":
		if !fits(`@|^\.*[^./][^/]*\.[^/]*/|^[^/]*\.[^/]*[^./][^/]*/`, name) {
			return nil // a package of its own
		}
	default:
		return nil
	}
	name, _, _ = strings.Cut(name, "@")
	if name = expression(`/v\d+$`).ReplaceAllString(name, ""); name == "" {
		return nil
	}
	return slices.Concat([]string{name}, words[module+1:])
}

// nxRuns spells nx run-many --targets=lint,test as nx run-many test, and
// nx run app:test as nx test app.
func nxRuns(words []string) []string {
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		if Among("-t --target --targets", name) && slices.Contains(strings.Split(value, ","), "test") {
			return slices.Concat(words[:i], []string{"test"}, words[i+1:])
		}
		if app, ok := strings.CutSuffix(w, ":test"); ok && i == 2 && words[1] == "run" {
			return slices.Concat([]string{words[0], "test", app}, words[3:])
		}
	}
	return nil
}

// Executed is the command that the program runs on each file that it finds.
func (t *Tool) Executed(words []string) []string {
	at := slices.IndexFunc(words, oneOf(t.Exec))
	if at < 0 {
		return nil
	}
	inner := words[at+1:]
	if end := slices.IndexFunc(inner, oneOf("; +")); end >= 0 {
		inner = inner[:end]
	}
	return inner
}

// ShellText is the shell's text among the words.
func (t *Tool) ShellText(words []string) (text string, ok bool) {
	if t.Text == nil || t.Text.Sub != "" && (len(words) < 2 || !Among(t.Text.Sub, words[1])) {
		return "", false
	}
	at := slices.IndexFunc(words, oneOf(t.Text.Flags)) + 1
	switch {
	case t.Text.Last:
		return words[len(words)-1], len(words) > 3
	case at == 0, at == len(words):
		return "", false
	case t.Text.Rest:
		return strings.Join(words[at:], " "), true
	}
	return strings.TrimPrefix(t.Text.Program+" "+words[at], " "), true
}
