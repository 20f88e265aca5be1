package claude

import (
	"bytes"

	"github.com/piton-project/piton/internal/client/rawjson"
)

// Wrote looks for a line that names a session and is of a kind that the client
// writes.
func (Client) Wrote(head []byte) bool {
	for line := range bytes.Lines(head) {
		v := rawjson.Values(bytes.TrimSpace(line), "type", "sessionId", "uuid", "leafUuid", "messageId", "payload", "projectHash")
		if rawjson.Text(v[0]) != "" && (v[1] != nil || v[2] != nil || v[3] != nil || v[4] != nil) && v[5] == nil && v[6] == nil {
			return true
		}
	}
	return false
}
