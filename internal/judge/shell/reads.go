package shell

import (
	"slices"
	"strings"
)

// Reads returns the files that the command shows or is fed, joined with Dir:
// cat, head, sed -n, grep, diff and the like, and <.
// Rule: docs/spec.md, "Changed files" (a file edited without having been read).
func (c Command) Reads() []string {
	named := slices.Clone(c.inputs)
	if len(c.Words) > 0 {
		named = append(named, shown(plain(c.Words))...)
	}
	named = slices.DeleteFunc(named, func(f string) bool { return f == "-" || f == "." || strings.HasPrefix(f, "<(") })
	return joinAll(c.Dir, named)
}

func shown(words []string) []string {
	switch name := program(words[0]); name {
	case "cat", "less", "more", "nl", "tac", "strings":
		return read(words, "").operands
	case "bat", "batcat":
		return read(words, "-r --line-range -l --language -H --highlight-line").operands
	case "xxd", "od", "hexdump":
		return read(words, "-l -s -N -j -n -c -g -w -t -A").operands
	case "head", "tail":
		return read(words, "-n --lines -c --bytes").operands
	case "diff", "cmp", "colordiff":
		return read(words, "-U -C -I -x").operands
	case "sed", "awk", "gawk", "yq":
		files, _ := streamed(name, words)
		return files
	case "jq":
		return read(words, "--arg --argjson --indent").from(1)
	case "grep", "egrep", "fgrep", "rg", "ag", "ack":
		a := read(words, "-A -B -C -m -e -f -g -t -T -d --regexp --include --exclude --exclude-dir --glob --type --context --max-count")
		if len(a.values("-e -f --regexp")) > 0 {
			return a.operands
		}
		return a.from(1)
	}
	return nil
}
