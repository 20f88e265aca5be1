package shell

import (
	"regexp"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

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
