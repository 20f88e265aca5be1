package filestore

import (
	"bytes"
	"crypto/sha256"

	"github.com/piton-project/piton"
)

// noSession is the first program's word for a session that has no name.
const noSession = "unknown"

// sessionName is what a file says of its session's own name.
func sessionName(id string) string {
	if id == noSession || piton.IsWholeID(piton.SessionPrefix, id) {
		return ""
	}
	return id
}

// sessionOf is what the layout calls the checkpoint's session: its caller's name
// for it, else our id. The first program's files always have one.
func sessionOf(c piton.Checkpoint) string {
	for _, s := range []string{c.SessionName, c.SessionID} {
		if s != "" {
			return s
		}
	}
	return noSession
}

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// derived is an id that always comes out of the same name.
func derived(prefix, name string) string {
	sum := sha256.Sum256([]byte(prefix + "file store\n" + name))
	id := []byte(prefix)
	for _, b := range sum[:16] {
		id = append(id, idAlphabet[b&31])
	}
	return string(id)
}

// phaseOf is what the layout calls the checkpoint's phase.
func phaseOf(c piton.Checkpoint) string {
	for _, s := range []string{c.StepName, c.Name} {
		if s != "" {
			return s
		}
	}
	return string(c.Trigger)
}

// stem is the file's name without ".json" and without a collision's number.
func stem(c piton.Checkpoint) string {
	return "ckpt-" + c.CreatedAt.UTC().Format("2006-01-02T15-04-05.000Z") + "-" + slug(phaseOf(c))
}

// slug is a name in the lower-case letters, digits and dashes of a file name.
func slug(s string) string {
	var b []byte
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b = append(b, byte(r))
		case r >= 'A' && r <= 'Z':
			b = append(b, byte(r)+'a'-'A')
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
		if len(b) == 40 {
			break
		}
	}
	b = bytes.Trim(b, "-")
	if len(b) == 0 {
		return "checkpoint"
	}
	return string(b)
}

// strays is the workflow of damaged files of which nothing else is known.
var strays = derived(piton.WorkflowPrefix, "strays")
