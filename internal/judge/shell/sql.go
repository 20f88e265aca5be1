package shell

import (
	"strings"

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
	for text != "" {
		var token string
		token, text = sqlToken(text)
		switch {
		case token == ";":
			if lossy(words, where) {
				return strings.Join(words, " ")
			}
			words, where = nil, false
		case token != "":
			where = where || strings.EqualFold(token, "where")
			if len(words) < 6 {
				words = append(words, token)
			}
		}
	}
	if lossy(words, where) {
		return strings.Join(words, " ")
	}
	return ""
}

func lossy(words []string, where bool) bool {
	if len(words) < 2 {
		return false
	}
	switch strings.ToUpper(words[0]) {
	case "DROP":
		return tools.Among("TABLE DATABASE SCHEMA", strings.ToUpper(words[1]))
	case "TRUNCATE":
		return true
	case "DELETE":
		return strings.EqualFold(words[1], "from") && !where
	}
	return false
}

// sqlToken cuts the next token off text: a word, a quoted name or ";". White
// space, comments, strings and signs give "".
func sqlToken(text string) (token, rest string) {
	upTo := func(start int, end string) int {
		if i := strings.Index(text[start:], end); i >= 0 {
			return start + i + len(end)
		}
		return len(text)
	}
	switch c := text[0]; {
	case c == ';':
		return ";", text[1:]
	case c == '\'':
		return "", text[upTo(1, "'"):]
	case c == '"' || c == '`':
		end := upTo(1, string(c))
		return text[:end], text[end:]
	case strings.HasPrefix(text, "--"):
		return "", text[upTo(2, "\n"):]
	case strings.HasPrefix(text, "/*"):
		return "", text[upTo(2, "*/"):]
	case wordByte(c):
		end := 1
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		return text[:end], text[end:]
	}
	return "", text[1:]
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
