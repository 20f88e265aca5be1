package shell

import "strings"

// maxTries bounds how often Risky guesses where a command begins in a line that
// cannot be parsed.
const maxTries = 64

// Risky returns the first risky operation of a line (see Command.Risk). It runs
// before every command of an agent: most lines are told by their words in a
// microsecond, the others are parsed. In a line that Parse cannot read it looks
// for commands word by word; a checkpoint too many harms nobody.
func Risky(line string) (Risk, bool) {
	if !speaksOfRisk(line) {
		return Risk{}, false
	}
	found, err := Parse(line)
	if err != nil {
		return guessRisk(line)
	}
	for _, c := range found {
		if risk, ok := c.Risk(); ok {
			return risk, true
		}
	}
	return Risk{}, false
}

// speaksOfRisk tells whether one of the words is there that every risky
// operation needs.
func speaksOfRisk(line string) bool {
	from := -1
	for i := 0; i <= len(line); i++ {
		if i < len(line) && (line[i]|0x20 >= 'a' && line[i]|0x20 <= 'z') {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 && riskyWord(line[from:i]) {
			return true
		}
		from = -1
	}
	return false
}

func riskyWord(word string) bool {
	if len(word) < 2 || len(word) > 12 {
		return false
	}
	switch strings.ToLower(word) {
	case "rm", "shred", "unlink", "del", "delete", "chmod", "chown", "chgrp", "dd", "wipefs", "blkdiscard", "mkfs",
		"reset", "clean", "checkout", "restore", "switch", "stash", "worktree", "branch", "push", "reflog", "filter",
		"destroy", "drain", "uninstall", "prune", "volume", "down", "drop", "dropdb", "truncate", "flushall", "flushdb", "flush", "dropdatabase", "deletemany", "rb":
		return true
	}
	return false
}

// guessRisk looks for risky operations in a text that is no shell's.
func guessRisk(line string) (Risk, bool) {
	tries := 0
	for part := range strings.FieldsFuncSeq(line[:min(len(line), maxLine)], func(r rune) bool { return strings.ContainsRune(";&|\n()", r) }) {
		words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t\r'\"`{}", r) })
		for i, word := range words {
			if mentions(word) && program(word) != "git" {
				break
			}
			if !speaksOfRisk(strings.Join(words[i:min(len(words), i+8)], " ")) {
				continue
			}
			if tries++; tries > maxTries {
				return Risk{}, false
			}
			if risk, ok := (Command{Words: words[i:min(len(words), i+40)]}).Risk(); ok {
				return risk, true
			}
			if program(word) == "git" {
				break // what follows is its own: a message
			}
		}
	}
	return Risk{}, false
}
