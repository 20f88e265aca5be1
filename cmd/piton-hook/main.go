// Command piton-hook is what agents run at every event: it reads one event's
// JSON on stdin (Codex's notify hands it over as the last argument), writes the
// reply or nothing on stdout, nothing on stderr, and exits 0. It links as little as it can, because it is started so often.
package main

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
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/turn"
)

// lockWait is how long a hook waits for the other writers.
const lockWait = 2 * time.Second

// memory is where the garbage collector begins to work. Below it the program
// is over before collecting would have gained anything.
const memory = 256 << 20

func main() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memory)
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Getenv))
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer, getenv func(string) string) int {
	if len(args) == 1 && args[0] == "--version" {
		fmt.Fprintln(out, "piton-hook "+piton.Version())
		return 0
	}
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		fmt.Fprintln(out, "piton-hook claude|gemini|codex is what agents run at their events: one event's JSON on stdin, one reply or nothing on stdout.\n'piton init' sets it up, 'piton doctor' checks it; what is for people is in 'piton help'.")
		return 0
	}
	home := config.Home(getenv)
	log := hook.Log(filepath.Join(home, "piton.log"))
	defer func() {
		// Go's status of a panic is the one with which a hook holds an agent.
		if r := recover(); r != nil {
			log.ErrorContext(ctx, "panic", "err", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	client, err := hook.Client(args)
	if err != nil {
		log.WarnContext(ctx, "nothing was done", "err", err)
		return 0
	}
	cfg := config.Load(places(getenv, ""))
	hook.Problems(ctx, log, cfg.Problems)
	here := project{cfg: cfg}
	settings := func(root string) config.Config {
		if !here.read || here.root != root {
			c := cfg.In(places(getenv, root))
			hook.Problems(ctx, log, c.Problems[min(len(cfg.Problems), len(c.Problems)):])
			here = project{c, root, true}
		}
		return here.cfg
	}
	open := opener(cfg.Store, home)
	open.plain = !cfg.Checkpoints.Compress
	defer open.close()
	host, _ := os.Hostname()
	door := hook.Door{
		Now: time.Now, Getenv: getenv, Log: log,
		Behind: func() error { return open.behind },
		Turns: turn.Turns{
			Client: client, Home: home, TempDir: os.TempDir(), Host: host, Log: log,
			Open: open.store,
			Saves: func(why piton.Trigger) bool {
				if !here.read { // asked when a save is due, by an event that needed no settings
					settings(workTree())
				}
				return saves(here.cfg.Checkpoints, why)
			},
			Later: later(ctx, log), Daily: cfg.Checkpoints.Prune == config.PruneDaily,
			Bound:    cfg.Checkpoints.Retention.PerSession > 0,
			Store:    config.StoreName(cfg.Store),
			Settings: func(root string) debrief.Settings { return settings(root).Debrief },
			Changed: func(root string, was *string) debrief.Settings {
				p := places(getenv, root)
				p.Was = cmp.Or(was, new(string))
				return cfg.In(p).Debrief
			},
		},
	}
	door.Serve(ctx, hook.Payload(args, in), out)
	return 0
}

// project is whose settings were read, and what they are.
type project struct {
	cfg  config.Config
	root string
	read bool
}

// places are where the settings of a work tree lie; "" for those of none.
func places(getenv func(string) string, root string) config.Places {
	return config.Places{
		UserFile: config.UserFile(getenv), Project: root, Getenv: getenv,
		Origin: func() string { return git.OriginOf(root) }, Repository: func() string { return git.RepositoryOf(root) },
	}
}

// workTree is where the client runs its hooks.
func workTree() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	if root, _, ok := git.Find(dir); ok {
		return root
	}
	return dir
}

// saves tells whether the settings let a hook save for a reason.
func saves(c config.Checkpoints, why piton.Trigger) bool {
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

// opening is the store, opened once when it is first asked for.
type opening struct {
	path  string
	plain bool
	once  sync.Once
	st    *sqlstore.Store
	err   error

	behind error // the store is older than what was acknowledged
}

// opener says where the local store lies: the file the settings name, else the
// one in PITON_HOME. A store elsewhere is none of a hook's business.
func opener(store, home string) *opening {
	path, ok := strings.CutPrefix(store, "sqlite:")
	if !ok || path == "" {
		path = filepath.Join(home, "piton.db")
	}
	return &opening{path: path}
}

func (o *opening) store(ctx context.Context) (*store.Local, error) {
	o.once.Do(func() {
		o.st, o.err = sqlite.Open(ctx, o.path, sqlite.Options{Wait: lockWait, Plain: o.plain, Behind: func(err error) { o.behind = err }})
	})
	if o.err != nil {
		return nil, o.err
	}
	return o.st.Local(), nil
}

func (o *opening) close() {
	if o.st != nil {
		o.st.Close()
	}
}
