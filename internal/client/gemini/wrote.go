package gemini

import (
	"bytes"

	"github.com/piton-project/piton/internal/client/rawjson"
)

// Wrote looks for a log's header, or for the same members at the head of a
// document.
func (Client) Wrote(head []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte{'\n'})
	if opensDocument(head) {
		first = head
	}
	v := rawjson.Values(first, "sessionId", "projectHash")
	return v[0] != nil && v[1] != nil
}
