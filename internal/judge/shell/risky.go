package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"

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
	found, _ := Parse(line)
	for _, c := range found {
		if risk, ok := c.Risk(); ok {
			return risk, true
		}
	}
	return Risk{}, false
}

// risks are words of which every risky operation has one.
const risks = "rm shred unlink del delete chmod chown chgrp dd wipefs blkdiscard mkfs reset clean checkout restore switch stash worktree branch push reflog filter " +
	"destroy drain uninstall prune volume down drop dropdb truncate flushall flushdb flush dropdatabase deletemany rb"

func speaksOfRisk(line string) bool {
	words := strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(word string) bool { return tools.Among(risks, word) })
}

// sqlText is the SQL that words hand to a database's own client: as an
// argument, a flag's value or the standard input.
func sqlText(words []string, stdin string) string {
	// Which argument is SQL does not matter: the others do not read as a loss.
	a := tools.Read(words, "")
	texts := append(a.Operands, stdin)
	for _, f := range a.Flags {
		texts = append(texts, f.Value)
		if len(f.Name) > 2 && (f.Name[1] == 'e' || f.Name[1] == 'c') {
			texts = append(texts, f.Name[2:]) // mysql -e"drop …"
		}
	}
	return strings.Join(texts, "\n;\n")
}

// sqlLoss is the first statement of text that drops, truncates or deletes
// without a condition, in its first words; "" if there is none.
func sqlLoss(text string) string {
	var words []string // of the statement
	where := false
	for _, token := range append(sqlToken().FindAllString(text, -1), ";") {
		switch {
		case token == ";":
			begin := strings.Join(words[:min(len(words), 6)], " ")
			if sqlLossy().MatchString(begin) && !(where && strings.EqualFold(words[0], "delete")) {
				return begin
			}
			words, where = nil, false
		case strings.HasPrefix(token, "'"), strings.HasPrefix(token, "--"), strings.HasPrefix(token, "/*"):
		default:
			where = where || strings.EqualFold(token, "where")
			words = append(words, token)
		}
	}
	return ""
}

var (
	// sqlToken is a semicolon, a string, a comment, a quoted name or a word.
	sqlToken = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`;|'[^']*'?|--[^\n]*|(?s:/\*.*?(?:\*/|\z))|"[^"]*"?|` + "`[^`]*`?" + `|[\w.$\x{80}-\x{10FFFF}]+`)
	})
	sqlLossy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:drop (?:table|database|schema)(?: |$)|truncate |delete from(?: |$))`)
	})
)
