package tools

import (
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
	c.Operands = c.Tool.spelled(c.Operands)
	return c
}

// JoinNames spells docker-compose as docker compose.
func JoinNames(words []string) []string {
	head, compose := strings.CutSuffix(Name(words[0]), "-compose")
	if t := Find(head); compose && Among(t.Names, head) && Among(t.Groups, "compose") {
		return slices.Concat([]string{head, "compose"}, words[1:])
	}
	return words
}

// withoutGlobals takes off the flags before the subcommand, and before that of
// its first group.
func (t *Tool) withoutGlobals(words []string) []string {
	at := NextOperand(words, 1, t.Takes)
	rest := []string{words[0]}
	if at < len(words) && words[at] == first(t.Groups) {
		rest = append(rest, words[at])
		at = NextOperand(words, at+1, t.Takes)
	}
	return append(rest, words[min(at, len(words)):]...)
}

// spelled are operands as they are usually said.
func (t *Tool) spelled(ops []string) []string {
	for _, s := range t.Spell {
		ops = s.apply(ops)
	}
	if t.SpellEach == "" {
		return ops
	}
	usual := make([]string, len(ops))
	for i, op := range ops {
		usual[i] = expression(t.SpellEach).ReplaceAllString(op, "$1$2")
	}
	return usual
}

func (s Spelling) apply(ops []string) []string {
	phrase := Args{Operands: ops}.begins(s.Words)
	if phrase == "" && s.Words != "" {
		return ops
	}
	next := ops[len(strings.Fields(phrase)):]
	if len(next) < s.More || len(next) > 0 && Among(s.Not, next[0]) {
		return ops
	}
	usual := strings.Fields(s.As)
	if s.Cut != "" {
		usual, next = append(usual, strings.Split(next[0], s.Cut)...), next[1:]
	}
	return append(usual, next...)
}

// Names reports whether c, a pattern, names have.
func (c Call) Names(have Call) bool {
	if c.Head != have.Head || !c.flagsOf(have) {
		return false
	}
	fixed := min(len(c.Operands), have.chooses())
	if len(have.Operands) < fixed || !slices.Equal(c.Operands[:fixed], have.Operands[:fixed]) {
		return false
	}
	rest := have.Operands[fixed:]
	for _, pattern := range c.Operands[fixed:] {
		at := slices.IndexFunc(rest, func(word string) bool { return fitsWord(pattern, word) })
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// flagsOf reports whether all flags of c, a pattern, are flags of have.
func (c Call) flagsOf(have Call) bool {
	return !slices.ContainsFunc(c.Flags, func(f Flag) bool {
		given := func(h Flag) bool { return h == f || f.Value == "" && h.Name == f.Name }
		return !slices.ContainsFunc(have.Flags, given)
	})
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

// Chosen are the flags among choosers that a run was given, with their values:
// those after a = or the next words.
func Chosen(words []string, choosers string) (all []Flag) {
	for i, w := range words[1:] {
		name, value, joined := strings.Cut(w, "=")
		if !Among(choosers, name) || name == "-x" && !Among(Of(words[0]).Takes, name) {
			continue
		}
		if !joined {
			value = at(words, i+2)
		}
		all = append(all, Flag{name, value})
	}
	return all
}

// ComposeFiles are those that words tell docker compose to read, as written.
func ComposeFiles(words []string) (files []string) {
	if end := slices.IndexFunc(words, oneOf("exec run")); end >= 0 {
		words = words[:end]
	}
	for _, f := range Read(words, "-f --file --project-directory").Flags {
		switch f.Name {
		case "-f", "--file":
			files = append(files, f.Value)
		case "--project-directory": // where paths are then seen from is not followed
			files = append(files, "$"+f.Value)
		}
	}
	return files
}

// Mounts are the folders of this machine that words tell a container to mount.
func Mounts(words []string) (all []string) {
	const flags = "-v --volume --mount --volumes-from"
	for _, f := range Read(words, flags).Flags {
		mount, short := strings.CutPrefix(f.Name, "-v")
		switch {
		case Among(flags, f.Name):
			all = append(all, mountSource(f.Value))
		case short:
			all = append(all, mountSource(mount))
		}
	}
	return all
}

// mountSource is the folder of this machine in type=bind,source=x,target=y, in x:y:ro or
// in C:\x.
func mountSource(mount string) string {
	if m := expression(`(?:^|,)(?:source|src)=([^,]*)`).FindStringSubmatch(mount); m != nil {
		return m[1]
	}
	return expression(`^(?:.:.+|[^:]*)`).FindString(mount)
}

// StashesAll reports whether a git stash takes every change, not some of them.
func StashesAll(words []string) bool {
	a := Read(words[max(slices.Index(words, "stash"), 0):], "-m --message")
	switch a.Operand(0) {
	case "save": // what follows is its message
		return true
	case "push":
		a.Operands = a.Operands[1:]
	}
	return len(a.Operands) == 0 && !a.Has("-k --keep-index -S --staged -p --patch --pathspec-from-file --pathspec-file-nul")
}
