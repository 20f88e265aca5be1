package mcp

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
)

// Bounds of what an answer shows.
const (
	maxPage  = 100      // rows
	maxPatch = 64 << 10 // bytes of a change
	maxShown = 64 << 10 // bytes of a state that nothing says more of
	maxState = 4 << 20  // bytes of a state
	maxNamed = 8        // members that are named
)

// excerpt is as much of a state, or of its part at a path, as fits. How the rest is had, is
// noted.
func (a *reply) excerpt(c piton.Checkpoint, value []byte, path string, x piton.Excerpt) []byte {
	cut := states.Cut(value, x.From, x.MaxBytes)
	if len(cut.Out) == 0 && cut.Next == 0 {
		return cut.Value
	}
	load := func(path string) string { return "checkpoint_load with checkpointId " + c.ID + " and path " + path }
	said := []string{fmt.Sprintf("this is a part: it has %d bytes, and at most %d are shown (maxBytes, up to %d). The command `piton load %s >FILE` in a shell writes all of the state to a file", len(value), x.MaxBytes, maxState, c.ID)}
	if out := len(cut.Out); out > 0 {
		var paths []string
		for _, name := range cut.Out[:min(out, maxNamed)] {
			paths = append(paths, string(jsontext.Pointer(path).AppendToken(name)))
		}
		said = append(said, fmt.Sprintf(`%d members are left out and stand as {"$left_out": …}; %s`, out, load("shows one: "+strings.Join(paths, ", "))))
	}
	if cut.Next > 0 {
		said = append(said, fmt.Sprintf("there is more: %s and from %d", load(`"`+path+`"`), cut.Next))
	}
	a.note(said...)
	return cut.Value
}

// excerptOfPatch is as much of a change as fits.
func (a *reply) excerptOfPatch(p []byte, command string) []byte {
	if len(p) <= maxPatch {
		return p
	}
	a.note(fmt.Sprintf("this is the beginning of a change of %d bytes: the command `%s` in a shell prints all of it", len(p), command))
	return states.Cut(p, 0, maxPatch).Value
}
