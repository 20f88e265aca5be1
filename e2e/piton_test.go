package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

// piton runs our own program, which must succeed.
func (w *world) piton(args ...string) string {
	w.t.Helper()
	out, err := w.run(append([]string{filepath.Join(w.bin, "piton")}, args...)...)
	if err != nil {
		w.t.Fatalf("piton %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// pitonJSON reads what our program prints with --json.
func (w *world) pitonJSON(into any, args ...string) {
	w.t.Helper()
	out := w.piton(append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		w.t.Fatalf("piton %s: %v in %s", strings.Join(args, " "), err, out)
	}
}

// decision is what `piton explain --json` tells of a stop.
type decision struct {
	At         time.Time
	Session    string
	Turn       int
	Held       bool
	Reason     string
	Categories []string
	Actions    []string
	TurnStart  time.Time `json:"turn_start"`
	ElapsedMS  int64     `json:"elapsed_ms"`
	Files      []struct{ Path, Whose string }
	Evidence   []struct {
		Command string
		Counts  bool
		Why     string
	}
	BudgetLeft int `json:"budget_left"`
	Message    string
	Notes      []string
}

// decisions are those of all sessions, oldest first.
func (w *world) decisions() []decision {
	w.t.Helper()
	var x struct{ Decisions []decision }
	w.pitonJSON(&x, "explain", "--limit", "0")
	list := make([]decision, 0, len(x.Decisions))
	for i := len(x.Decisions) - 1; i >= 0; i-- {
		list = append(list, x.Decisions[i])
	}
	return list
}

// reasons checks why the stops so far were held or let go, oldest first, and
// returns the decisions. A stop without activity is let go as one told twice
// where the client is slow to write down what it said.
func (w *world) reasons(want ...string) []decision {
	w.t.Helper()
	list := w.decisions()
	var got []string
	for i, d := range list {
		if d.Reason == "moved_on" && i < len(want) && (want[i] == "no_activity" || want[i] == "no_tool_use") {
			d.Reason = want[i]
		}
		got = append(got, d.Reason)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		w.t.Fatalf("got the decisions %v, want %v", got, want)
	}
	return list
}

// owners are a decision's files with their owners.
func (d decision) owners() map[string]string {
	files := map[string]string{}
	for _, f := range d.Files {
		files[f.Path] = f.Whose
	}
	return files
}

// session is what `piton sessions --json` tells.
type session struct {
	ID       string
	Agent    string
	ClientID string    `json:"client_id"`
	Version  string    `json:"client_version"`
	Seen     time.Time `json:"seen_at"`
	Ended    time.Time `json:"ended_at"`
	Turn     int
	TurnOpen bool `json:"turn_open"`
	State    string
	WaitsFor string    `json:"waits_for"`
	ResetsAt time.Time `json:"resets_at"`
	GoOn     string    `json:"go_on"`
	Pane     *struct{ ID, Socket string }
	Alive    bool
}

func (w *world) sessions() []session {
	w.t.Helper()
	var x struct{ Sessions []session }
	w.pitonJSON(&x, "sessions")
	return x.Sessions
}

// theSession is the only one there is to be.
func (w *world) theSession() session {
	w.t.Helper()
	list := w.sessions()
	if len(list) != 1 {
		w.t.Fatalf("got the sessions %+v, want one", list)
	}
	return list[0]
}

// checkpoint is what `piton list --json` tells.
type checkpoint struct {
	ID      string
	Trigger string
	Task    string `json:"task_summary"`
	Session string `json:"session_id"`
	Origin  struct {
		Agent   string
		Version string `json:"client_version"`
	}
}

// checkpoints are all of them, oldest first.
func (w *world) checkpoints(filter ...string) []checkpoint {
	w.t.Helper()
	var x struct{ Checkpoints []checkpoint }
	w.pitonJSON(&x, append([]string{"list", "--limit", "0"}, filter...)...)
	list := make([]checkpoint, 0, len(x.Checkpoints))
	for i := len(x.Checkpoints) - 1; i >= 0; i-- {
		list = append(list, x.Checkpoints[i])
	}
	return list
}

func triggers(list []checkpoint) string {
	var all []string
	for _, c := range list {
		all = append(all, c.Trigger)
	}
	return strings.Join(all, " ")
}
