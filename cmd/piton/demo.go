package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

func demoCommand(a *app) *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "See an agent held and let go, and a killed program resumed",
		Long: `Show the main job in a throw-away folder, in a few seconds: an agent edits a
file and wants to stop without having run the tests, is held, runs them and is
let go; then a program is killed in the middle of a save, and its work is taken
up at the last checkpoint.

The agent is a recorded session of the real Claude Code, its model's lines
scripted. The hook program, git, the tests, the saves, the kill and the resume
are real. Each step is checked: if one does not do what it should, the demo
exits 1. It needs Go and git, no network, and leaves nothing behind.`,
		Example: "  piton demo\n  piton demo --json\n  piton demo --keep",
		Args:    none(""),
		RunE: func(c *cobra.Command, _ []string) error {
			return (&demo{app: a, keep: keep}).run(c.Context())
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "keep the throw-away folder and print its path")
	c.AddCommand(saverCommand(a))
	return c
}

// demo is one showing.
type demo struct {
	*app
	keep bool
	w    io.Writer // where it is told
	n    int       // numbers the parts

	place
	seen demoSeen
	last piton.Checkpoint // the newest after the kill
}

// demoSeen is what was seen, as --json prints it.
type demoSeen struct {
	Held           bool     `json:"held"`
	Categories     []string `json:"categories"`
	Actions        []string `json:"actions"`
	Debrief        string   `json:"debrief"`
	Passed         bool     `json:"passed"` // let go because nothing was left unverified
	TurnCheckpoint string   `json:"turn_checkpoint"`
	HookMS         []int64  `json:"hook_ms"` // each call of piton-hook
	Acknowledged   int      `json:"acknowledged"`
	Verified       int      `json:"verified"`
	InFlight       string   `json:"in_flight"` // the save that was killed: absent, or durable
	ResumedID      string   `json:"resumed_id"`
	BuildMS        int64    `json:"build_ms"`
	ElapsedMS      int64    `json:"elapsed_ms"` // without building
	Kept           string   `json:"kept,omitempty"`
}

// run shows all parts and removes the folder, whatever happens. A terminal
// that closes or a reader that goes away ends it like Ctrl-C.
func (d *demo) run(ctx context.Context) (err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	pipe := make(chan os.Signal, 1) // else a broken pipe would kill us before we have tidied up
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	d.w = &listened{d.out, stop}
	if d.json {
		d.w = io.Discard
	}
	if err := d.needs(); err != nil {
		return err
	}
	if err := d.make(); err != nil {
		return err
	}
	defer func() {
		if err == nil {
			err = d.leave()
			return
		}
		if left := d.leave(); left != nil {
			fmt.Fprintf(d.err, "piton: %v\n", left)
		}
	}()
	start := time.Now()
	parts := []func(context.Context) error{d.build, d.turn, d.crash, d.resume}
	for i, part := range parts {
		if err := part(ctx); err != nil {
			if ctx.Err() != nil {
				return piton.Errorf(piton.Internal, "", "", "the demo was interrupted")
			}
			return err
		}
		if i == 0 {
			d.seen.BuildMS = time.Since(start).Milliseconds()
			start = time.Now()
		}
	}
	d.seen.ElapsedMS = time.Since(start).Milliseconds()
	return d.end()
}

// listened is a writer that ends the demo when nobody listens any more.
type listened struct {
	io.Writer
	stop func()
}

func (l *listened) Write(p []byte) (int, error) {
	n, err := l.Writer.Write(p)
	if err != nil {
		l.stop()
	}
	return n, err
}

// end sums up.
func (d *demo) end() error {
	if d.keep {
		d.seen.Kept = d.dir
	}
	if d.json {
		return d.printJSON(d.seen)
	}
	fmt.Fprintf(d.w, "\n%s Held, verified, let go; killed, and resumed with nothing lost: %.1f s.\n", d.green("Done."), float64(d.seen.ElapsedMS)/1000)
	if d.keep {
		fmt.Fprintf(d.w, "Kept: %s\nLook around in it with PITON_HOME=%s\n", d.dir, d.state)
		return nil
	}
	fmt.Fprintln(d.w, "The folder is removed again. To set Piton up for your agent: piton init")
	return nil
}

// broken is what the demo says when Piton does not do what it should.
func (d *demo) broken(format string, args ...any) error {
	hint := "'piton demo --keep' keeps the folder: state/piton.log in it may say more"
	if d.keep {
		hint = "look at " + d.state + "/piton.log"
	}
	return piton.Errorf(piton.Internal, "piton demo", hint, format, args...)
}
