package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	known "github.com/piton-project/piton/internal/client"
)

// recorder stands where piton-hook was and keeps what goes in and out.
const recorder = `#!/bin/sh
n=$(mktemp -d '{calls}/XXXXXXXX') || exit 0
cat >"$n/stdin"
'{hook}' "$@" <"$n/stdin" >"$n/stdout" 2>"$n/stderr"
echo $? >"$n/status.part"
mv "$n/status.part" "$n/status"
cat "$n/stdout"
cat "$n/stderr" >&2
exit "$(cat "$n/status")"
`

// record puts the recorder in the hook program's place. At the test's end every
// call must have kept to the hook's contract.
func (w *world) record() {
	hook := filepath.Join(w.bin, "piton-hook")
	check(w.t, os.MkdirAll(w.root+"/calls", 0o755))
	check(w.t, os.Rename(hook, w.root+"/piton-hook"))
	text := strings.NewReplacer("{calls}", w.root+"/calls", "{hook}", w.root+"/piton-hook").Replace(recorder)
	check(w.t, os.WriteFile(hook, []byte(text), 0o755))
	w.t.Cleanup(func() { // runs before the folder is removed
		for _, c := range w.hooks() {
			c.keepsContract(w)
		}
	})
}

// hookCall is one call of the hook.
type hookCall struct {
	Event   string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Prompt  string
	Source  string
	Reason  string

	at                    time.Time
	stdin, stdout, stderr string
	status                string // "" while it runs, or if it was killed
}

// hooks are the calls so far, in the order they began, those of one event if
// it is named.
func (w *world) hooks(events ...string) []hookCall {
	w.t.Helper()
	dirs, err := filepath.Glob(w.root + "/calls/*")
	check(w.t, err)
	var list []hookCall
	for _, dir := range dirs {
		info, err := os.Stat(dir + "/stdin")
		if err != nil {
			continue // just beginning
		}
		text := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(dir, name)) // not there: not yet
			return string(b)
		}
		c := hookCall{at: info.ModTime(), stdin: text("stdin"), stdout: text("stdout"), stderr: text("stderr"), status: strings.TrimSpace(text("status"))}
		if json.Unmarshal([]byte(c.stdin), &c) != nil {
			continue // just beginning
		}
		if len(events) == 0 || slices.Contains(events, c.Event) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b hookCall) int { return a.at.Compare(b.at) })
	return list
}

// keepsContract checks what holds for every call: status 0, nothing on stderr,
// and on stdout nothing or one JSON object.
func (c hookCall) keepsContract(w *world) {
	if c.status == "" {
		return // the client was killed, and the hook with it
	}
	if c.status != "0" {
		w.t.Errorf("the hook ended with status %s at %s", c.status, c.stdin)
	}
	if c.stderr != "" {
		w.t.Errorf("the hook wrote on stderr: %q, at %s", c.stderr, c.stdin)
	}
	if c.stdout == "" || c.stdout == known.Pong { // doctor has asked whether it runs
		return
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(c.stdout), &object); err != nil || object == nil {
		w.t.Errorf("the hook's stdout is not a JSON object (%v): %q", err, c.stdout)
	}
}

func (c hookCall) String() string { return c.Event + " -> " + firstOf(c.stdout, "(nothing)") }
