package gemini

import (
	"bytes"

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
	v := rawjson.Values(first, "sessionId", "kind", "projectHash")
	x = client.About{Wrote: v[0] != nil && v[2] != nil, ID: rawjson.Text(v[0]), Subagent: rawjson.Text(v[1]) == "subagent", Dir: projectOf(path)}
	if _, told, ok := bytes.Cut(head, []byte(`- **Workspace Directories:**\n  - `)); ok && x.Dir == "" {
		dir, _, _ := bytes.Cut(told, []byte(`\n`))
		x.Dir = rawjson.Text([]byte(`"` + string(dir) + `"`))
	}
	return x.Checked(), nil
}
