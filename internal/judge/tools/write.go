package tools

import (
	"path"
	"slices"
	"strings"
)

// Ways to tell from a command's operands what it changes.

// operands are files by name.
func operands(_ Call, a Args) (named []string, others bool) { return a.Operands, false }

// formatted are those of a formatter, which is given folders as often as files:
// only what has an extension is taken for a file.
func formatted(_ Call, a Args) (named []string, others bool) {
	return parted(a.Operands, func(f string) bool { return path.Ext(path.Base(f)) != "" && strings.Trim(path.Base(f), ".") != "" })
}

// gitPaths are files, folders or everything.
func gitPaths(_ Call, a Args) (named []string, others bool) {
	return parted(a.Operands, func(f string) bool {
		return !Among(". .. ...", path.Base(f)) && !strings.HasSuffix(f, "/") && f[:min(1, len(f))] != ":"
	})
}

func parted(operands []string, isFile func(string) bool) (named []string, others bool) {
	for _, f := range operands {
		if isFile(f) {
			named = append(named, f)
		}
	}
	return named, len(named) < max(len(operands), 1)
}

// downloads are addresses whose last part names the file.
func downloads(_ Call, a Args) (named []string, others bool) {
	for _, url := range a.Operands {
		named = append(named, path.Base(url))
	}
	return named, false
}

// copied are the destination of cp and its kin, or the files in it, and what mv takes
// away. What is on another machine is not told.
func copied(c Call, a Args) (named []string, others bool) {
	sources, into := a.Operands, ""
	switch t, n := a.Values("-t --target-directory"), len(sources); {
	case len(t) > 0:
		into = t[0] + "/"
	case n > 1:
		sources, into = sources[:n-1], sources[n-1]
	case c.Head == "ln" && n == 1:
		into = "./"
	default:
		return nil, true
	}
	if Among("rsync scp docker podman", c.Head) && strings.Contains(into, ":") {
		return nil, false
	}
	if c.Head == "mv" {
		named = append(named, sources...)
	}
	switch {
	case Among("rsync docker podman", c.Head):
		return []string{into}, true
	case len(sources) == 1 && !strings.HasSuffix(into, "/") && !Among(". ..", path.Base(into)):
		return append(named, into), a.letter("rR") || path.Ext(into) == "" // perhaps a folder, and the file is in it
	}
	for _, s := range sources {
		named = append(named, Join(into, path.Base(s)))
	}
	return named, false
}

// patched lists the files that a patch in the line names: git's, diff's or the
// agents' own form (*** Update File: x).
func patched(text string) (named []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for _, mark := range [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/"} {
			if file, ok := strings.CutPrefix(line, mark); ok && file != "" && !slices.Contains(named, file) {
				named = append(named, file)
			}
		}
	}
	return named
}

// patches are those of the files that a patch names, in the words or on standard input.
func patches(c Call, a Args) (named []string, others bool) {
	named = append(slices.Clip(a.Operands[:min(1, len(a.Operands))]), patched(c.Stdin+"\n"+strings.Join(c.Words[1:], "\n"))...)
	return named, len(named) == 0
}

// streams are files of the stream editors, which change them only where told.
// A program of perl's that is no filter may write anything.
func streams(c Call, a Args) (named []string, others bool) {
	files, edits := streamed(c.Head, c.Words)
	if !edits {
		return nil, c.Head == "perl" && !a.letter("np")
	}
	return files, len(files) == 0
}

// streamed splits the arguments of a stream editor: its files, and whether it
// writes them back.
func streamed(name string, words []string) (files []string, edits bool) {
	script, awk, takes := false, Among("awk gawk", name), "-e --expression -f --file -l --line-length -F -v --field-separator --assign"
	if name == "yq" {
		takes = "-I --indent -o --output-format -p --input-format"
	}
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "":
		case word == "--":
			files = append(files, words[i+1:]...)
			i = len(words)
		case word[0] != '-' || word == "-":
			files = append(files, word)
		case strings.HasPrefix(word, "--"):
			edits = edits || strings.HasPrefix(word, "--in-place") || word == "--inplace"
			script = script || strings.HasPrefix(word, "--expression=") || strings.HasPrefix(word, "--file=")
			if Among(takes, word) {
				script = script || Among("--expression --file", word)
				i++
			}
		case awk && word == "-i":
			i++
			edits = edits || i < len(words) && words[i] == "inplace"
		case name == "perl" && strings.ContainsAny(word[1:2], "MmI"):
		default:
			group, _, _ := strings.Cut(word, ".") // -i.bak
			edits = edits || !awk && strings.Contains(group, "i")
			if last := group[len(group)-1:]; last == "e" || last == "E" && name == "perl" || Among(takes, word) {
				script = script || last != "v" && last != "F"
				i++
			}
		}
	}
	if name == "yq" && len(files) > 0 && Among("e eval ea eval-all", files[0]) {
		files = files[1:]
	}
	if !script && len(files) > 0 {
		files = files[1:] // the script is the first operand
	}
	return slices.DeleteFunc(files, func(f string) bool { return f == "-" }), edits
}

// tasks are for task runners: what a task changes is told by its name.
func tasks(_ Call, a Args) (named []string, others bool) {
	for _, target := range a.Operands {
		if !verifies(target) && !Assignment(target) {
			return nil, true
		}
	}
	return nil, len(a.Operands) == 0 || updates(a)
}

// script is for package managers, whose first operand is a task.
func script(_ Call, a Args) (named []string, others bool) {
	return nil, !verifies(a.Operand(0)) || updates(a)
}

// snapshots are for test runners, which change files only where they are told to take
// what they see for right.
func snapshots(_ Call, a Args) (named []string, others bool) { return nil, updates(a) }

// updates reports whether a test run rewrites its snapshots.
func updates(a Args) bool {
	for _, f := range a.Flags {
		name := strings.TrimLeft(f.Name, "-")
		if f.Name == "-u" || strings.HasPrefix(name, "update") || strings.Contains(name, "snapshot-update") || name == "force-regen" || name == "inline-snapshot" {
			return !Among("none false", f.Value)
		}
	}
	return false
}
