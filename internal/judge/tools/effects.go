package tools

import (
	"path"
	"slices"
	"strings"
)

// Folders are the operands that stand for any number of files.
const (
	formattedFolders = `^/*$|(?:^|/)(?:[^./]+|\.+)/*$`
	gitFolders       = `^$|^:|/$|(?:^|/)\.{1,3}$`
)

// Changes are the files that the command changes, and whether there are others.
func (c Call) Changes() (named []string, others bool) {
	if c.Tool.Does&Reads != 0 {
		return nil, false
	}
	for i := range c.Tool.Writes {
		w := &c.Tool.Writes[i]
		if a := w.args(c); w.holds(c, a) {
			named, others = w.changes(c, a)
			return slices.DeleteFunc(named, func(f string) bool { return f == "-" }), others
		}
	}
	return nil, true
}

// Risk is the kind of what the command can destroy, "" if it is nothing.
func (c Call) Risk() string {
	for i := range c.Tool.Risks {
		if r := &c.Tool.Risks[i]; r.holds(c, r.args(c)) {
			return r.Kind
		}
	}
	return ""
}

// Shown are the files that the command prints.
func (c Call) Shown() []string {
	s := c.Tool.Shows
	switch {
	case s == nil:
		return nil
	case s.Streams:
		files, _ := c.Tool.Streams.read(c.Words)
		return files
	}
	a := Read(c.Words, s.Takes)
	if len(a.Values(s.Unless)) > 0 {
		return a.Operands
	}
	return a.From(s.From)
}

func (w *Case) args(c Call) Args {
	a := c.Args
	if w.Takes != "" {
		a = Read(c.Words, c.Tool.Takes+" "+w.Takes)
	}
	if c.Tool.HandsOn {
		a.Flags = slices.Concat(a.Flags, a.handedOn(""))
	}
	return a
}

func (w *Case) holds(c Call, a Args) bool {
	switch {
	case w.Sub != "" && a.begins(w.Sub) == "",
		w.Any != "" && !slices.ContainsFunc(a.Operands, oneOf(w.Any)),
		w.Flags+w.Letters != "" && !a.Has(w.Flags) && !a.letter(w.Letters),
		a.Has(w.Unless), a.letter(w.Without),
		w.Most > 0 && len(a.Operands) > w.Most,
		w.Dashes && len(a.Rest) == 0:
		return false
	case w.Executes != "":
		inner := c.Tool.Executed(c.Words)
		return len(inner) > 0 && Among(w.Executes, Name(Plain(inner)[0]))
	}
	return w.Fits == "" || fits(w.Fits, strings.Join(c.Words, " "))
}

func (w *Case) changes(c Call, a Args) (named []string, others bool) {
	named = append(a.Values(w.Values), strings.Fields(w.Names)...)
	for _, o := range a.Operands {
		if name, value, _ := strings.Cut(o, "="); value != "" && Among(w.Values, name) {
			named = append(named, value)
		}
	}
	few := len(a.Operands) < w.Least
	if a.Operands = a.From(w.From); w.Dashes {
		a.Operands = a.Rest
	}
	found, more := w.Files.of(c, a)
	return append(named, found...), w.Others || few || more
}

// of are the files that the operands name, and whether there may be others.
func (f files) of(c Call, a Args) (named []string, others bool) {
	switch f {
	case operands:
		return a.Operands, false
	case formatted:
		return without(formattedFolders, a.Operands)
	case gitPaths:
		return without(gitFolders, a.Operands)
	case downloads:
		return based("", a.Operands), false
	case copied:
		return copies(c.Head, a)
	case patches:
		named = append(slices.Clip(a.Operands[:min(1, len(a.Operands))]), patched(c.Stdin+"\n"+strings.Join(c.Words[1:], "\n"))...)
		return named, len(named) == 0
	case streams:
		named, edits := c.Tool.Streams.read(c.Words)
		if !edits {
			return nil, c.Tool.Streams.Filters != "" && !a.letter(c.Tool.Streams.Filters)
		}
		return named, len(named) == 0
	case targets:
		writes := func(target string) bool { return !verifies(target) && !Assignment(target) }
		return nil, len(a.Operands) == 0 || slices.ContainsFunc(a.Operands, writes) || updates(a)
	case script:
		return nil, !verifies(a.Operand(0)) || updates(a)
	case snapshots:
		return nil, updates(a)
	}
	return nil, false
}

