// Command busy keeps one core busy until its stdin ends: the other work of a machine
// under load.
package main

import (
	"io"
	"os"
)

func main() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for n := uint64(1); ; n++ {
		spun = spun*31 + n
	}
}

// spun is written so that there is something to do.
var spun uint64
