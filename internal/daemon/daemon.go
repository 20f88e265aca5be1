// Package daemon is 'piton serve': one process for each home that carries letters,
// keeps the stores small, goes on with runs and serves the API. Hooks and commands
// work without it. It keeps nothing in memory that counts: whatever it has begun, the
// next one finds in the stores (docs/spec.md, "Daemon and API").
package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/api"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/place"
)

// Daemon is what a daemon is made of. Its fields do not change while it runs.
type Daemon struct {
	App    caller.Options // how the application is opened, for each piece of work anew
	Listen string         // an address of the loopback beside the socket; "": none
	Log    *slog.Logger
	// Reload asks it to read the settings again.
	Reload  <-chan os.Signal
	Manager Manager
	Tools   []func(*mcp.Server) // what /mcp has beside Piton's own, for the protocol's test suite; none elsewhere
	Now     func() time.Time    // time.Now when nil
}

// Run serves until ctx ends. Conflict where a daemon runs in this home already,
// Invalid for an address or a file that cannot be used.
func (d *Daemon) Run(ctx context.Context) error {
	w := newWorks(d.App, d.Log, d.Now)
	own := app.New(w.app)
	defer own.Close()
	defer w.app.Stores.Close()
	release, err := own.BeDaemon()
	if err != nil {
		return err
	}
	defer release()
	doors, err := open(own.Home(), d.Listen)
	if err != nil {
		return err
	}
	defer doors.close()
	limitMemory()
	if err := own.SayDaemon(caller.Daemon{StartedAt: piton.At(w.now()), Socket: doors.path, Listen: doors.address()}); err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "start the daemon", Hint: "look at " + place.DaemonLock(own.Home()), Err: err}
	}
	w.log.InfoContext(ctx, "the daemon serves", "version", piton.Version(), "home", own.Home(), "socket", doors.path)
	if at := doors.address(); at != "" {
		w.log.InfoContext(ctx, "programs with the token can call it too", "address", at, "token_file", place.Token(own.Home()))
	}
	return d.serve(ctx, w, doors)
}

// serve does all the work until ctx ends, and then ends it in order: nothing new is
// begun, requests are answered, letters and runs given back.
func (d *Daemon) serve(ctx context.Context, w *works, doors *doors) error {
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	runs := newRuns(work, w)
	shown := &shown{works: w}
	defer shown.close()
	server := api.New(api.Options{App: w.app, Runs: runs, Token: doors.token, Page: shown.address, Tools: d.Tools, Log: w.log, Changed: w.changed})
	shown.api = server.Handler(api.Socket)
	runs.tell, runs.left = server.RunEvent, server.LeaveRun
	failed := make(chan error, 2)
	var workers sync.WaitGroup
	workers.Go(func() { failed <- server.Serve(newOwnPeers(doors.socket, w.log), api.Socket) })
	if doors.tcp != nil {
		workers.Go(func() { failed <- server.Serve(doors.tcp, api.TCP) })
	}
	workers.Go(func() { w.carry(work) })
	workers.Go(func() { w.keep(work) })
	workers.Go(func() { w.attend(work, runs) })
	d.Manager.tell("READY=1")
	err := d.stay(ctx, w, failed)
	d.Manager.tell("STOPPING=1")
	w.log.Info("the daemon ends")
	end()
	late, over := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer over()
	shown.close()
	runs.giveUp()
	if e := server.Shutdown(late); e != nil {
		w.log.Warn("requests were broken off", "err", e)
	}
	w.await(late, "runs", runs.work.Wait)
	w.await(late, "letters and tasks", workers.Wait)
	w.log.Info("the daemon has ended")
	return err
}

// stay waits for the end, and passes on what is asked meanwhile.
func (d *Daemon) stay(ctx context.Context, w *works, failed <-chan error) error {
	beat, stop := d.Manager.beat()
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			if err != nil && !errors.Is(err, net.ErrClosed) {
				return &piton.Error{Code: piton.Unavailable, Op: "serve", Err: err}
			}
		case <-beat:
			d.Manager.tell("WATCHDOG=1")
		case <-d.Reload:
			w.reload(ctx)
		}
	}
}
