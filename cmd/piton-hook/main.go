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
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Getenv))
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer, getenv func(string) string) int {
	switch {
	case len(args) == 1 && args[0] == "--version":
		fmt.Fprintln(out, "piton-hook "+piton.Version())
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h"):
		fmt.Fprintln(out, "piton-hook "+strings.Join(clients.Names(), "|")+" is what agents run at their events: one event's JSON on stdin, one reply or nothing on stdout.\n'piton init' sets it up, 'piton doctor' checks it; what is for people is in 'piton help'.")
	default:
		event.Serve(ctx, args, in, out, getenv)
	}
	return 0
}
