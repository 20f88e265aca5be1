package caller

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/piton-project/piton"
)

// CheckKey is Invalid for what cannot be the key of a save or of the start of a run.
func CheckKey(op, key string) error {
	if len(key) > piton.MaxStartKey || strings.TrimSpace(key) != key || piton.Printable(key) != key {
		return piton.Errorf(piton.Invalid, op, "take a short text, as a date or a UUID: 'key 2026-01-31'", "a key has at most %d bytes, and no control characters or spaces around it", piton.MaxStartKey)
	}
	return nil
}

// SumOf is the sum of what was asked for under a key: the same for the same, as JSON.
func SumOf(v any) string {
	text, _ := json.Marshal(v) // maps in the order of their keys
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
