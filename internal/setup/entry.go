package setup

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/edit"
)

// serverArgs is what the program of the MCP server is started with.
var serverArgs = []string{"mcp"}

// entry is the MCP server as a client's settings have it.
type entry struct {
	there   bool
	ours    bool // as Init writes it, with any path of the program
	text    string
	command string
	args    []string
	off     bool            // it says itself that it is not to be started
	allowed map[string]bool // tools that it lets through (TOML)

	variables []string // that it is given (TOML)
}

// pitons reports whether an entry runs Piton's server, whoever wrote it.
func (e entry) pitons() bool {
	return e.there && baseName(e.command) == "piton" && slices.Equal(e.args, serverArgs)
}

// asWritten reports whether the members of an entry are those that Init writes, and no others.
func asWritten(members map[string]json.RawMessage, timeout int) bool {
	for name, value := range members {
		switch name {
		case "command", "args":
		case "type":
			if string(value) != `"stdio"` {
				return false
			}
		case "timeout":
			if string(value) != fmt.Sprint(timeout) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// entryIn reads the entry in settings in JSON.
func (c agentClient) entryIn(f form, text []byte) entry {
	return c.entryAt(f.value(text, c.Server.Section, client.ServerName))
}

func (c agentClient) entryAt(at *edit.Node) entry {
	if at == nil || at.Kind() == edit.Null {
		return entry{}
	}
	e := entry{there: true, text: at.Raw()}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(at.Raw()), &members) != nil {
		return e
	}
	json.Unmarshal(members["command"], &e.command) // what is not a string stays empty
	json.Unmarshal(members["args"], &e.args)
	e.ours = e.pitons() && asWritten(members, c.Server.Timeout) && !at.HasComments()
	return e
}

// entryText is the entry that Init writes.
func (c agentClient) entryText(command string) string {
	args, _ := json.Marshal(serverArgs) // strings only
	text := fmt.Sprintf(`{"command":%s,"args":%s`, edit.Quote(command), args)
	if c.Server.Timeout > 0 {
		text += fmt.Sprintf(`,"timeout":%d`, c.Server.Timeout)
	}
	return text + "}"
}

// enter adds the entry to settings in JSON, or brings the path of the program in it up to date. Where somebody has changed it, it
// stays.
func (c agentClient) enter(f form, before []byte, empty map[string]string, command string) ([]byte, error) {
	return f.edited(before, empty, func(s *edit.JSON) error {
		path := []string{c.Server.Section, client.ServerName}
		at := s.Root().At(path...)
		switch e := c.entryAt(at); {
		case !e.there:
			return s.Put(path, false, c.entryText(command))
		case e.ours && e.command != command:
			s.Set(at, "command", edit.Quote(command))
		}
		return nil
	})
}

// removeEntry takes the entry out of settings in JSON if it is as Init writes it.
func (c agentClient) removeEntry(f form, before []byte, empty map[string]string) ([]byte, error) {
	return f.edited(before, empty, func(s *edit.JSON) error {
		if at := s.Root().At(c.Server.Section, client.ServerName); c.entryAt(at).ours {
			s.Remove(at)
		}
		return nil
	})
}

// allow adds the rules that are missing to the list of those that let calls pass.
func (c agentClient) allow(f form, before []byte, empty map[string]string) ([]byte, error) {
	rules := c.Server.Rules()
	if len(rules) == 0 {
		return before, nil
	}
	return f.edited(before, empty, func(s *edit.JSON) error {
		known := stringsIn(s.Root().At(c.Server.Allow...))
		for _, rule := range rules {
			if slices.Contains(known, rule) {
				continue
			}
			if err := s.Put(c.Server.Allow, true, edit.Quote(rule)); err != nil {
				return err
			}
		}
		return nil
	})
}

// disallow takes out the rules that Init has added: not those that were there before.
func (c agentClient) disallow(f form, before []byte, empty map[string]string, first []string) ([]byte, error) {
	return f.edited(before, empty, func(s *edit.JSON) error {
		for {
			list := s.Root().At(c.Server.Allow...).Items()
			i := len(list) - 1
			for i >= 0 && (slices.Contains(first, list[i].Str()) || !slices.Contains(c.Server.Rules(), list[i].Str())) {
				i--
			}
			if i < 0 {
				return nil
			}
			s.Remove(list[i])
		}
	})
}

// rulesIn are those of our rules that stand in a list already.
func (c agentClient) rulesIn(f form, text []byte) []string {
	known := stringsIn(f.value(text, c.Server.Allow...))
	return slices.DeleteFunc(c.Server.Rules(), func(rule string) bool { return !slices.Contains(known, rule) })
}
