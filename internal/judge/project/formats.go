package project

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// readTOML reads the tables, strings, arrays and inline tables of a TOML file;
// other values are kept as they are written. What follows a mistake is left out,
// and ok is false. A library would be linked into a program that starts at every
// event of an agent.
func readTOML(text string) (all map[string]any, ok bool) {
	all = map[string]any{}
	r := &tomlReader{rest: text}
	for table := all; !r.bad; {
		switch r.blank("\n"); {
		case r.rest == "":
			return all, true
		case r.next("[["):
			table = map[string]any{}
			key := r.key()
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
	return all, false
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
	rest  string
	bad   bool
	depth int
}

const maxTOMLDepth = 20

// blank passes over white space, what is in more, and comments if lines may end.
func (r *tomlReader) blank(more string) {
	for {
		r.rest = strings.TrimLeft(r.rest, " \t\r"+more)
		if more == "" || !strings.HasPrefix(r.rest, "#") {
			return
		}
		r.upTo("\n")
	}
}

// upTo cuts off what stands before one of the bytes, or all.
func (r *tomlReader) upTo(ends string) (text string) {
	at := strings.IndexAny(r.rest, ends)
	if at < 0 {
		at = len(r.rest)
	}
	text, r.rest = r.rest[:at], r.rest[at:]
	return text
}

func (r *tomlReader) next(mark string) (ok bool) {
	r.rest, ok = strings.CutPrefix(r.rest, mark)
	return ok
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
	if r.bad {
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
		name, quoted := r.quoted()
		if !quoted {
			name = r.upTo(" \t\r\n.=]#[{},\"'")
			r.bad = r.bad || name == ""
		}
		if r.bad {
			return nil
		}
		key = append(key, name)
		if r.blank(""); !r.next(".") {
			return key
		}
	}
}

func (r *tomlReader) value() any {
	r.depth++
	defer func() { r.depth-- }()
	r.blank("")
	if r.bad = r.bad || r.depth > maxTOMLDepth; r.bad {
		return nil
	}
	if text, ok := r.quoted(); ok {
		return text
	}
	switch {
	case r.next("["):
		list := []any{}
		for r.more("]") {
			list = append(list, r.value())
		}
		return list
	case r.next("{"):
		table := map[string]any{}
		for r.more("}") {
			r.pair(table)
		}
		return table
	}
	word := strings.TrimSpace(r.upTo(",]}#\n"))
	r.bad = word == ""
	return bare(word)
}

// more reports whether a list or a table goes on, and passes over its end.
func (r *tomlReader) more(end string) bool {
	if r.bad {
		return false
	}
	r.blank("\n,")
	return r.rest != "" && !r.next(end)
}

// bare is a number, a date or a truth value, of which nothing is needed.
type bare string

var tomlEscapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", "\\\r\n", "", "\\\n", "")

// quoted reads a string of one line, or of several between three quotes, if one
// begins here.
func (r *tomlReader) quoted() (text string, ok bool) {
	mark := r.rest[:min(len(r.rest), 1)]
	if mark != `"` && mark != "'" {
		return "", false
	}
	if long := strings.Repeat(mark, 3); strings.HasPrefix(r.rest, long) {
		mark = long
	}
	begin := r.rest[len(mark):]
	for end := 0; end < len(begin); end++ {
		switch {
		case begin[end] == '\\' && mark[0] == '"':
			end++
		case begin[end] == '\n' && len(mark) == 1:
			r.bad = true
			return "", true
		case strings.HasPrefix(begin[end:], mark):
			text, r.rest = begin[:end], begin[end+len(mark):]
			if len(mark) == 3 {
				text = strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")
			}
			if mark[0] == '"' {
				text = tomlEscapes.Replace(text)
			}
			return text, true
		}
	}
	r.bad = true
	return "", true
}

// readYAML reads a file that anybody may have written: a panic is a mistake of it.
func readYAML(text string, into any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return yaml.Unmarshal([]byte(text), into) == nil
}
