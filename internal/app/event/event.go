// Package event serves one event of an agent: it finds the settings, the store
// and the rules that hold where the agent works, wires them, and lets the door
// for agents answer. It links as little as it can, because it is started at every
// event.
package event

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/turn"
)

// Serve answers one event. args are the client's name and, for a client that
// hands its event over so, the payload; else in holds it. Whatever goes wrong ends
// in a line of the log: a hook never fails in the face of an agent.
func Serve(ctx context.Context, args []string, in io.Reader, out io.Writer, getenv func(string) string) {
	began := time.Now()
	home := config.Home(getenv)
	log := hook.Log(place.Log(home))
	defer func() {
		// Go's status of a panic is the one with which a hook holds an agent.
		if r := recover(); r != nil {
			log.ErrorContext(ctx, "panic", "err", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	client, err := hook.Client(args)
	if err != nil {
		log.WarnContext(ctx, "nothing was done", "err", err)
		return
	}
	set := newSettings(ctx, getenv, log)
	st := opening{spec: set.user.Store, home: home, plain: !set.user.Checkpoints.Compress}
	defer st.close()
	marks := &marks{home: home, in: set.in, log: log}
	defer marks.close()
	host, _ := os.Hostname()
	door := hook.Door{
		Now: time.Now, Getenv: getenv, Log: log, Exit: func() { os.Exit(0) },
		Behind: func() error { return st.behind },
		Turns: turn.Turns{
			Client: client, Home: home, TempDir: os.TempDir(), Host: host, Person: func() string { return place.Person(getenv, set.user) }, Log: log, Began: began, Busy: new(turn.Busy),
			Open: st.open, Saves: set.saves, Later: later(ctx, log),
			Daily:    set.user.Checkpoints.Prune == config.PruneDaily,
			Bound:    set.user.Checkpoints.Retention.PerSession > 0,
			Store:    config.StoreName(set.user.Store),
			Settings: func(root string) debrief.Settings { return set.in(root).Debrief },
			Changed:  set.changed, Listeners: set.listeners, Marks: marks.of,
		},
	}
	door.Serve(ctx, hook.Payload(args, in), out)
}

// settings are the user's, and those of the work tree that was asked for last.
type settings struct {
	ctx    context.Context
	getenv func(string) string
	log    *slog.Logger
	user   config.Config

	here config.Config
	root string
	read bool // here and root are set
}

func newSettings(ctx context.Context, getenv func(string) string, log *slog.Logger) *settings {
	s := &settings{ctx: ctx, getenv: getenv, log: log, user: config.Load(place.Settings(getenv, nil, ""))}
	hook.Problems(ctx, log, s.user.Problems)
	return s
}

// in are those of a work tree.
func (s *settings) in(root string) config.Config {
	if !s.read || s.root != root {
		s.here = s.user.In(place.Settings(s.getenv, nil, root))
		hook.Problems(s.ctx, s.log, s.here.Problems[min(len(s.user.Problems), len(s.here.Problems)):])
		s.root, s.read = root, true
	}
	return s.here
}

// listeners are those of a work tree. It is asked at every event; nothing is read
// where nobody can listen.
func (s *settings) listeners(root string) []agent.Listener {
	if s.getenv(agent.ListenerEnv) != "" {
		return nil // a listener's own program has started this agent: to tell it would start another
	}
	if !(s.read && s.root == root) && !s.user.MayListen(place.Settings(s.getenv, nil, root)) {
		return nil
	}
	return s.in(root).Listeners
}

// changed are those of a work tree whose file had another text when the turn
// began.
func (s *settings) changed(root string, was *string) debrief.Settings {
	p := place.Settings(s.getenv, nil, root)
	p.Was = cmp.Or(was, new(string))
	return s.user.In(p).Debrief
}

// saves tells whether the settings let a hook save for a reason. It is asked when
// a save is due, also by an event that needed no settings before.
func (s *settings) saves(why piton.Trigger) bool {
	if dir, err := os.Getwd(); !s.read && err == nil {
		s.in(place.Root(dir))
	} else if !s.read {
		s.in("")
	}
	c := s.here.Checkpoints
	return c.Enabled && (c.Auto || why == piton.TriggerTurnEnd || why == piton.TriggerSessionEnd)
}

// later starts the program for people, which may take its time, behind us. It
// lies beside this one.
func later(ctx context.Context, log *slog.Logger) func(args ...string) {
	return func(args ...string) {
		self, err := os.Executable()
		if err == nil {
			err = proc.Detach(append([]string{filepath.Join(filepath.Dir(self), "piton")}, args...), "", nil)
		}
		if err != nil {
			log.WarnContext(ctx, "piton was not started for "+strings.Join(args, " "), "err", err)
		}
	}
}
