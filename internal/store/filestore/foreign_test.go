package filestore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// theirs writes a checkpoint as the layout's first program does.
func theirs(t testing.TB, dir, name, id, session, phase, number, at, completed string) {
	t.Helper()
	text := "{\n  \"id\": \"" + id + "\",\n  \"sessionId\": \"" + session + "\",\n  \"phase\": \"" + phase + "\",\n  \"phaseNumber\": " + number + ",\n  \"createdAt\": \"" + at +
		"\",\n  \"completed\": " + completed + ",\n  \"taskSummary\": \"sort the <mail>\",\n  \"iscCriteria\": [ {\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\"} ],\n  \"metadata\": { \"n\": 1e400, \"s\":\"\\ud800\" }\n}"
	if err := os.MkdirAll(filepath.Join(dir, checkpoints), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, checkpoints, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func compactTheirs(id, session, phase, number, at, completed string) string {
	return `{"id":"` + id + `","sessionId":"` + session + `","phase":"` + phase + `","phaseNumber":` + number + `,"createdAt":"` + at + `","completed":` + completed +
		`,"taskSummary":"sort the <mail>","iscCriteria":[{"id":"1","subject":"s","status":"pending"}],"metadata":{"n":1e400,"s":"\ud800"}}`
}

func TestAnotherProgramsFiles(t *testing.T) {
	dir := t.TempDir()
	const t1, t2 = "2026-02-01T12:00:00.000Z", "2026-02-01T12:05:00.000Z"
	// The later one comes first by name.
	theirs(t, dir, "ckpt-b.json", "V1StGXR8_Z5jdHi6B-myT", "s1", "Observe", "1", t1, "false")
	theirs(t, dir, "ckpt-a.json", "abcdefghijklmnopqrstu", "s1", "Build", "4", t2, "false")
	theirs(t, dir, "ckpt-c.json", "chk_nothing", "s2", "Learn", "7", t1, "false")
	if err := os.WriteFile(filepath.Join(dir, seedFile), []byte(`{"state":{"checkpointRef":"abcdefghijklmnopqrstu"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := reopened(t, dir)
	observe, build := derived(piton.CheckpointPrefix, "ckpt-b.json"), derived(piton.CheckpointPrefix, "ckpt-a.json")
	c, err := s.Checkpoint(t.Context(), build)
	if err != nil || c.StepName != "Build" || c.PhaseNumber != 4 || c.PhaseTotal != 7 || c.TaskSummary != "sort the <mail>" || c.SessionID != "s1" ||
		c.WorkflowType != piton.TypePhases || c.CreatedAt.String() != t2 || c.Completed || c.File != "checkpoints/ckpt-a.json" || c.Damaged != "" {
		t.Fatalf("record: got %+v, %v", c, err)
	}
	want := compactTheirs("abcdefghijklmnopqrstu", "s1", "Build", "4", t2, "false")
	state := func(what string) {
		t.Helper()
		if got, err := s.State(t.Context(), build); err != nil || string(got) != want {
			t.Fatalf("state %s: got %q, %v, want %q", what, got, err, want)
		}
	}
	state("as it was found")
	open := func(what string, ids ...string) {
		t.Helper()
		page, err := s.List(t.Context(), piton.Query{Open: true})
		var got []string
		for _, c := range page.Checkpoints {
			got = append(got, c.ID)
		}
		if err != nil || strings.Join(got, " ") != strings.Join(ids, " ") {
			t.Fatalf("open %s: got %v, %v, want %v", what, got, err, ids)
		}
	}
	open("at first", build) // the newest of s1; s2 is in its last phase
	if head, err := s.Head(t.Context(), c.WorkflowID, ""); err != nil || head.ID != build || head.Seq != 2 {
		t.Fatalf("head: got %+v, %v, want the later one with number 2", head, err)
	}

	// An older file that comes later does not change numbers that were written.
	flow(t, s, oldFlow, "")
	theirs(t, dir, "ckpt-0.json", "z", "s1", "Think", "2", "2026-01-01T00:00:00Z", "false")
	s = reopened(t, dir)
	if again, err := s.Checkpoint(t.Context(), build); err != nil || again.Seq != 2 || again.Ordinal != c.Ordinal {
		t.Fatalf("number after another file came: got %d, %v, want 2", again.Seq, err)
	}
	if late, err := s.Checkpoint(t.Context(), derived(piton.CheckpointPrefix, "ckpt-0.json")); err != nil || late.Seq != 3 {
		t.Fatalf("number of the late one: got %d, %v, want 3", late.Seq, err)
	}
	if err := os.Remove(filepath.Join(dir, checkpoints, "ckpt-0.json")); err != nil {
		t.Fatal(err)
	}

	do(t, s, func(tx store.Tx) error { return tx.Complete(t.Context(), build, piton.At(when)) })
	state("after it was completed")
	open("after it was completed")
	raw, err := os.ReadFile(filepath.Join(dir, checkpoints, "ckpt-a.json"))
	for _, line := range []string{`"id": "abcdefghijklmnopqrstu"`, `"completed": true`, `"phase": "Build"`, `"phaseNumber": 4`, `"sessionId": "s1"`} {
		if err != nil || !strings.Contains(string(raw), line) {
			t.Errorf("their file: got %s, %v, want %s in it", raw, err, line)
		}
	}
	if seed, err := os.ReadFile(filepath.Join(dir, seedFile)); err != nil || string(seed) != `{"state":{}}` {
		t.Errorf("seed.json: got %s, %v, want their reference cleared", seed, err)
	}
	s = reopened(t, dir)
	state("read anew")
	if done, err := s.Checkpoint(t.Context(), build); err != nil || !done.Completed || done.Seq != 2 || done.SHA256 != c.SHA256 {
		t.Errorf("got %+v, %v, want it completed and as it was", done, err)
	}

	// Their program goes on; its newest decides again.
	theirs(t, dir, "ckpt-d.json", "next", "s1", "Verify", "5", "2026-02-02T00:00:00Z", "false")
	next := derived(piton.CheckpointPrefix, "ckpt-d.json")
	open("after theirs went on", next)
	theirs(t, dir, "ckpt-d.json", "next", "s1", "Verify", "5", "2026-02-02T00:00:00Z", "true")
	s = reopened(t, dir)
	open("after theirs completed it")
	do(t, s, func(tx store.Tx) error {
		_, err := tx.Delete(t.Context(), []string{observe, next})
		return err
	})
	if _, err := os.Stat(filepath.Join(dir, checkpoints, "ckpt-b.json")); !os.IsNotExist(err) {
		t.Errorf("got %v, want their deleted file gone", err)
	}
	if faults, err := s.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("got the faults %q, %v, want none", faults, err)
	}
}

func TestNames(t *testing.T) {
	s := fresh(t)
	flow(t, s, oldFlow, "")
	for i, want := range []string{
		"ckpt-2026-03-04T05-06-07.089Z-bauen-pr-fen.json", "ckpt-2026-03-04T05-06-07.089Z-bauen-pr-fen-2.json", "ckpt-2026-03-04T05-06-07.089Z-bauen-pr-fen-3.json",
	} {
		p := prepared("chk_000000000000000"+string(rune('0'+i)), oldFlow, `{}`)
		p.Record.StepName = "Bauen & prüfen!"
		put(t, s, p)
		c, err := s.Checkpoint(t.Context(), p.Record.ID)
		if err != nil || c.File != "checkpoints/"+want {
			t.Errorf("got %q, %v, want %q", c.File, err, want)
		}
	}
	for name, want := range map[string]string{"../../etc/passwd": "etc-passwd", "日本": "checkpoint", "": "checkpoint", strings.Repeat("ab", 50): strings.Repeat("ab", 20), "a\x00/b": "a-b"} {
		if got := slug(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
