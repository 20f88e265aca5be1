package project

import "strings"

// readTOML reads the tables, strings, arrays and inline tables of a TOML file;
// other values are kept as they are written. What follows a mistake is left out,
// and ok is false. A library would be linked into a program that starts at every
// event of an agent.
func readTOML(text string) (all map[string]any, ok bool) {
	all = map[string]any{}
	r := &tomlReader{text: text}
	table := all
	for {
		r.blank("\n")
		switch {
		case r.bad:
			return all, false
		case r.at >= len(r.text):
			return all, true
		case r.next("[["):
			key := r.key()
			table = map[string]any{}
			if up := within(all, key[:max(len(key)-1, 0)]); up != nil && len(key) > 0 {
				last := key[len(key)-1]
				list, _ := up[last].([]any)
				up[last] = append(list, table)
			}
			r.want("]]")
		case r.next("["):
			if table = within(all, r.key()); table == nil {
				table = map[string]any{}
			}
			r.want("]")
		default:
			r.pair(table)
		}
	}
}

// within is the table at a key's place; nil where something else is.
func within(table map[string]any, key []string) map[string]any {
	for _, name := range key {
		if list, ok := table[name].([]any); ok && len(list) > 0 {
			if last, ok := list[len(list)-1].(map[string]any); ok {
				table = last
				continue
			}
		}
		if table[name] == nil {
			table[name] = map[string]any{}
		}
		inner, ok := table[name].(map[string]any)
		if !ok {
			return nil
		}
		table = inner
	}
	return table
}

type tomlReader struct {
	text  string
	at    int
	bad   bool
	depth int
}

const maxTOMLDepth = 20

// blank passes over white space, what is in more, and comments if lines may end.
func (r *tomlReader) blank(more string) {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case strings.IndexByte(" \t\r"+more, c) >= 0:
			r.at++
		case c == '#' && more != "":
			r.line()
		default:
			return
		}
	}
}

// line goes to the end of the line.
func (r *tomlReader) line() {
	end := strings.IndexByte(r.text[r.at:], '\n')
	if end < 0 {
		end = len(r.text) - r.at
	}
	r.at += end
}

func (r *tomlReader) next(mark string) bool {
	if !strings.HasPrefix(r.text[r.at:], mark) {
		return false
	}
	r.at += len(mark)
	return true
}

func (r *tomlReader) want(mark string) {
	r.blank("")
	r.bad = r.bad || !r.next(mark)
}

// pair reads key = value into a table.
func (r *tomlReader) pair(table map[string]any) {
	key := r.key()
	r.want("=")
	value := r.value()
	if r.bad || len(key) == 0 {
		r.bad = true
		return
	}
	if up := within(table, key[:len(key)-1]); up != nil {
		up[key[len(key)-1]] = value
	}
}

// key reads a.b."c d".
func (r *tomlReader) key() (key []string) {
	for {
		r.blank("")
		if r.at < len(r.text) && (r.text[r.at] == '"' || r.text[r.at] == '\'') {
			key = append(key, r.quoted())
		} else {
			end := r.at
			for end < len(r.text) && strings.IndexByte(" \t\r\n.=]#[{},\"'", r.text[end]) < 0 {
				end++
			}
			if end == r.at {
				r.bad = true
				return nil
			}
			key = append(key, r.text[r.at:end])
			r.at = end
		}
		if r.blank(""); r.bad || !r.next(".") {
			return key
		}
	}
}

func (r *tomlReader) value() any {
	if r.depth++; r.depth > maxTOMLDepth {
		r.bad = true
	}
	defer func() { r.depth-- }()
	r.blank("")
	switch {
	case r.bad || r.at >= len(r.text):
		r.bad = true
		return nil
	case r.text[r.at] == '"' || r.text[r.at] == '\'':
		return r.quoted()
	case r.next("["):
		list := []any{}
		for !r.bad {
			if r.blank("\n,"); r.at >= len(r.text) || r.next("]") {
				break
			}
			list = append(list, r.value())
		}
		return list
	case r.next("{"):
		table := map[string]any{}
		for !r.bad {
			if r.blank("\n,"); r.at >= len(r.text) || r.next("}") {
				break
			}
			r.pair(table)
		}
		return table
	}
	end := r.at
	for end < len(r.text) && strings.IndexByte(",]}#\n", r.text[end]) < 0 {
		end++
	}
	word := strings.TrimSpace(r.text[r.at:end])
	r.bad = word == ""
	r.at = end
	return bare(word)
}

// bare is a number, a date or a truth value, of which nothing is needed.
type bare string

var tomlEscapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", "\\\r\n", "", "\\\n", "")

// quoted reads a string of one line, or of several between three quotes.
func (r *tomlReader) quoted() string {
	mark := r.text[r.at : r.at+1]
	if long := strings.Repeat(mark, 3); strings.HasPrefix(r.text[r.at:], long) {
		mark = long
	}
	r.at += len(mark)
	for end := r.at; end < len(r.text); end++ {
		switch {
		case r.text[end] == '\\' && mark[0] == '"':
			end++
		case r.text[end] == '\n' && len(mark) == 1:
			r.bad = true
			return ""
		case strings.HasPrefix(r.text[end:], mark):
			text := r.text[r.at:end]
			r.at = end + len(mark)
			if len(mark) == 3 {
				text = strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")
			}
			if mark[0] == '"' {
				text = tomlEscapes.Replace(text)
			}
			return text
		}
	}
	r.bad = true
	return ""
}
