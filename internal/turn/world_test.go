package turn_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/turn"
)

// world is an agent at work in a real repository: its events go through the
// real adapter into a real store, and its transcript is written as the client
// writes it. Its clock begins now, because git's and the files' do, and moves
// only when a test moves it.
type world struct {
	testing.TB
	home, tmp string // PITON_HOME, TMPDIR
	root      string // the work tree
	script    string // the transcript
	id        string // the client's id of the session
	env       map[string]string
	set       debrief.Settings
	changed   func(root string, was *string) debrief.Settings
	client    client.Client
	later     *[]string // what is to be started behind a hook; nil: nothing is
	listeners []agent.Listener
	open      func(context.Context) (*store.Local, error)
	store     *store.Local
	now       time.Time
	calls     int
	version   string
	sidechain bool // what is written is a subagent's
}

// plain is a folder with files, no repository: name and text by turns.
func plain(t testing.TB, files ...string) *world {
	t.Helper()
	w := &world{
		TB: t, home: t.TempDir(), tmp: t.TempDir(), root: resolved(t, t.TempDir()), id: "6152e381-4c21-432b-8da3-8b6a5782ebeb",
		client: claude.Client{}, set: debrief.DefaultSettings(), now: time.Now().UTC().Truncate(time.Millisecond), version: "2.1.300",
	}
	w.script = filepath.Join(t.TempDir(), w.id+".jsonl")
	w.env = map[string]string{"CLAUDE_PROJECT_DIR": w.root}
	st, err := sqlite.Open(t.Context(), filepath.Join(w.home, "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	w.store = st.Local()
	w.open = func(context.Context) (*store.Local, error) { return w.store, nil }
	for i := 0; i+1 < len(files); i += 2 {
		w.write(files[i], files[i+1])
	}
	return w
}

// shops holds the repositories of shops, by their files: three processes make one.
var shops = map[string]fstest.MapFS{}

// shop is a Go project under git, with one commit.
func shop(t testing.TB, files ...string) *world {
	t.Helper()
	w := plain(t, append([]string{"go.mod", "module shop\n", "main.go", "package shop\n", "main_test.go", "package shop\n", "README.md", "shop\n"}, files...)...)
	name := strings.Join(files, "\x00")
	made, ok := shops[name]
	if ok {
		if err := os.CopyFS(w.root, made); err != nil {
			t.Fatal(err)
		}
		return w
	}
	w.git("init", "-q", "-b", "main", "--template=")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "first")
	made = fstest.MapFS{}
	root := os.DirFS(w.root)
	err := fs.WalkDir(root, ".git", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			made[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
			return err
		}
		data, err := fs.ReadFile(root, name)
		made[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	shops[name] = made
	return w
}

func resolved(t testing.TB, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (w *world) git(args ...string) string {
	w.Helper()
	c := exec.Command(need.Program(w, "git"), args...)
	c.Dir = w.root
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org", "GIT_COMMITTER_DATE="+w.now.Format(time.RFC3339)) // as late as its clock says
	out, err := c.CombinedOutput()
	if err != nil {
		w.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write changes a file behind the agent's back, at the time of the world: a slow
// machine would write it after the events that follow.
func (w *world) write(name, text string) {
	w.Helper()
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
	w.dated(name, w.now)
}

func (w *world) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.root, name)
}

func (w *world) after(d time.Duration) { w.now = w.now.Add(d) }

func (w *world) turns() turn.Turns {
	var later func(...string)
	if w.later != nil {
		later = func(args ...string) { *w.later = append(*w.later, strings.Join(args, " ")) }
	}
	return turn.Turns{
		Patience: time.Minute, // however busy the machine is
		Later:    later, Open: w.open, Client: w.client, Settings: func(string) debrief.Settings { return w.set }, Changed: w.changed, Listeners: func(string) []agent.Listener { return w.listeners },
		Home: w.home, TempDir: w.tmp, Host: "kiln", Now: func() time.Time { return w.now },
	}
}

// try hands one event of the client's to Piton.
func (w *world) try(event string, fields map[string]any) ([]byte, error) {
	w.Helper()
	e := w.event(event, fields)
	reply, err := w.turns().Handle(context.Background(), e)
	return reply.Get(), err
}

func (w *world) event(event string, fields map[string]any) agent.Event {
	w.Helper()
	payload := map[string]any{"session_id": w.id, "transcript_path": w.script, "cwd": w.root, "hook_event_name": event}
	for k, v := range fields {
		payload[k] = v
	}
	b, err := json.Marshal(payload)
	if err != nil {
		w.Fatal(err)
	}
	e, err := claude.Client{}.Decode(b, func(name string) string { return w.env[name] })
	if err != nil {
		w.Fatal(err)
	}
	e.At, e.Agent, e.Resumes, e.Run, e.Step = w.now, w.client.Name(), w.env[agent.ResumesEnv], w.env[agent.RunEnv], w.env[agent.StepEnv]
	return e
}

// event happens, and Piton keeps it.
func (w *world) happens(event string, fields map[string]any) []byte {
	w.Helper()
	reply, err := w.try(event, fields)
	if err != nil {
		w.Fatalf("%s: %v", event, err)
	}
	return reply
}

func (w *world) session() agent.Session {
	w.Helper()
	s, err := w.store.SessionByClient(context.Background(), w.client.Name(), w.id)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// decision is the newest.
func (w *world) decision() agent.Decision {
	w.Helper()
	list, err := w.store.Decisions(context.Background(), w.session().ID, 1)
	if err != nil || len(list) == 0 {
		w.Fatalf("got %d decisions (%v), want one", len(list), err)
	}
	return list[0]
}

// checkpoints are those of the session's own workflow, newest first.
func (w *world) checkpoints() []piton.Checkpoint {
	w.Helper()
	page, err := w.store.Checkpoints.List(context.Background(), piton.Query{Type: piton.TypeSession, Session: w.session().ID})
	if err != nil {
		w.Fatal(err)
	}
	return page.Checkpoints
}

// state is that of the newest checkpoint.
func (w *world) state() map[string]any {
	w.Helper()
	all := w.checkpoints()
	if len(all) == 0 {
		w.Fatal("nothing was saved")
	}
	b, err := w.store.Checkpoints.State(context.Background(), all[0].ID)
	if err != nil {
		w.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(b, &s); err != nil {
		w.Fatal(err)
	}
	return s
}
