package setup

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/edit"
)

// decodeTable reads a TOML text as a whole.
func decodeTable(text []byte) (map[string]any, error) {
	all := map[string]any{}
	err := toml.Unmarshal(text, &all)
	return all, err
}

// sub is the table under a name, nil where there is none.
func sub(table map[string]any, name string) map[string]any {
	t, _ := table[name].(map[string]any)
	return t
}

// tableEntryIn reads the entry in settings in TOML. One that does not stand under headers of its own is not as Init writes it.
func (c agentClient) tableEntryIn(text []byte) entry {
	all, err := decodeTable(text)
	table := sub(sub(all, c.Server.Section), client.ServerName)
	if err != nil || table == nil {
		return entry{}
	}
	e := entry{there: true, allowed: map[string]bool{}}
	e.command, _ = table["command"].(string)
	e.args = words(table["args"])
	e.variables = words(table["env_vars"])
	if on, ok := table["enabled"].(bool); ok {
		e.off = !on
	}
	asWritten := true
	for name := range table {
		asWritten = asWritten && slices.Contains([]string{"command", "args", "env_vars", "tools"}, name)
	}
	for _, name := range words(table["env_vars"]) {
		asWritten = asWritten && slices.Contains(c.Server.Variables, name)
	}
	for tool, t := range sub(table, "tools") {
		way, _ := t.(map[string]any)
		let := way["approval_mode"] == "approve"
		e.allowed[tool] = let
		asWritten = asWritten && let && len(way) == 1
	}
	own := edit.TableText(text, c.Server.Section, client.ServerName)
	alone, err := decodeTable(own)
	whole := err == nil && reflect.DeepEqual(sub(sub(alone, c.Server.Section), client.ServerName), table)
	e.text = string(own)
	e.ours = e.pitons() && asWritten && whole && !hasRemarks(own)
	return e
}

// words are the strings of a list; what is not a string is "".
func words(list any) (all []string) {
	values, _ := list.([]any)
	for _, v := range values {
		s, _ := v.(string)
		all = append(all, s)
	}
	return all
}

// hasRemarks reports whether a line is a comment, or ends in one.
func hasRemarks(text []byte) bool {
	for line := range bytes.Lines(text) {
		bare := bytes.TrimSpace(line)
		if bytes.HasPrefix(bare, []byte("#")) || bytes.LastIndexByte(bare, '#') > bytes.LastIndexAny(bare, `"'`) {
			return true
		}
	}
	return false
}

// enterTable adds the entry to settings in TOML, at the end, or brings it up to date. Everything else keeps its bytes. note says why
// it could not.
func (c agentClient) enterTable(path string, before []byte, empty map[string]string, command string) (after []byte, note string, err error) {
	first, err := decodeTable(before)
	if err != nil {
		return nil, "", &piton.Error{Code: piton.Invalid, Op: "edit " + path, Hint: "fix it by hand, then try again", Err: fmt.Errorf("not TOML: %w", err)}
	}
	after = before
	if e := c.tableEntryIn(before); e.there {
		if !e.ours || e.command == command && slices.Equal(e.variables, c.Server.Variables) && maps.Equal(e.allowed, c.allAllowed()) {
			return before, "", nil
		}
		after = edit.RemoveTable(before, c.Server.Section, client.ServerName)
	}
	switch {
	case before == nil:
		delete(empty, "")
	case len(before) == 0:
		empty[""] = ""
	}
	after = edit.AppendTable(after, c.tableText(command))
	if !c.onlyOurs(first, after) {
		return before, path + " has its servers in a form that cannot be added to: add " + client.ServerName + " there by hand, with the command " + command + " " + strings.Join(serverArgs, " "), nil
	}
	return after, "", nil
}

// onlyOurs reports whether a text says what a table said, and our entry, and nothing else.
func (c agentClient) onlyOurs(first map[string]any, after []byte) bool {
	now, err := decodeTable(after)
	if err != nil || !c.tableEntryIn(after).ours {
		return false
	}
	for _, t := range []map[string]any{now, first} {
		if section := sub(t, c.Server.Section); section != nil {
			delete(section, client.ServerName)
			if len(section) == 0 {
				delete(t, c.Server.Section)
			}
		}
	}
	return reflect.DeepEqual(now, first)
}

func (c agentClient) allAllowed() map[string]bool {
	all := map[string]bool{}
	for _, tool := range client.ServerTools {
		all[tool] = c.Server.AllowEach
	}
	return all
}

// tableText is the entry that Init writes.
func (c agentClient) tableText(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s.%s]\ncommand = %s\nargs = [%q]\n", c.Server.Section, client.ServerName, tomlString(command), serverArgs[0])
	fmt.Fprintf(&b, "env_vars = [\"%s\"]\n", strings.Join(c.Server.Variables, `", "`))
	if c.Server.AllowEach {
		for _, tool := range client.ServerTools {
			fmt.Fprintf(&b, "tools.%s.approval_mode = \"approve\"\n", tool)
		}
	}
	return b.String()
}

// tomlString is a string that TOML reads back.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// removeTable takes the entry out of settings in TOML if it is as Init writes it; nil where nothing of the file is left.
func (c agentClient) removeTable(before []byte, empty map[string]string) []byte {
	if !c.tableEntryIn(before).ours {
		return before
	}
	after := edit.RemoveTable(before, c.Server.Section, client.ServerName)
	if len(after) > 0 {
		return after
	}
	if was, ok := empty[""]; ok {
		return []byte(was)
	}
	return nil
}
