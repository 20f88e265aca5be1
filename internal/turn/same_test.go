package turn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/clients"
)

// A recording is one piece of work as a client reported it: a file is read and
// changed, "Done."; it is held; the tests are run, "Verified.". events.jsonl are
// the payloads of its hooks, stop1.jsonl and stop2.jsonl its transcript at the
// two stops.
const recordings = "testdata/same"

// verdict is what is said of a stop, whoever was stopped.
type verdict struct {
	Held                              bool
	Reason                            string
	Categories, Actions, Observations []string
	Files                             []agent.FileChange
}

func TestTheSameWorkIsJudgedTheSameWithEveryClient(t *testing.T) {
	first := replay(t, claude.Client{})
	if got := first[0]; !got.Held || len(got.Actions) != 1 || !strings.Contains(got.Actions[0], "go test") {
		t.Errorf("the first stop: got %+v, want it held, and the tests asked for", got)
	}
	if got := first[1]; got.Held || len(got.Actions) != 0 || len(got.Observations) != 0 {
		t.Errorf("the second stop: got %+v, want it let go, with nothing left", got)
	}
	for _, client := range clients.All {
		t.Run(client.Name(), func(t *testing.T) {
			for i, got := range replay(t, client) {
				if !reflect.DeepEqual(got, first[i]) {
					t.Errorf("stop %d: got %+v, want %+v", i+1, got, first[i])
				}
			}
		})
	}
}

// replay hands a client's events to Piton while what was changed then is changed
// again, and returns the verdicts of both stops.
func replay(t *testing.T, client client.Client) [2]verdict {
	t.Helper()
	got, _ := replayWith(t, client, variant{})
	return got
}

// variant is what of a recording is otherwise.
type variant struct {
	prompt       string // in JSON; "": as recorded
	events, logs string // how the hooks' payloads and the transcript name the work tree's folder; "": as it is
}

// tree names the work tree in a variant: a link to it.
const tree = "LINK"

func replayWith(t *testing.T, client client.Client, v variant) ([2]verdict, *world) {
	t.Helper()
	w := plain(t, "go.mod", "module example.org/calc\n\ngo 1.21\n", "calc.go", "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n",
		"calc_test.go", "package calc\n")
	w.git("init", "-q", "-b", "main")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "first")
	w.set.MinTurn = 0

	r := recording{w: w, dir: filepath.Join(recordings, client.Name()), began: w.now.Add(-time.Minute), names: map[string]string{}}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.root, link); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"events.jsonl": v.events, "stop1.jsonl": v.logs, "stop2.jsonl": v.logs} {
		if r.names[name] = w.root; to == tree {
			r.names[name] = link
		}
	}
	stops := [2][]byte{r.read("stop1.jsonl"), r.read("stop2.jsonl")}
	r.first, _ = span(stops[0])
	var got [2]verdict
	stop := 0
	for line := range bytes.Lines(r.read("events.jsonl")) {
		var seen struct {
			Path  string `json:"transcript_path"`
			Event string `json:"hook_event_name"`
		}
		if err := json.Unmarshal(line, &seen); err != nil {
			t.Fatal(err)
		}
		if seen.Path != "" {
			w.script = filepath.Join(t.TempDir(), filepath.Base(seen.Path))
			line = bytes.ReplaceAll(line, []byte(seen.Path), []byte(w.script))
		}
		if v.prompt != "" {
			line = prompts.ReplaceAllLiteral(line, []byte(`"prompt":`+v.prompt))
		}
		log := stops[min(stop, 1)]
		e, err := client.Decode(r.moved(line), func(string) string { return "" })
		if err != nil {
			t.Fatalf("%s: %v", seen.Event, err)
		}
		_, last := span(log)
		switch {
		case e.Kind == "":
			continue
		case stop == 0 && (e.Kind == agent.EventSessionStart || e.Kind == agent.EventPrompt):
			w.now, log = r.began, nil // it is only just beginning
		case e.Kind == agent.EventStop:
			w.now = r.began.Add(last.Sub(r.first))
			stop++
		default:
			w.now = r.began.Add(last.Sub(r.first))
			w.write("calc.go", "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return b + a }\n")
		}
		if err := os.WriteFile(w.script, r.moved(log), 0o644); err != nil {
			t.Fatal(err)
		}
		turns := w.turns()
		turns.Client, e.At = client, w.now
		if _, err := turns.Handle(context.Background(), e); err != nil {
			t.Fatalf("%s: %v", seen.Event, err)
		}
		if e.Kind == agent.EventStop && stop <= 2 {
			got[stop-1] = r.verdict(e)
		}
	}
	if stop != 2 {
		t.Fatalf("%s: got %d stops, want 2", client.Name(), stop)
	}
	w.client = client
	return got, w
}

var prompts = regexp.MustCompile(`"prompt":"[Ss]wap [^"]*"`)

type recording struct {
	w     *world
	dir   string
	first time.Time         // when it was recorded
	began time.Time         // when it happens again
	names map[string]string // of the work tree's folder, by file
}

func (r recording) read(name string) []byte {
	r.w.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.w.Fatal(err)
	}
	return bytes.ReplaceAll(text, []byte("/home/dev/project"), []byte(r.names[name]))
}

var (
	stamp  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z`)
	millis = regexp.MustCompile(`_ms":\d{13}`)
)

// moved has the times of a text in our own time.
func (r recording) moved(text []byte) []byte {
	shift := r.began.Sub(r.first)
	text = stamp.ReplaceAllFunc(text, func(b []byte) []byte {
		at, err := time.Parse(time.RFC3339Nano, string(b))
		if err != nil {
			r.w.Fatal(err)
		}
		return at.Add(shift).AppendFormat(nil, "2006-01-02T15:04:05.000Z")
	})
	return millis.ReplaceAllFunc(text, func(b []byte) []byte {
		name, number, _ := bytes.Cut(b, []byte(":"))
		at, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil {
			r.w.Fatal(err)
		}
		return fmt.Appendf(nil, "%s:%d", name, at+shift.Milliseconds())
	})
}

// span is the time a log covers.
func span(text []byte) (first, last time.Time) {
	for _, b := range stamp.FindAll(text, -1) {
		at, _ := time.Parse(time.RFC3339Nano, string(b))
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	return first, last
}

func (r recording) verdict(e agent.Event) verdict {
	r.w.Helper()
	ctx := context.Background()
	s, err := r.w.store.SessionByClient(ctx, e.Agent, e.ClientID)
	if err != nil {
		r.w.Fatal(err)
	}
	list, err := r.w.store.Decisions(ctx, s.ID, 1)
	if err != nil || len(list) != 1 {
		r.w.Fatalf("got %d decisions (%v), want one", len(list), err)
	}
	d := list[0]
	return verdict{d.Held, string(d.Reason), d.Categories, d.Actions, d.Observations, d.Files}
}
