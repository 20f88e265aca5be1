package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/states"
)

// A person reads when a checkpoint was saved in their own zone; the brief itself, which
// agents get, keeps UTC.
func TestLocalBrief(t *testing.T) {
	at := piton.At(time.Date(2026, 11, 22, 23, 30, 0, 0, time.UTC))
	c := piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowID: "wfl_1", Workflow: "import", WorkflowType: "custom"}, CreatedAt: at}
	brief, err := states.Brief(states.Resumed{Checkpoint: c, State: []byte(`{"note":"**Saved**: 2026-11-22T23:30:00.000Z,"}`)}, at)
	if err != nil {
		t.Fatal(err)
	}
	r := app.Resumption{Checkpoint: c, Brief: brief}
	con := newConsole(nil, nil, nil, os.Getenv)
	con.Zone = time.FixedZone("CET", 60*60)
	got := con.localBrief(r)
	for _, l := range []struct{ name, text, line string }{
		{"a person's line", got, "\n**Saved**: 2026-11-23 00:30:00 CET, 0s ago\n"},
		{"an agent's line", brief, "\n**Saved**: 2026-11-22T23:30:00.000Z, 0s ago\n"},
		{"what the state says stays", got, "note: **Saved**: 2026-11-22T23:30:00.000Z,"},
	} {
		if !strings.Contains(l.text, l.line) {
			t.Errorf("%s: got %s, want it to contain %q", l.name, l.text, l.line)
		}
	}
}
