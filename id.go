package piton

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"strings"
)

// Prefixes of the ids Piton gives out (docs/spec.md, "Words").
const (
	CheckpointPrefix = "chk_"
	WorkflowPrefix   = "wf_"
	SessionPrefix    = "ses_"
	ProjectPrefix    = "prj_"
	LetterPrefix     = "ltr_"
)

// idAlphabet is Crockford's base32 in lower case: no i, l, o, u.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// idLength is the number of characters behind the prefix: 80 random bits.
const idLength = 16

// NewID returns prefix and 16 random characters.
func NewID(prefix string) string {
	var raw [idLength]byte
	// crypto/rand.Read never fails since Go 1.24.
	rand.Read(raw[:])
	for i, b := range raw {
		raw[i] = idAlphabet[b&31]
	}
	return prefix + string(raw[:])
}

// DeriveID returns the id that always belongs to the parts under the prefix.
func DeriveID(prefix string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		// The length keeps ("ab", "c") and ("a", "bc") apart.
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		io.WriteString(h, p)
	}
	raw := h.Sum(nil)[:idLength]
	for i, b := range raw {
		raw[i] = idAlphabet[b&31]
	}
	return prefix + string(raw)
}

// SessionID is our id for a client's conversation, the same on every machine;
// agent is empty for a caller's own session. Without a client's id it is random.
func SessionID(agent, clientID string) string {
	if clientID == "" {
		return NewID(SessionPrefix)
	}
	return DeriveID(SessionPrefix, agent, clientID)
}

// IsID tells whether s is an id, or the beginning of one, under the prefix.
// A bare prefix ("chk_") is none.
func IsID(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || rest == "" || len(rest) > idLength {
		return false
	}
	for i := 0; i < len(rest); i++ {
		if strings.IndexByte(idAlphabet, rest[i]) < 0 {
			return false
		}
	}
	return true
}

// IsWholeID tells whether s is an id under the prefix, all of it.
func IsWholeID(prefix, s string) bool { return IsID(prefix, s) && len(s) == len(prefix)+idLength }
