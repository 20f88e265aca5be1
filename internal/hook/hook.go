// Package hook is the door for agents: one event on stdin, a reply or nothing
// on stdout. An error never reaches the agent: it ends in a line of the log, an
// empty answer and status 0.
package hook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/turn"
)

// MaxPayload is the largest event that is kept in memory, in bytes. Clients send
// whole files in tool events; in a larger one the ends of long texts are left out.
const MaxPayload = 32 << 20

// Bounds of the names in an event, in bytes.
const (
	maxID    = 200
	maxPath  = 4096
	maxPaths = 1000 // files of one edit
)

// Door handles events of one client.
type Door struct {
	Turns  turn.Turns
	Getenv func(string) string
	Now    func() time.Time // time.Now when nil
	Log    *slog.Logger     // silent when nil
	// Behind reports whether the store turned out to be older than what was
	// acknowledged; nil: nobody looks.
	Behind func() error
	// Exit ends the process at once where an event takes too long; nil: none does.
	Exit func()
}

// Serve reads one event and answers it. It does not panic, and returns no error:
// the client could do nothing with one.
func (d Door) Serve(ctx context.Context, in io.Reader, out io.Writer) {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	start := d.Now()
	var at atomic.Pointer[agent.Event] // the one at work
	defer func() {
		if r := recover(); r != nil {
			d.Log.ErrorContext(ctx, "panic", "err", fmt.Sprint(r), "stack", string(debug.Stack()))
			if e := at.Load(); e != nil {
				d.Turns.Missed(*e, fmt.Errorf("an internal error: %v", r))
			}
		}
	}()
	answer, calm := d.watch(ctx, &at, out)
	defer calm()
	in = &whole{in: in}
	payload, err := io.ReadAll(io.LimitReader(in, MaxPayload+1))
	if err != nil {
		d.Log.WarnContext(ctx, "the event could not be read", "err", err)
		return
	}
	if string(payload) == client.Ping {
		_, _ = io.WriteString(out, client.Pong)
		return
	}
	if len(payload) > MaxPayload {
		// Read to the end, so that the client does not fail at writing.
		short, n, err := shorten(io.MultiReader(bytes.NewReader(payload), in), MaxPayload)
		d.Log.WarnContext(ctx, "the event is too large: the ends of its long texts were left out", "bytes", n, "err", err)
		if err != nil || len(short) > MaxPayload {
			return
		}
		payload = short
	}
	e, err := d.Turns.Client.Decode(payload, d.Getenv)
	if err != nil {
		d.Log.WarnContext(ctx, "the event was not understood", "bytes", len(payload), "err", err)
		return
	}
	if e.Kind == "" || e.ClientID == "" {
		return // nothing that Piton keeps
	}
	if d.Getenv != nil {
		e.Resumes = d.Getenv(agent.ResumesEnv)
		if d.Getenv(agent.ListenerEnv) == "" { // else the run is the one that a listener was told of
			e.Run, e.Step = d.Getenv(agent.RunEnv), d.Getenv(agent.StepEnv)
		}
		if e.Run != "" && e.Kind == agent.EventStop {
			e.Gate = strings.Fields(d.Getenv(agent.GateEnv))
		}
	}
	e = bounded(e)
	e.At = start
	seen := e
	at.Store(&seen)
	reply, err := d.Turns.Handle(ctx, e)
	if err != nil {
		d.Log.WarnContext(ctx, "the event was not kept", "agent", e.Agent, "kind", string(e.Kind), "session", e.ClientID, "err", err)
	} else if d.Behind != nil {
		if err := d.Behind(); err != nil {
			d.Log.WarnContext(ctx, "the store has gone back", "agent", e.Agent, "session", e.ClientID, "err", err)
			if len(reply.Get()) == 0 {
				reply = d.Turns.Missed(e, err)
			}
		}
	}
	answer(reply)
}

// Bounds of an event, but for what has its own (turn.Busy): a person waits for it. It
// is counted in steps, and a step that comes late does not count.
const (
	patience = 1900 * time.Millisecond
	step     = 50 * time.Millisecond
)

