package shell

import (
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Risk is what a command can destroy beyond recall.
type Risk struct {
	Kind   string // one of the kinds of package tools: "delete files"
	Detail string // the command's words, or the SQL statement's, at most 120 bytes
}

// Risk reports whether the command is a risky operation: rm -r, git reset
// --hard, git clean -f, a forced push, DROP TABLE and the like. The argv
// counts, so `echo "rm -rf /"` is none. Neither is push --force-with-lease,
// which refuses to overwrite what this clone has not seen, nor a dry run.
// Rule: docs/spec.md, "Automatic triggers" (pre_risky_operation).
func (c Command) Risk() (Risk, bool) {
	if len(c.Words) == 0 || c.DryRun() {
		return Risk{}, false
	}
	call := tools.NewCall(tools.Plain(c.Words))
	if call.Tool.Does&tools.Database != 0 {
		if statement := sqlLoss(sqlText(call.Words, c.Stdin)); statement != "" {
			return Risk{tools.DestroyData, clip(statement)}, true
		}
	}
	if kind := call.Risk(); kind != "" {
		return Risk{kind, clip(strings.Join(c.Words, " "))}, true
	}
	return Risk{}, false
}

func clip(s string) string {
	const most = 120
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most-len("…")], "") + "…"
	}
	return s
}

// Risky returns the first risky operation of a line (see Command.Risk). It runs
// before every command of an agent: most lines are told by their words in a
// microsecond, the others are parsed. One that cannot be parsed is not guessed
// at.
// Rule: docs/spec.md, "Automatic triggers" (pre_risky_operation).
func Risky(line string) (Risk, bool) {
	if !speaksOfRisk(line) {
		return Risk{}, false
	}
	found, err := Parse(line)
	if err != nil {
		return Risk{}, false
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
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' }) {
		switch strings.ToLower(word) {
		case "rm", "shred", "unlink", "del", "delete", "chmod", "chown", "chgrp", "dd", "wipefs", "blkdiscard", "mkfs",
			"reset", "clean", "checkout", "restore", "switch", "stash", "worktree", "branch", "push", "reflog", "filter",
			"destroy", "drain", "uninstall", "prune", "volume", "down", "drop", "dropdb", "truncate", "flushall", "flushdb", "flush", "dropdatabase", "deletemany", "rb":
			return true
		}
	}
	return false
}
