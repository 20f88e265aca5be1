package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// client is one of the real clients: where it lies, how it is started, and what
// its tools and its events are called.
type client interface {
	name() string
	// argv starts the program; it is empty where it is not installed.
	argv() []string
	// dir is its own folder.
	dir(w *world) string
	// env is what it needs beside the world's own variables.
	env(w *world) []string
	// seed gets it past its first questions.
	seed(w *world)
	// print has it work on a prompt without a screen; a session that is named
	// is taken up again.
	print(session, prompt string, args []string) []string
	// answer reads what it has printed then.
	answer(stdout []byte) (answer, error)
	// screen is how it looks in a terminal.
	screen() screen
	// transcripts matches its files of a session.
	transcripts(w *world, session string) string
	// call is a tool in its own words.
	call(w *world, t tool) (name string, input map[string]any)
	// delegate is what its model answers to have a subagent do something and to
	// wait for it where it can be waited for, and report the subagent's last word.
	delegate(prompt string) []reply
	report(text string) reply
	events() events
}

// events are a client's names for what hooks report.
type events struct{ start, prompt, used, done, stop, end string }

// screen is a client in a terminal.
type screen struct {
	resume      func(session string) []string // arguments
	ready       string                        // stands there when it takes input
	mark        string                        // before what is typed
	interrupted string                        // after Escape
	held        string                        // after a debrief

	tellsInterrupt bool // when it was interrupted, in an event or in its transcript

	exit    string        // a person's way out
	command string        // Piton's, as a person types it
	pause   time.Duration // keys that follow faster are taken for a paste
}

// The clients. Nothing else in these tests lists them.
var (
	claude client   = claudeClient{}
	gemini client   = geminiClient{}
	codex  client   = codexClient{}
	every  []client = []client{claude, gemini, codex}
)

// overClients runs a test with each of them.
func overClients(t *testing.T, test func(t *testing.T, c client)) {
	for _, c := range every {
		t.Run(c.name(), func(t *testing.T) { test(t, c) })
	}
}

// installed is a path below node_modules; "" where there is none.
func installed(parts ...string) string {
	path, err := filepath.Abs(filepath.Join(append([]string{"node_modules"}, parts...)...))
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

func needClient(t testing.TB, c client) {
	t.Helper()
	if len(c.argv()) == 0 {
		need.Missing(t, c.name()+" is not installed in e2e/node_modules: run `make e2e`")
	}
}

// answer is what a client says at the end of a run.
type answer struct {
	Session string
	Result  string
	IsError bool
}

// ask has the world's client work on a prompt without a screen, which must go
// well.
func (w *world) ask(prompt string, args ...string) answer {
	w.t.Helper()
	return w.again("", prompt, args...)
}

// again is ask in a session that there was.
func (w *world) again(session, prompt string, args ...string) answer {
	w.t.Helper()
	a, err := w.tryAsk(session, prompt, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) tryAsk(session, prompt string, args ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	c := w.command(ctx, append([]string{w.program(w.client)}, w.client.print(session, prompt, args)...)...)
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	a, unread := w.client.answer(out.Bytes())
	if unread != nil {
		w.t.Logf("%s printed (%v): %s", w.client.name(), unread, out.String())
	}
	if err != nil {
		w.t.Logf("%s's stderr: %s", w.client.name(), errs.String())
	}
	return a, err
}

// transcript is the client's own log of a session. Gemini CLI begins another file, with
// the minute in its name, where it goes on with a session in another minute.
func (w *world) transcript(session string) string {
	w.t.Helper()
	files, err := filepath.Glob(w.client.transcripts(w, session))
	check(w.t, err)
	if len(files) == 0 {
		w.t.Fatalf("got no transcript of session %s", session)
	}
	text := ""
	for _, f := range files { // in the order of their times
		text += w.read(f)
	}
	return text
}

// use makes another client the one that is asked.
func (w *world) use(c client) {
	w.client, w.config = c, c.dir(w)
}
