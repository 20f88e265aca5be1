package tools

import (
	"regexp"
	"slices"
	"strings"
)

// NewCall reads the words of a command.
func NewCall(words []string) Call {
	words = JoinNames(words)
	c := Call{Head: Name(words[0]), Words: words}
	c.Tool = Find(c.Head)
	takes, args := c.Tool.Takes, words
	if c.Tool.Before {
		args, takes = c.Tool.withoutGlobals(words), ""
	}
	c.Args = Read(args, takes)
	if c.Tool.Spell != nil {
		c.Operands = c.Tool.Spell(c.Operands)
	}
	return c
}

// JoinNames spells docker-compose as docker compose.
func JoinNames(words []string) []string {
	if head, ok := strings.CutSuffix(Name(words[0]), "-compose"); ok && Among(Find(head).Names, head) && Among(Find(head).Groups, "compose") {
		return slices.Concat([]string{head, "compose"}, words[1:])
	}
	return words
}

// withoutGlobals takes off the flags before the subcommand, and before that of
// its first group.
func (t *Tool) withoutGlobals(words []string) []string {
	at := NextOperand(words, 1, t.Takes)
	rest := []string{words[0]}
	if group, _, _ := strings.Cut(t.Groups, " "); at < len(words) && words[at] == group {
		rest = append(rest, group)
		at = NextOperand(words, at+1, t.Takes)
	}
	return append(rest, words[min(at, len(words)):]...)
}

// Names reports whether c, a pattern, names have.
func (c Call) Names(have Call) bool {
	if c.Head != have.Head {
		return false
	}
	for _, f := range c.Flags {
		if !slices.ContainsFunc(have.Flags, func(h Flag) bool {
			return h.Name == f.Name && (f.Value == "" || f.Value == h.Value)
		}) {
			return false
		}
	}
	fixed := min(len(c.Operands), have.chooses())
	if len(have.Operands) < fixed || !slices.Equal(c.Operands[:fixed], have.Operands[:fixed]) {
		return false
	}
	rest := have.Operands[fixed:]
	for _, w := range c.Operands[fixed:] {
		at := slices.IndexFunc(rest, func(have string) bool { return have == w || fitsStars(w, have) })
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// fitsStars reports whether a word fits another one in which * stands for any
// text: */agent-restart*.
func fitsStars(pattern, word string) bool {
	if !strings.Contains(pattern, "*") {
		return false
	}
	expr := expression("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
	return expr != nil && expr.MatchString(word)
}

// chooses says how many operands choose what the program does, and so must be
// the pattern's own: `git stash push` is no `git push`.
func (c Call) chooses() int {
	if c.Tool.Groups != "" && Among(c.Tool.Groups, c.Operand(0)) {
		return 2
	}
	return c.Tool.Chooses
}

// Dir is the folder that the program's own flags send it to.
func (t *Tool) Dir(words []string) (dir string) {
	if t.Folder == "" {
		return ""
	}
	if t.FolderFirst {
		words = words[:min(len(words), NextOperand(words, 1, t.Takes))]
	}
	for _, d := range Read(words, t.Takes).Values(t.Folder) {
		dir = Join(dir, d)
	}
	return dir
}

// DryRun is the flag, subcommand or variable of env that keeps the program from
// doing what it is for; "" if there is none.
func (c Call) DryRun(env []string) string {
	t, flags := c.Tool, c.Flags
	if t.DryCall != nil {
		if word := t.DryCall(c); word != "" {
			return word
		}
	}
	if sub := c.begins(t.DrySubs); sub != "" {
		return sub[strings.LastIndexByte(sub, ' ')+1:]
	}
	if t.HandsOn {
		flags = slices.Concat(flags, c.rest(t.Takes))
	}
	for _, f := range flags {
		switch {
		case Among("--help --dry-run --dryrun", f.Name) && !Among("false none", f.Value), f.Name == "--version" && !t.VersionOf, Among(t.Dry, f.Name):
			return f.Name
		case c.idles(f.Name + "=" + f.Value):
			if f.Value != "" && c.Has(t.Instead) {
				return first(t.Instead)
			}
			return f.Name
		}
	}
	if at := slices.IndexFunc(c.Operands, c.idles); at >= 0 {
		return c.Operands[at]
	}
	return c.dryByEnv(env)
}

// idles reports whether a flag with its value, or an operand, keeps the program from
// doing anything.
func (c Call) idles(word string) bool {
	return c.Tool.DryFits != "" && expression(c.Tool.DryFits).MatchString(c.Operand(0)+" "+word)
}

// dryByEnv is the variable that does what a dry flag does: GOFLAGS=-n,
// PYTEST_ADDOPTS=--co. A name of DryEnv may end in *.
func (c Call) dryByEnv(env []string) string {
	if len(env) == 0 {
		return ""
	}
	for want := range strings.FieldsSeq(c.Tool.DryEnv) {
		for _, set := range slices.Backward(env) {
			name, value, _ := strings.Cut(set, "=")
			if prefix, all := strings.CutSuffix(want, "*"); name != want && !(all && strings.HasPrefix(name, prefix)) {
				continue
			}
			if NewCall(c.with(append(flagsIn(value), set))).DryRun(nil) != "" {
				return name
			}
			if name == want {
				break // the last value counts
			}
		}
	}
	return ""
}

// WithFlagsOf are the call's words with the flags that variables of env give it
// (GOFLAGS, PYTEST_ADDOPTS), behind its subcommand.
func (c Call) WithFlagsOf(env []string) []string {
	for _, set := range env {
		name, value, _ := strings.Cut(set, "=")
		if Among("GOFLAGS PYTEST_ADDOPTS SPEC_OPTS MOCHA_OPTIONS", name) && Among(c.Tool.DryEnv, name) {
			return c.with(flagsIn(value))
		}
	}
	return c.Words
}

// with are the call's words with more of them behind its subcommand.
func (c Call) with(words []string) []string {
	at := min(1+len(strings.Fields(c.begins("test|vet|build"))), len(c.Words))
	return slices.Concat(c.Words[:at], words, c.Words[at:])
}

func flagsIn(value string) []string { return strings.Fields(strings.Trim(value, `"'`)) }

// Shown are the files that the command prints.
func (c Call) Shown() []string {
	s := c.Tool.Shows
	switch {
	case s == nil:
		return nil
	case s.Streams:
		files, _ := streamed(c.Head, c.Words)
		return files
	}
	a := Read(c.Words, s.Takes)
	if s.Unless != "" && len(a.Values(s.Unless)) > 0 {
		return a.Operands
	}
	return a.From(s.From)
}

// Executed is the command that the program runs on each file that it finds.
func (t *Tool) Executed(words []string) []string {
	if t.Exec == "" {
		return nil
	}
	at := slices.IndexFunc(words, func(w string) bool { return Among(t.Exec, w) })
	if at < 0 {
		return nil
	}
	inner := words[at+1:]
	if end := slices.IndexFunc(inner, func(w string) bool { return w == ";" || w == "+" }); end >= 0 {
		inner = inner[:end]
	}
	return inner
}

// ShellText is the shell's text among the words, as the value of one of the
// tool's Inline flags or as Text finds it.
func (t *Tool) ShellText(words []string) (text string, ok bool) {
	if t.Text != nil {
		return t.Text(words)
	}
	for i, w := range words {
		if i+1 < len(words) && Among(t.Inline, w) {
			return words[i+1], true
		}
	}
	return "", false
}
