package claude

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// About looks at the first lines. A log that went on from another one begins with lines
// of that one: its own name counts, where a line bears it.
func (Client) About(path string) (x client.About, err error) {
	head, err := logfile.ReadHead(path, client.AboutBytes)
	if err != nil {
		return x, logfile.Error(err)
	}
	name, side := strings.TrimSuffix(filepath.Base(path), ".jsonl"), true
	for line := range bytes.Lines(head) {
		v := rawjson.Values(bytes.TrimSpace(line), "sessionId", "cwd", "gitBranch", "version", "isSidechain", "type", "uuid", "leafUuid", "messageId", "payload", "projectHash")
		ours, others := slices.Concat(v[0], v[6], v[7], v[8]), slices.Concat(v[9:]...)
		x.Wrote = x.Wrote || len(ours) > 0 && len(others) == 0 && rawjson.Text(v[5]) != ""
		if id := rawjson.Text(v[0]); x.ID == "" || id == name {
			x.ID = id
		}
		if v[1] == nil {
			continue // it is of no message
		}
		side = side && rawjson.IsTrue(v[4])
		if x.Dir == "" {
			x.Dir, x.Branch, x.Version = rawjson.Text(v[1]), rawjson.Text(v[2]), rawjson.Text(v[3])
		}
	}
	x.Subagent = side && x.Dir != ""
	return x.Checked(), nil
}
