// Command piton-daemon is the daemon that 'piton serve' becomes: a program of its own,
// because what the HTTP API links would make every other command start later.
package main

import (
	"github.com/piton-project/piton/internal/daemon"
	"github.com/piton-project/piton/internal/proc"
)

func main() {
	proc.Adopt()
	daemon.Main()
}
