//go:build !linux

package cli

import "os"

// peek looks at what a socket holds and leaves it there; of a pipe it can see
// nothing on this system.
func peek(f *os.File) []byte { return peekSocket(f) }

// discardTyped forgets what was typed at a terminal and not read; not on this system.
func discardTyped(*os.File) {}
