// How many processors a container's limits leave is of no use to a program that is
// over in milliseconds: to look, and to look again later, took 0.4 of its 6 ms.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command piton-hook is what agents run at every event: it reads one event's
// JSON on stdin (Codex's notify hands it over as the last argument), writes the
// reply or nothing on stdout, nothing on stderr, and exits 0. It links as little as it can, because it is started so often.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/event"
	"github.com/piton-project/piton/internal/client/clients"
)

// maxHeap is where the garbage collector begins to work. Below it the program
// is over before collecting would have gained anything.
const maxHeap = 256 << 20

func main() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(maxHeap)
	deepen(0)
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Getenv))
}

// deepStack is more than SQLite needs at its deepest.
const deepStack = 32 << 10

// deepen makes the stack as large as it will be. Without it the stack is copied
// each time that it doubles, when it is deep: 0.4 ms of the 6 ms that an event took.
//
//go:noinline
func deepen(n int) byte {
	if n == 0 {
		return 0 // the stack is there; nothing of it is touched
	}
	var b [deepStack]byte
	b[n] = 1
	return b[n/2]
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer, getenv func(string) string) int {
	switch {
	case len(args) == 1 && args[0] == "--version":
		fmt.Fprintln(out, "piton-hook "+piton.Version())
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h"):
		fmt.Fprintln(out, "piton-hook "+strings.Join(clients.Names(), "|")+" is what agents run at their events: one event's JSON on stdin, one reply or nothing on stdout.\n'piton init' sets it up, 'piton doctor' checks it; what is for people is in 'piton help'.")
	case len(args) == 1 && args[0] == "statusline":
		event.Statusline(ctx, in, out, getenv)
	default:
		event.Serve(ctx, args, in, out, getenv)
	}
	return 0
}
