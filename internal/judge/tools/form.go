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
			w.Words, w.Dir = wrap.open(t, words, at)
			w.Tool, w.Wrap, w.Own = t, wrap, words[1:max(len(words)-len(w.Words), 1)]
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

// open gives the command that begins after the wrapper's flags and operands.
func (w *Wrap) open(t *Tool, words []string, at int) (inner []string, dir string) {
	dir = t.Dir(words[:at])
	if w.Dashes {
		end := slices.Index(words[at:], "--")
		if end < 0 {
			return nil, ""
		}
		at += end
	}
	if w.After != "" {
		end := slices.IndexFunc(words[at:], func(word string) bool { return Among(w.After, word) })
		if end < 0 {
			return nil, ""
		}
		at += end + 1
	}
	for ; at < len(words) && len(words[at]) > 1 && words[at][0] == '-'; at++ {
		if words[at] == "--" {
			at++
			break
		}
		if Among("--help --version --dry-run --dryrun", words[at]) || Among(w.Not, words[at]) {
			return nil, ""
		}
		name, value, joined := strings.Cut(words[at], "=")
		if !joined && Among(w.Takes, name) && at+1 < len(words) {
			at++
			value, joined = words[at], true
		}
		if joined && (Among(w.Folder, name) || Among("--directory --cwd", name)) {
			dir = Join(dir, value)
		}
	}
	at += w.Skip
	for w.Assigns && at < len(words) && Assignment(words[at]) {
		at++
	}
	if at < len(words) && words[at] == "--" {
		at++
	}
	if at >= len(words) || words[at] == "" || words[at][0] == '-' {
		return nil, ""
	}
	if inner = words[at:]; w.Inner != nil {
		inner = w.Inner(inner)
	}
	if w.Scripts && isScript(inner[0]) {
		return nil, ""
	}
	return inner, dir
}

// isScript reports whether a word is no program, but a script that the project
// defines: unknown, or one of those that no one calls like this.
func isScript(word string) bool {
	return !strings.Contains(word, "/") && (Of(word) == &unknown || Of(word).Does&Nothing != 0)
}

// Forms are the ways to see words: as they stand, and step by step without what
// runs them: wrappers, python -m, an interpreter before its script.
func Forms(words []string) [][]string {
	all := [][]string{words}
	for range maxDepth {
		next := reduce(words)
		if next == nil {
			break
		}
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
	if t.Inner != nil {
		return t.Inner(words)
	}
	if t.Calls != nil {
		return t.called(words)
	}
	if t.Script == nil || t.Script.Text == "" {
		return nil
	}
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "" || word == "-" || Among("--eval --print", word):
			return nil
		case word[0] != '-':
			return words[i:] // a script
		case strings.HasPrefix(word, "--"):
		case Among(t.Script.Takes, word):
			i++
		case t.Script.Module && strings.HasSuffix(word, "m"):
			if i+1 < len(words) && words[i+1] != "" {
				return words[i+1:]
			}
			return nil
		case strings.ContainsRune(t.Script.Text, rune(word[len(word)-1])):
			return nil
		}
	}
	return nil
}

// called is what the tool's text or its script calls; with the text, where that takes a
// part of the tests.
func (t *Tool) called(words []string) []string {
	for i, word := range words[1:] {
		for _, c := range t.Calls {
			switch {
			case !expression(c.Fits).MatchString(word):
				continue
			case c.Rest:
				return slices.Concat([]string{c.Name}, words[i+2:])
			case c.Part != "" && expression(c.Part).MatchString(word):
				return []string{c.Name, word}
			}
			return []string{c.Name}
		}
	}
	return nil
}

// projectProgram is the program that yarn, pnpm or bun starts for a word that is
// none of its own commands: `yarn tsc`.
func projectProgram(words []string) []string {
	t := Of(words[0])
	if t.Own == "" {
		return nil
	}
	at := NextOperand(words, 1, t.Takes)
	if at >= len(words) || words[at] == "" || Among(t.Own, words[at]) {
		return nil
	}
	return words[at:]
}

func composerScript(ops []string) []string {
	if len(ops) > 1 && Among("run run-script", ops[0]) {
		return ops[1:]
	}
	return ops
}

func dotnetWatch(ops []string) []string {
	if len(ops) > 1 && ops[0] == "watch" {
		return ops[1:]
	}
	return ops
}