// without are the operands that are files, and whether there are others or none.
func without(folders string, operands []string) (named []string, others bool) {
	named = slices.DeleteFunc(slices.Clone(operands), func(o string) bool { return fits(folders, o) })
	return named, len(named) < max(len(operands), 1)
}

// based are the last parts of paths, seen from a folder.
func based(dir string, paths []string) (all []string) {
	for _, p := range paths {
		all = append(all, Join(dir, path.Base(p)))
	}
	return all
}

// copies are the destination of cp and its kin, or the files in it, and what mv takes
// away. What is on another machine is not told.
func copies(head string, a Args) (named []string, others bool) {
	sources := slices.Clone(a.Operands)
	switch dir := a.Values("-t --target-directory"); {
	case len(dir) > 0:
		sources = append(sources, dir[0]+"/")
	case head == "ln" && len(sources) == 1:
		sources = append(sources, "./")
	}
	last := len(sources) - 1
	if last < 1 {
		return nil, true
	}
	sources, into := sources[:last], sources[last]
	remote := Among("rsync scp docker podman", head)
	switch {
	case remote && strings.Contains(into, ":"):
		return nil, false
	case remote && head != "scp":
		return []string{into}, true
	case head == "mv":
		named = slices.Clone(sources)
	case remote:
		for i, from := range sources {
			sources[i] = from[strings.LastIndexByte(from, ':')+1:]
		}
	}
	if last == 1 && !fits(`^$|/$|(?:^|/)\.{1,2}$`, into) {
		return append(named, into), a.letter("rR") || path.Ext(into) == "" // perhaps a folder, and the file is in it
	}
	return append(named, based(into, sources)...), false
}

// patched lists the files that a patch in the line names: git's, diff's or the
// agents' own form (*** Update File: x).
func patched(text string) (named []string) {
	patch := expression(`(?m)^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |\+\+\+ b/|--- a/)(.+?)\r*$`)
	for _, m := range patch.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(named, m[1]) {
			named = append(named, m[1])
		}
	}
	return named
}

// read splits the arguments of a stream editor: its files, and whether it writes them
// back. Without a flag that gives it, the script is the first operand.
func (s *Streams) read(words []string) (files []string, edits bool) {
	script := false
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" }) // sed -i ''
	for i := 1; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			files = append(files, words[i+1:]...)
			break
		}
		if !isFlag(word) {
			files = append(files, word)
			continue
		}
		shown := word + " " + at(words, i+1) + " "
		edits = edits || fits(s.Edits, shown)
		gives := fits(s.Script, shown)
		script = script || gives
		if Among(s.Takes, word) || gives && !strings.HasPrefix(word, "--") {
			i++
		}
	}
	if len(files) > 0 && Among(s.Verbs, files[0]) {
		files = files[1:]
	}
	if !script && len(files) > 0 {
		files = files[1:]
	}
	return slices.DeleteFunc(files, func(f string) bool { return f == "-" }), edits
}

// Parts of the names of tasks.
const (
	writingPart   = `(?:^|[:_.-])(?:fix|write|update|fmt|format|generate|gen|snapshots)(?:$|[:_.-])`
	verifyingPart = `(?:^|[:_.-])(?:tests?|check|lint|typecheck|types|tsc|vet|ci|verify|unit|e2e|integration|spec|coverage|cover|race)(?:$|[:_.-])`
)

// verifies reports whether the name of a task says that it only looks:
// test:unit and lint-go do, lint:fix does not.
func verifies(task string) bool { return fits(verifyingPart, task) && !fits(writingPart, task) }

// updates reports whether a test run rewrites its snapshots.
func updates(a Args) bool {
	return slices.ContainsFunc(a.Flags, func(f Flag) bool {
		return fits(`^-u$|^-*update|snapshot-update|^-*(?:force-regen|inline-snapshot)$`, f.Name) && !Among("none false", f.Value)
	})
}
