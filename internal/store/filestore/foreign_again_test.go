package filestore

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/need"
)

// theirComplete does what the layout's first program does to complete a file: it
// reads its own keys, drops all others, and writes the file again.
func theirComplete(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	kept := map[string]json.RawMessage{}
	for _, key := range theirKeys {
		if kept[key] = all[key]; all[key] == nil {
			t.Fatalf("their program passes over a file without %s:\n%s", key, raw)
		}
	}
	kept["completed"] = json.RawMessage("true")
	out, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".tmp", out, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Fatal(err)
	}
}

// phaseOne is a checkpoint of a phase, of a caller's session.
func phaseOne(id, state string) store.Prepared {
	p := prepared(id, oldFlow, state)
	p.Record.WorkflowType, p.Record.StepName, p.Record.PhaseNumber, p.Record.PhaseTotal = piton.TypePhases, "BUILD", 4, 7
	p.Record.SessionID, p.Record.SessionName = "ses_0123456789abcdef", "sess-123"
	return p
}

const phaseState = `{"phase":"BUILD","phase_number":4,"task_summary":"t","isc_criteria":[{"id":"a","subject":"s","status":"pending"}],"metadata":{"n":1},"mine":2}`

func TestTheyCompleteOurs(t *testing.T) {
	s := fresh(t)
	dir := s.disk.dir
	flow(t, s, oldFlow, "flow")
	put(t, s, phaseOne(chkA, phaseState), phaseOne(chkB, phaseState))
	before, err := s.Checkpoint(t.Context(), chkB)
	if err != nil {
		t.Fatal(err)
	}
	theirComplete(t, filepath.Join(dir, before.File))
	s = reopened(t, dir)
	c, err := s.Checkpoint(t.Context(), chkB)
	if err != nil || c.Damaged != "" || !c.Completed || c.Seq != before.Seq || c.Ordinal != before.Ordinal || c.WorkflowID != oldFlow || c.ParentID != chkA ||
		c.SessionID != before.SessionID || c.SessionName != "sess-123" || c.StepName != "BUILD" || c.PhaseNumber != 4 {
		t.Fatalf("got %+v, %v, want it whole, completed, in its place", c, err)
	}
	state, err := s.State(t.Context(), chkB)
	if err != nil || !strings.Contains(string(state), `"metadata":{"n":1}`) || !strings.Contains(string(state), `"completed":true`) {
		t.Errorf("state: got %s, %v, want what they left of it", state, err)
	}
	if page, err := s.List(t.Context(), piton.Query{Open: true}); err != nil || len(page.Checkpoints) > 0 {
		t.Errorf("open: got %d, %v, want none: they have completed the head", len(page.Checkpoints), err)
	}
	if faults, err := s.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("check: got %q, %v, want nothing", faults, err)
	}
	// Work goes on, and what is done to it is kept.
	put(t, s, phaseOne(chkC, phaseState))
	do(t, s, func(tx store.Tx) error { _, err := tx.Delete(t.Context(), []string{chkA}); return err })
	s = reopened(t, dir)
	c, err = s.Checkpoint(t.Context(), chkB)
	again, err2 := s.State(t.Context(), chkB)
	if err != nil || err2 != nil || c.Damaged != "" || c.ParentID != "" || string(again) != string(state) {
		t.Errorf("later: got %+v, %s, %v, %v", c, again, err, err2)
	}
}

// TestOursIsNotTheirs: a file of ours whose sum is damaged is not taken for one
// that they have written again.
func TestOursIsNotTheirs(t *testing.T) {
	for _, key := range []string{sumKey, "workflow_id", "ordinal"} {
		s := fresh(t)
		flow(t, s, oldFlow, "flow")
		put(t, s, phaseOne(chkA, phaseState))
		c, err := s.Checkpoint(t.Context(), chkA)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(s.disk.dir, c.File)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := need.Rewrite(path, []byte(strings.Replace(string(raw), key, "x"+key[1:], 1))); err != nil {
			t.Fatal(err)
		}
		s = reopened(t, s.disk.dir)
		if c, err := s.Checkpoint(t.Context(), chkA); err != nil || c.Damaged == "" {
			t.Errorf("a flip in %s: got %+v, %v, want it damaged", key, c, err)
		}
		if state, err := s.State(t.Context(), chkA); piton.CodeOf(err) != piton.Corrupt {
			t.Errorf("a flip in %s: got the state %s, %v, want corrupt", key, state, err)
		}
	}
}

func TestTheirWords(t *testing.T) {
	s := fresh(t)
	dir := s.disk.dir
	seed := func() string {
		raw, _ := os.ReadFile(filepath.Join(dir, seedFile))
		return string(raw)
	}
	flow(t, s, oldFlow, "flow")
	flow(t, s, newFlow, "plan")
	put(t, s, phaseOne(chkA, phaseState))
	if !strings.Contains(seed(), chkA) {
		t.Errorf("got %s, want it to name the phase", seed())
	}
	raw, err := os.ReadFile(filepath.Join(dir, checkpoints, stem(phaseOne(chkA, "").Record)+".json"))
	if err != nil || !strings.Contains(string(raw), `"sessionId": "sess-123"`) {
		t.Errorf("got %s, %v, want the caller's session", raw, err)
	}
	// What their program does not read is not named to it.
	for i, p := range []store.Prepared{
		func() store.Prepared {
			p := prepared("chk_0000000000000001", newFlow, `{"n":1}`)
			p.Record.PhaseNumber = 0
			return p
		}(),
		phaseOne("chk_0000000000000002", strings.Replace(phaseState, "pending", "blocked", 1)),
		phaseOne("chk_0000000000000003", strings.Replace(phaseState, `"id":"a"`, `"id":7`, 1)),
		func() store.Prepared {
			p := phaseOne("chk_0000000000000004", phaseState)
			p.Record.PhaseNumber = 8
			return p
		}(),
	} {
		put(t, s, p)
		if !strings.Contains(seed(), chkA) {
			t.Errorf("%d: got %s, want the one before", i, seed())
		}
	}
	none := phaseOne("chk_0000000000000005", phaseState)
	none.Record.SessionID, none.Record.SessionName = "", ""
	put(t, s, none)
	if !strings.Contains(seed(), none.Record.ID) {
		t.Errorf("without a session: got %s, want it named", seed())
	}

	// What they leave over is no damage; what they call things finds them.
	theirs(t, dir, "ckpt-x.json", "V1StGXR8_Z5jdHi6B-myT", "s1", "Observe", "1", "2026-02-01T12:00:00.000Z", "false")
	theirs(t, dir, "ckpt-y.json.tmp", "torn", "s1", "Observe", "1", "2026-02-01T12:00:00.000Z", "false")
	s = reopened(t, dir)
	if faults, err := s.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("check: got %q, %v, want nothing", faults, err)
	}
	c, err := s.Checkpoint(t.Context(), "V1StGXR8_Z5jdHi6B-myT")
	if err != nil || c.SessionName != "s1" || len(c.Tags) != 1 || c.Tags[0] != "id:V1StGXR8_Z5jdHi6B-myT" {
		t.Errorf("by their id: got %+v, %v", c, err)
	}
	if w, err := s.Workflow(t.Context(), "s1", "prj_1"); err != nil || w.ID != c.WorkflowID {
		t.Errorf("by their session: got %+v, %v", w, err)
	}
}
