// Command conformance is Piton's daemon, with the tools, resources and prompts added to
// its MCP server that the protocol's conformance suite asks every server for. It is for
// tests only. It serves PITON_HOME, on the socket and on a free port of the loopback, and
// ends when its input ends.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/daemon"
)

func main() {
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	d := daemon.Daemon{
		App: caller.Options{Home: os.Getenv("PITON_HOME"), Getenv: os.Getenv}, Listen: "127.0.0.1:0",
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), Tools: []func(*mcp.Server){addTools, addRest},
	}
	if err := d.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
