package shell

import (
	"slices"
	"strings"
)

// inPlace reads the stream editors, which change files only where told.
func inPlace(name string, words []string) (named []string, more bool) {
	files, edits := streamed(name, words)
	switch {
	case edits:
		return files, len(files) == 0
	case name == "perl":
		a := read(words, "")
		return nil, !a.letter("np") // a program of its own, not a filter
	case name == "awk" || name == "gawk":
		return nil, strings.Contains(strings.Join(words[1:], " "), `> "`)
	}
	return nil, false
}

// streamed splits the arguments of a stream editor: its files, and whether it
// writes them back.
func streamed(name string, words []string) (files []string, edits bool) {
	script, valued := false, "-e --expression -f --file -l --line-length -F -v --field-separator --assign"
	if name == "yq" {
		valued = "-I --indent -o --output-format -p --input-format"
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
			if among(valued, word) {
				script = script || among("--expression --file", word)
				i++
			}
		case (name == "awk" || name == "gawk") && word == "-i":
			i++
			edits = edits || i < len(words) && words[i] == "inplace"
		case name == "perl" && strings.ContainsAny(word[1:2], "MmI"):
		default:
			group, _, _ := strings.Cut(word, ".") // -i.bak
			edits = edits || name != "awk" && name != "gawk" && strings.Contains(group, "i")
			if last := group[len(group)-1:]; last == "e" || last == "E" && name == "perl" || among(valued, word) {
				script = script || last != "v" && last != "F"
				i++
			}
		}
	}
	if name == "yq" && len(files) > 0 && among("e eval ea eval-all", files[0]) {
		files = files[1:]
	}
	if !script && len(files) > 0 {
		files = files[1:] // the script is the first operand
	}
	return slices.DeleteFunc(files, func(f string) bool { return f == "-" }), edits
}
