package setup

import (
	"bytes"

	"github.com/pelletier/go-toml/v2"
)

// decodeTable reads a TOML text as a whole.
func decodeTable(text []byte) (map[string]any, error) {
	all := map[string]any{}
	err := toml.Unmarshal(text, &all)
	return all, err
}

// header is the head of a table in a TOML text.
type header struct {
	from  int // where its line begins
	names []string
}

// headers lists the heads of tables in a valid TOML text, those of lists of tables included.
func headers(text []byte) []header {
	var list []header
	for at := 0; at < len(text); {
		line := at
		for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
			at++
		}
		if at < len(text) && text[at] == '[' {
			end := statementEnd(text, at, false)
			list = append(list, header{line, headerNames(text[at:end])})
			at = end
		} else {
			at = statementEnd(text, at, true)
		}
		if at < len(text) {
			at++ // the end of the line
		}
	}
	return list
}

// inline reports whether a table is given as one value, {…}, which cannot be added to.
func inline(text []byte, name string) bool {
	for at := 0; at < len(text); at++ {
		line := bytes.TrimLeft(text[at:], " \t")
		if bytes.HasPrefix(line, []byte("[")) {
			return false // what follows is another table's
		}
		if key, _, ok := bytes.Cut(line, []byte("=")); ok && string(bytes.Trim(bytes.TrimSpace(key), `"'`)) == name {
			return true
		}
		at = statementEnd(text, at, true)
	}
	return false
}

// statementEnd is where the line of a statement ends: in a value, brackets may go on over lines.
func statementEnd(text []byte, at int, value bool) int {
	depth := 0
	for at < len(text) {
		switch c := text[at]; {
		case c == '#':
			if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
				at += n
				continue
			}
			return len(text)
		case c == '"' || c == '\'':
			at = stringEnd(text, at)
			continue
		case c == '\n' && depth <= 0:
			return at
		case value && (c == '[' || c == '{'):
			depth++
		case value && (c == ']' || c == '}'):
			depth--
		}
		at++
	}
	return at
}

// stringEnd is the offset behind the string that begins at an offset.
func stringEnd(text []byte, at int) int {
	quote := text[at : at+1]
	long := bytes.Repeat(quote, 3)
	closing := quote
	if bytes.HasPrefix(text[at:], long) {
		closing = long
	}
	for at += len(closing); at < len(text); at++ {
		if text[at] == '\\' && quote[0] == '"' {
			at++
			continue
		}
		if bytes.HasPrefix(text[at:], closing) {
			at += len(closing)
			for len(closing) == 3 && at < len(text) && text[at] == quote[0] { // up to two quotes may stand before the closing ones
				at++
			}
			return at
		}
		if len(closing) == 1 && text[at] == '\n' {
			return at // not valid
		}
	}
	return len(text)
}

// headerNames are the names in a head; none in that of a list of tables.
func headerNames(head []byte) []string {
	if bytes.HasPrefix(head, []byte("[[")) {
		return nil
	}
	table, err := decodeTable(head)
	if err != nil {
		return nil
	}
	var names []string
	for len(table) == 1 {
		for name, below := range table {
			names = append(names, name)
			table, _ = below.(map[string]any)
		}
	}
	return names
}
