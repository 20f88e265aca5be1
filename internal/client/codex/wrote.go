package codex

import (
	"bytes"
)

// Wrote looks for a rollout's first line.
func (Client) Wrote(head []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte{'\n'})
	return parseHead(first).id != ""
}
