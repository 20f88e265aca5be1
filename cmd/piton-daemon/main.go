// Command piton-daemon is the daemon that 'piton serve' becomes: a program of its own,
// because what the HTTP API links would make every other command start later.
package main

import "github.com/piton-project/piton/internal/daemon"

func main() { daemon.Main() }
