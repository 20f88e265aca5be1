package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/proc"
)

// command is what the daemon is started with, and what its errors name.
const command = "piton serve"

// Main is the program piton-daemon, which 'piton serve' becomes.
func Main() {
	os.Exit(run(proc.Interruptible(), os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

// call is what the program was called with.
type call struct {
	app.Options
	listen        string
	json, version bool
}

// run is the program: arguments and streams in, exit status out.
func run(ctx context.Context, args []string, out, errOut io.Writer, getenv func(string) string) int {
	voice := cli.Voice{Err: errOut}
	c, err := read(args)
	voice.JSON = c.json
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintln(out, "piton-daemon is the daemon that 'piton serve' starts; see 'piton serve --help'.")
		return 0
	case err != nil:
		return voice.Fail(ctx, command, "", err)
	case c.version:
		fmt.Fprintln(out, "piton-daemon "+piton.Version())
		return 0
	}
	signal.Ignore(syscall.SIGPIPE) // nobody may be reading the log any more
	c.Getenv, c.StoreFrom, c.Warn = getenv, "--store", voice.Warn
	c.Home = app.New(c.Options).Home()
	d := Daemon{
		App: c.Options, Listen: c.listen, Reload: hangups(ctx), Manager: TakeManager(getenv),
		Log: newLog(out, c.json, getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"),
	}
	if err := d.Run(ctx); err != nil {
		return voice.Fail(ctx, command, "", err)
	}
	return 0
}

// read reads the arguments. The first is the version of the piton that has started the
// daemon: one of another build may call with what this one does not know.
func read(args []string) (c call, err error) {
	c.json = slices.Contains(args, "--json") // also where the rest cannot be read
	if len(args) > 0 {
		if of, ok := strings.CutPrefix(args[0], app.OfBuild); ok {
			if err := app.CheckBuild(of); err != nil {
				return c, err
			}
			args = args[1:]
		}
	}
	flags := pflag.NewFlagSet("piton-daemon", pflag.ContinueOnError)
	flags.StringVar(&c.listen, "listen", "", "")
	flags.StringVar(&c.Store, "store", "", "")
	flags.BoolVar(&c.json, "json", c.json, "")
	flags.BoolVar(&c.version, "version", false, "")
	flags.Usage = func() {}
	err = flags.Parse(args)
	switch {
	case err == nil && flags.NArg() > 0:
		err = piton.Errorf(piton.Invalid, command, "see 'piton serve --help'", "unexpected argument %q", flags.Arg(0))
	case err != nil && !errors.Is(err, pflag.ErrHelp):
		err = &piton.Error{Code: piton.Invalid, Op: command, Hint: "see 'piton serve --help'", Err: err}
	}
	return c, err
}

// hangups passes SIGHUP on until ctx ends.
func hangups(ctx context.Context) <-chan struct{} {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	reload := make(chan struct{})
	go func() {
		defer signal.Stop(hangup)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangup:
			}
			select {
			case <-ctx.Done():
				return
			case reload <- struct{}{}:
			}
		}
	}()
	return reload
}
