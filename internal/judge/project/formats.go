package project

import (
	"github.com/pelletier/go-toml/v2/unstable"
	"go.yaml.in/yaml/v3"
)

// readTOML reads the tables, strings, arrays and inline tables of a TOML file;
// other values are kept as they are written. What follows a mistake is left out,
// and ok is false: the library's own decoder keeps nothing then.
func readTOML(text string) (all map[string]any, ok bool) {
	all = map[string]any{}
	var p unstable.Parser
	p.Reset([]byte(text))
	defer func() { ok = recover() == nil && p.Error() == nil }() // anybody may have written it
	for table := all; p.NextExpression(); {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			table = within(all, keyOf(e))
		case unstable.ArrayTable:
			table = map[string]any{}
			up, last := placeOf(all, e)
			list, _ := up[last].([]any)
			up[last] = append(list, table)
		default:
			up, last := placeOf(table, e)
			up[last] = tomlValue(e.Value())
		}
	}
	return all, true
}

// within is the table at a key's place; a new one where something else is.
func within(table map[string]any, key []string) map[string]any {
	for _, name := range key {
		at := table[name]
		if list, ok := at.([]any); ok && len(list) > 0 {
			at = list[len(list)-1]
		}
		inner, ok := at.(map[string]any)
		if !ok {
			inner = map[string]any{}
		}
		if table[name] == nil {
			table[name] = inner
		}
		table = inner
	}
	return table
}

// placeOf is the table that an expression's key leads to, and its name there.
func placeOf(table map[string]any, e *unstable.Node) (up map[string]any, last string) {
	key := keyOf(e)
	return within(table, key[:len(key)-1]), key[len(key)-1]
}

func keyOf(e *unstable.Node) (key []string) {
	for it := e.Key(); it.Next(); {
		key = append(key, string(it.Node().Data))
	}
	return key
}

func tomlValue(n *unstable.Node) any {
	switch n.Kind {
	case unstable.String:
		return string(n.Data)
	case unstable.Array:
		list := []any{}
		for it := n.Children(); it.Next(); {
			list = append(list, tomlValue(it.Node()))
		}
		return list
	case unstable.InlineTable:
		table := map[string]any{}
		for it := n.Children(); it.Next(); {
			up, last := placeOf(table, it.Node())
			up[last] = tomlValue(it.Node().Value())
		}
		return table
	}
	return bare(n.Data)
}

// bare is a number, a date or a truth value, of which nothing is needed.
type bare string

// readYAML reads a file that anybody may have written: a panic is a mistake of it.
func readYAML(text string, into any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return yaml.Unmarshal([]byte(text), into) == nil
}
