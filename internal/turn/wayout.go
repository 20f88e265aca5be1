package turn

import (
	"os"
	"path/filepath"
	"strings"
)

// markers are the files that let one stop through: in PITON_HOME, and in the
// temporary folder for agents that may write nowhere else.
func (t Turns) markers(session string) []string {
	return []string{
		filepath.Join(t.Home, "sessions", session, "checkpoint_clear"),
		filepath.Join(t.TempDir, "piton_checkpoint_clear_"+session),
	}
}

// takeMarkers removes the markers of a session and reports whether there was
// one.
func (t Turns) takeMarkers(session string) bool {
	there := false
	for _, m := range t.markers(session) {
		there = os.Remove(m) == nil || there
	}
	return there
}

// withExit makes sure that a held agent can make the marker it is told of: where
// the folder of the one cannot be made it is told of the other.
func (t Turns) withExit(session, message string) string {
	m := t.markers(session)
	if err := os.MkdirAll(filepath.Dir(m[0]), 0o700); err != nil {
		return strings.ReplaceAll(message, m[0], m[1])
	}
	return message
}
