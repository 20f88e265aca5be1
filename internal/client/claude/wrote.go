package claude

import (
	"bytes"
	"slices"

	"github.com/piton-project/piton/internal/client/rawjson"
)

// Wrote looks for a line that names a session and is of a kind that the client
// writes.
func (Client) Wrote(head []byte) bool {
	for line := range bytes.Lines(head) {
		v := rawjson.Values(bytes.TrimSpace(line), "type", "sessionId", "uuid", "leafUuid", "messageId", "payload", "projectHash")
		ours, others := slices.Concat(v[1:5]...), slices.Concat(v[5:]...)
		if rawjson.Text(v[0]) != "" && len(ours) > 0 && len(others) == 0 {
			return true
		}
	}
	return false
}
