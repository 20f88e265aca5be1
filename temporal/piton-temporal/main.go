// Command piton-temporal works on Piton's runs with Temporal.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"

	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/temporal"
)

const usage = `Usage: piton-temporal worker [--queue NAME] [--host NAME] [--store STORE] [--heartbeat 30s]

Works on the runs that 'piton run --engine temporal' leaves in Piton's store, until it is
stopped with Ctrl-C: then other workers go on. Run as many as you like, on one machine or
many; all use the same store (PITON_STORE, --store or the settings: PostgreSQL, where they are
on several machines).

The server is that of TEMPORAL_ADDRESS (localhost:7233), TEMPORAL_NAMESPACE (default) and
Temporal's other settings: TEMPORAL_API_KEY, TEMPORAL_TLS_…, TEMPORAL_PROFILE.
Docs: docs/temporal.md of Piton.
`

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, out io.Writer) int {
	f := flag.NewFlagSet("piton-temporal", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	var o temporal.Options
	f.StringVar(&o.Queue, "queue", "", "")
	f.StringVar(&o.Host, "host", "", "")
	f.StringVar(&o.App.Store, "store", "", "")
	f.DurationVar(&o.Heartbeat, "heartbeat", 0, "")
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	if err := f.Parse(args); verb != "worker" || err != nil || f.NArg() > 0 {
		if verb == "worker" && err != nil {
			fmt.Fprintln(out, err)
		}
		fmt.Fprint(out, usage)
		return 2
	}
	if err := work(o, out); err != nil {
		fmt.Fprintln(out, "piton-temporal:", caller.Message(caller.AsError(err)))
		return 1
	}
	return 0
}

func work(o temporal.Options, out io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return fmt.Errorf("the settings of Temporal: %w", err)
	}
	o.Log = slog.New(slog.NewTextHandler(out, nil))
	c.Logger = log.NewStructuredLogger(slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if o.Client, err = client.DialContext(ctx, c); err != nil {
		return fmt.Errorf("no Temporal server answers at %s (TEMPORAL_ADDRESS): %w", or(c.HostPort, client.DefaultHostPort), err)
	}
	defer o.Client.Close()
	o.Namespace = or(c.Namespace, client.DefaultNamespace)
	return temporal.NewWorker(o).Run(ctx)
}

func or(v, def string) string {
	if v == "" {
		return def
	}
	return v
}
