package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/edit"
)

// memory is what the settings file itself cannot tell after Init: which containers were there before, but empty. Everything else
// is told by where things stand, and without a memory Uninstall takes what it empties for Init's own. So there is one only where
// a file, an object, a list or a folder was empty, or a rule of ours or the server was there before. It holds brackets, white space, paths and
// our own rules, nothing else of the user's.
type memory struct {
	Path    string            `json:"path"`              // the settings file
	Empty   map[string]string `json:"empty,omitempty"`   // text of containers by JSON pointer; "" the root, or the whole blank file
	Folders []string          `json:"folders,omitempty"` // folders
	Rules   []string          `json:"rules,omitempty"`   // those of our rules that let calls pass that were there before
	Server  bool              `json:"server,omitempty"`  // the MCP server was there before, as Init would have written it

	file   string // where it is kept; "" if it is not
	before []byte
}

// recall reads the memory of a file that Init changes. A memory that cannot be read counts as empty.
func recall(t Target, c agentClient, path string) (*memory, error) {
	m := &memory{}
	if t.State != "" {
		sum := sha256.Sum256([]byte(path))
		m.file = filepath.Join(t.State, "setup", fmt.Sprintf("%s-%s-%x.json", c.name, t.Scope, sum[:8]))
		text, err := read(m.file)
		if err != nil {
			return nil, err
		}
		m.before = text
		if json.Unmarshal(text, m) != nil || m.Path != path {
			m.Empty, m.Folders, m.Rules, m.Server = nil, nil, nil, false
		}
	}
	m.Path = path
	empty := map[string]string{}
	for at, was := range m.Empty {
		if c.emptyContainer(at, was) {
			empty[at] = was
		}
	}
	m.Empty = empty
	m.Rules = slices.DeleteFunc(m.Rules, func(rule string) bool { return !slices.Contains(c.Server.Rules(), rule) })
	return m, nil
}

// emptyContainer reports whether a text may be put in the place that a pointer names: an empty container, or null for one.
func (c agentClient) emptyContainer(at, was string) bool {
	d, err := edit.ParseJSON([]byte(was), c.Comments)
	if err != nil || d.Root() != nil && len(d.Root().List) > 0 {
		return false
	}
	const blank, list, object, null = "\x00", "[n", "{n", "n"
	section := "/" + c.Server.Section
	kinds := map[string]string{"": "{" + blank, "/hooks": object, section: object, section + "/" + client.ServerName: null, "/" + c.StatusLine: null}
	if allow := c.Server.Allow; len(allow) > 0 {
		kinds["/"+allow[0]] = object
		kinds["/"+strings.Join(allow, "/")] = list
	}
	if strings.HasPrefix(at, "/hooks/") {
		kinds[at] = list
	}
	return strings.IndexByte(kinds[at], d.Root().Kind()) >= 0
}

// noteEmpty notes which of the folders are there and empty.
func (m *memory) noteEmpty(folders []string) {
	for _, f := range folders {
		entries, err := os.ReadDir(f)
		known := slices.Index(m.Folders, f)
		switch {
		case err == nil && len(entries) == 0 && known < 0:
			m.Folders = append(m.Folders, f)
		case os.IsNotExist(err) && known >= 0:
			m.Folders = slices.Delete(m.Folders, known, known+1)
		}
	}
}

// created are the folders that were not there before Init, as far as is known.
func (m *memory) created(folders []string) []string {
	return slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return slices.Contains(m.Folders, f) })
}

// change writes the memory down, or removes it where there is nothing to remember.
func (m *memory) change() Change {
	if len(m.Empty) == 0 && len(m.Folders) == 0 && len(m.Rules) == 0 && !m.Server {
		return m.forget()
	}
	if m.file == "" {
		return Change{}
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		panic("setup: writing strings as JSON: " + err.Error())
	}
	return Change{Path: m.file, Before: m.before, After: text.Bytes(), What: "what uninstall needs", Mode: 0o600}
}

func (m *memory) forget() Change {
	return Change{Path: m.file, Before: m.before, What: "what uninstall needs", Folders: []string{filepath.Dir(m.file)}}
}