// watch lets the agent go where an event takes too long: a file system may not answer,
// or the client may hold stdin open, and nothing ends the wait for it. Then the person is
// told, if at has an event by then, and the process ends. answer writes the reply; only
// the first one counts. calm ends the watch.
func (d Door) watch(ctx context.Context, at *atomic.Pointer[agent.Event], out io.Writer) (answer func(turn.Reply), calm func()) {
	var once sync.Once
	answer = func(reply turn.Reply) {
		once.Do(func() {
			if len(reply.Get()) == 0 {
				return
			}
			if _, err := out.Write(reply.Get()); err != nil {
				d.Log.WarnContext(ctx, "the reply could not be written", "agent", d.Turns.Client.Name(), "err", err)
			}
		})
	}
	if d.Exit == nil {
		return answer, func() {}
	}
	over := make(chan struct{})
	last := time.Now()
	first := time.AfterFunc(step, func() { // most events are over before
		tick := time.NewTicker(step)
		defer tick.Stop()
		for left := patience; ; {
			now := time.Now()
			late := now.Sub(last) > 3*step // the machine is busy, or stood still: then what is waited for has no time either
			if last = now; d.Turns.Busy.Load() == 0 && !late {
				left -= step
			}
			if left <= 0 {
				break
			}
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
		once.Do(func() {
			defer d.Exit()
			e := at.Load()
			if e == nil {
				d.Log.WarnContext(ctx, "the event did not come in time and was given up")
				return
			}
			d.Log.WarnContext(ctx, "the event took too long and was given up", "agent", e.Agent, "kind", string(e.Kind), "session", e.ClientID)
			late := piton.Errorf(piton.Unavailable, "handle an event", "", "reading files took longer than a hook waits (%s)", e.Cwd)
			_, _ = out.Write(d.Turns.Missed(*e, late).Get())
		})
	})
	return answer, func() {
		first.Stop()
		close(over)
	}
}

// bounded drops the paths that cannot be valid, and cuts other names: they would
// be kept with the session for good.
func bounded(e agent.Event) agent.Event {
	for _, path := range []*string{&e.Transcript, &e.Cwd, &e.ProjectDir} {
		if len(*path) > maxPath || strings.ContainsRune(*path, 0) {
			*path = ""
		}
	}
	for _, name := range []*string{&e.ClientID, &e.ClientVersion, &e.Subagent, &e.Tool, &e.CallID, &e.Resumes, &e.Run, &e.Step} {
		*name = shortID(*name)
	}
	e.Paths = slices.DeleteFunc(e.Paths, func(name string) bool { return len(name) > maxPath || strings.ContainsRune(name, 0) })
	e.Paths = e.Paths[:min(len(e.Paths), maxPaths)]
	return e
}

// shortID is a name of at most maxID bytes. A longer one ends in a sum, so that
// two that begin alike still differ.
func shortID(name string) string {
	if len(name) <= maxID {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := "-" + hex.EncodeToString(sum[:8])
	return strings.ToValidUTF8(name[:maxID-len(end)], "") + end
}

// Client finds the client that the program's first argument names. There is no
// other argument, except the payload of a client that hands it over there.
func Client(args []string) (client.Client, error) {
	if len(args) == 1 || payloadArgument(args) {
		if a, ok := clients.ByName(args[0]); ok {
			return a, nil
		}
	}
	if len(args) > 0 {
		args = args[:1] // what follows may be a payload, and is not logged
	}
	return nil, piton.Errorf(piton.Invalid, "start piton-hook", "piton-hook claude reads one event's JSON on stdin", "the arguments that begin with %q name no client", args)
}

// Payload is where the event is read from: stdin, or the last argument
// (docs/spec.md, "CLI").
func Payload(args []string, stdin io.Reader) io.Reader {
	if payloadArgument(args) {
		return strings.NewReader(args[1])
	}
	return stdin
}

func payloadArgument(args []string) bool {
	if len(args) != 2 || !strings.HasPrefix(strings.TrimSpace(args[1]), "{") {
		return false
	}
	c, ok := clients.ByName(args[0])
	return ok && c.Program().PayloadArgument
}
