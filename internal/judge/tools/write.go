package tools

import (
	"path"
	"slices"
	"strings"
)

// idle reports whether a program does nothing but end.
func idle(word string) bool { return Of(strings.TrimSpace(word)).Does&Idle != 0 }

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(strings.Trim(text, `"'`)), " ")
	return word
}

// formatted splits the operands of a formatter, which is given folders as often
// as files: only what has an extension is taken for a file.
func formatted(operands []string) (named []string, others bool) {
	for _, f := range operands {
		if b := path.Base(f); strings.Trim(b, ".") == "" || path.Ext(b) == "" {
			others = true
		} else {
			named = append(named, f)
		}
	}
	return named, others || len(operands) == 0
}

// subcommandWrites reads tools that format or fix under a subcommand.
func subcommandWrites(c Call) (named []string, others bool) {
	return subcommand(c, c.Has(checksOnly+" -check"))
}

// fixOnlyWrites is subcommandWrites for tools whose format only looks without a
// flag.
func fixOnlyWrites(c Call) (named []string, others bool) {
	return subcommand(c, c.Has(checksOnly+" -check") || !c.Has(applies))
}

const applies = "--fix --fix-only --write --apply --apply-unsafe --unsafe -w"

func subcommand(c Call, looks bool) (named []string, others bool) {
	switch c.Operand(0) {
	case "format", "fmt":
		if looks {
			return nil, false
		}
		return formatted(c.From(1))
	case "check", "lint", "ci":
		if !c.Has(applies) {
			return nil, false
		}
		return formatted(c.From(1))
	case "test", "analyze", "validate", "plan", "show", "output", "version", "doc", "info", "state":
		return nil, updates(c.Args)
	}
	return nil, true
}

// streamWrites reads the stream editors, which change files only where told.
func streamWrites(c Call) (named []string, others bool) {
	files, edits := streamed(c.Head, c.Words)
	switch {
	case edits:
		return files, len(files) == 0
	case c.Head == "perl":
		return nil, !Read(c.Words, "").letter("np") // a program of its own, not a filter
	case Among("awk gawk", c.Head):
		return nil, strings.Contains(strings.Join(c.Words[1:], " "), `> "`)
	}
	return nil, false
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

// snapshotWrites reads test runners, which change files only where they are told
// to take what they see for right.
func snapshotWrites(c Call) (named []string, others bool) { return nil, updates(c.Args) }

// updates reports whether a test run rewrites its snapshots.
func updates(a Args) bool {
	for _, f := range a.Flags {
		name := strings.TrimLeft(f.Name, "-")
		if f.Name == "-u" || strings.HasPrefix(name, "update") || strings.Contains(name, "snapshot-update") || name == "force-regen" || name == "inline-snapshot" {
			return f.Value != "none"
		}
	}
	return false
}
