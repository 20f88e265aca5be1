package gemini

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// About is what the header says, and of the folder what the client notes beside its chats,
// else what it told the model.
func (Client) About(path string) (x client.About, err error) {
	head, err := logfile.ReadHead(path, client.AboutBytes)
	if err != nil {
		return x, logfile.Error(err)
	}
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	if opensDocument(head) {
		first = head
	}
	for key, value := range rawjson.Members(first) {
		switch string(key) {
		case "sessionId":
			x.ID = rawjson.Text(value)
		case "kind":
			x.Subagent = rawjson.Text(value) == "subagent"
		}
	}
	root, err := logfile.ReadHead(filepath.Join(filepath.Dir(filepath.Dir(path)), ".project_root"), 4096)
	x.Dir = strings.TrimSpace(string(root))
	if _, told, ok := bytes.Cut(head, []byte(`- **Workspace Directories:**\n  - `)); err != nil && ok {
		dir, _, _ := bytes.Cut(told, []byte(`\n`))
		x.Dir = rawjson.Text([]byte(`"` + string(dir) + `"`))
	}
	return x.Checked(), nil
}
